package engine

// Requirement is what must hold of a range when a transaction is applied, its own writes included: that an entity is there, or
// that none is. A foreign key is kept so: the row that another one refers to must be there, and no row may refer to one that goes.
type Requirement struct {
	Table, PartitionKey string
	From, To            string // From ≤ RowKey < To; an empty To means no upper bound
	Any                 bool   // an entity must be there; else none may be

	// A store of entity group transactions may keep it in one, where all is in one store partition: who has another one there (Any)
	// gives its row another ETag, and who wants none there goes by the ETag that the row had before it looked.
	Row  string // the RowKey of the row that must be there, or that goes, in the same partition; "": it is not known
	ETag string // Any: of the entity, when it was seen to be there; "": it is not known
}

// DistinctRequirements leaves each requirement once: many rows may refer to one. Of several ETags the last one counts.
func DistinctRequirements(all []Requirement) (out []Requirement) {
	at := make(map[Requirement]int, len(all))
	for _, r := range all {
		rule := r
		rule.ETag = ""
		i, has := at[rule]
		if !has {
			i, at[rule] = len(out), len(out)
			out = append(out, rule)
		}
		out[i].ETag = r.ETag
	}
	return out
}

// scan is the range.
func (r *Requirement) scan() Scan {
	return Scan{Table: r.Table, PartitionKey: r.PartitionKey, From: r.From, To: r.To}
}

// Contains says whether a key of its partition lies in the range.
func (r *Requirement) Contains(rowKey string) bool {
	return rowKey >= r.From && (r.To == "" || rowKey < r.To)
}

// Own says what the transaction's own writes mean for a requirement: settled, where they leave an entity in the range, and which
// of its entities they delete.
func (r *Requirement) Own(commits []Commit) (there bool, deleted map[string]bool) {
	for i := range commits {
		c := &commits[i]
		if c.PartitionKey != r.PartitionKey || c.Table != r.Table && FoldTable(c.Table) != FoldTable(r.Table) {
			continue
		}
		for j := range c.Ops {
			key := c.Ops[j].Entity.RowKey
			if !r.Contains(key) {
				continue
			}
			if c.Ops[j].Kind != Delete {
				return true, nil
			}
			if deleted == nil {
				deleted = map[string]bool{}
			}
			deleted[key] = true
		}
	}
	return false, deleted
}

// Unmet is the error of a transaction whose requirement does not hold.
func (r *Requirement) Unmet() *Error {
	what := "has an entity, and must have none"
	if r.Any {
		what = "has no entity, and must have one"
	}
	e := Errorf(CodeStale, "partition %s of table %s %s at %s", quote(r.PartitionKey), quote(r.Table), what, quote(r.From))
	e.Unmet = r
	return e
}
