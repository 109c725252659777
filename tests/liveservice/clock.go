package main

import (
	"context"
	"fmt"
	"time"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
)

// clocksDiffer is what the driver allows two clocks of the store to differ by; see internal/engine/once.
const clocksDiffer = 5 * time.Second

// oneClock writes entities and reads them, and holds their Timestamps against the Dates of the answers. A Date is cut to seconds.
func oneClock(ctx context.Context, s *service) (answer, error) {
	const times = 20
	so, most := 0, time.Duration(0)
	for i := range times {
		row, start, date := fmt.Sprint(i), time.Now(), int64(0)
		if _, err := s.write(ctx, insert(entity("clock", row))...); err != nil {
			return answer{}, err
		}
		e, err := s.Get(ctx, engine.Get{Table: s.table, PartitionKey: "clock", RowKey: row, Select: []string{engine.Timestamp}, Clock: &date})
		if err != nil {
			return answer{}, err
		}
		if date == 0 || e.Timestamp == 0 {
			continue
		}
		// Between 0 and what both requests took, less the part of a second that is cut off.
		age := time.Duration(date-e.Timestamp) * 100
		apart := max(-age, age-time.Since(start))
		most = max(most, apart)
		if apart <= clocksDiffer {
			so++
		}
	}
	a := count(so, times, "answers")
	a.figure += fmt.Sprintf(", at most %v apart", max(most, 0).Round(time.Millisecond))
	return a, nil
}
