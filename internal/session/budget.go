package session

import (
	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/planner"
)

// mostRequests is how many requests a statement may make: by its hints, else by the options; 0 or less: no limit.
func (s *Session) mostRequests(p *planner.Plan) int64 {
	if p.Most.Requests == 0 && p.Most.Cost == 0 {
		return s.db.Runtime.MaxRequests
	}
	requests := p.Most.Requests
	if p.Most.Cost > 0 {
		if bought := int64(p.Most.Cost / s.db.Runtime.Price); requests <= 0 || bought < requests {
			requests = max(1, bought)
		}
	}
	return requests
}

// checkBudget refuses a statement that surely needs more requests than it may make.
func (s *Session) checkBudget(p *planner.Plan, args []value.Value) error {
	most := s.mostRequests(p)
	if most <= 0 {
		return nil
	}
	if least := int64(p.LeastRequests(args)); least > most {
		return &engine.BudgetError{Needs: least, Max: most}
	}
	return nil
}
