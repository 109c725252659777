package engine

// Requirement is what must hold of a range when a transaction is applied, its own writes included: that an entity is there, or that none is.
// Foreign keys are kept this way: the row that another row refers to must exist, and no row may refer to a row that is removed.
type Requirement struct {
	Table, PartitionKey string
	From, To            string // From ≤ RowKey < To; an empty To means no upper bound
	Any                 bool   // an entity must be there; else none may be

	// A store of entity group transactions may keep a requirement within one of them, if all is in one store partition: a transaction that
	// requires an entity (Any) changes the ETag of the entity's row, and a transaction that requires none makes its writes conditional on the
	// ETag that the row had before it looked.
	Row  string // the RowKey of the row that must exist, or is removed, in the same partition; "": not known
	ETag string // Any: of the entity, when it was last seen; "": not known
}

// DistinctRequirements drops duplicates: many rows may refer to the same row. Of several ETags the last one counts.
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

// scan gives the range.
func (r *Requirement) scan() Scan {
	return Scan{Table: r.Table, PartitionKey: r.PartitionKey, From: r.From, To: r.To}
}

// Contains says whether a key of the requirement's partition lies in the range.
func (r *Requirement) Contains(rowKey string) bool {
	return rowKey >= r.From && (r.To == "" || rowKey < r.To)
}

// Own says what the transaction's own writes mean for a requirement: whether they leave an entity in the range (there), and which of its
// entities they delete.
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
