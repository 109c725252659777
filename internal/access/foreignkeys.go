package access

import (
	"math"
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// rawTop is above every text of a foreign key.
const rawTop = "\xff"

// newForeignKeys begins a plan of the keys of a foreign table. Its parts are the columns in the RowKey, its
// partition those in the PartitionKey.
func newForeignKeys(t *schema.Table) *KeyPlan {
	k := &KeyPlan{table: t}
	k.Columns, k.partition = foreignParts(t, t.Foreign.Row), foreignParts(t, t.Foreign.Partition)
	return k
}

func foreignParts(t *schema.Table, pieces []schema.Segment) []keyColumn {
	var parts []keyColumn
	for i := range pieces {
		if p := &pieces[i]; p.Text == "" {
			col := t.Columns[p.Column]
			parts = append(parts, keyColumn{
				ordinal: p.Column, column: col, part: keymap.Part{Type: col.Type, Desc: p.Form == schema.FormInverted},
				raw: p, final: i == len(pieces)-1,
			})
		}
	}
	return parts
}

// assembleForeign is assemble for foreign tables: tests on the leading columns of both keys.
func (k *KeyPlan) assembleForeign(atoms []Atom, covered, touched []bool) keyBranch {
	placed := make([]bool, len(atoms))
	lead := func(parts []keyColumn) (out [][]*test) {
		for i := range parts {
			var tests []*test
			for j := range atoms {
				if atoms[j].Ordinal == parts[i].ordinal {
					tests = append(tests, atoms[j].test)
					placed[j] = true
				}
			}
			if tests == nil {
				break
			}
			out = append(out, tests)
			if !points(tests) {
				break
			}
		}
		return out
	}
	b := keyBranch{partition: lead(k.partition), parts: lead(k.Columns)}
	for i := range atoms {
		c := atoms[i].Conjunct
		covered[c], touched[c] = covered[c] && placed[i], touched[c] || placed[i]
	}
	return b
}

// allPointed says whether tests give single values for all the parts.
func allPointed(tests [][]*test, parts []keyColumn) bool {
	return len(tests) == len(parts) && (len(tests) == 0 || points(tests[len(tests)-1]))
}

// setForeignAccess names the way to a foreign table's entities.
func (s *Scan) setForeignAccess(depth int) {
	k := s.Keys
	wholePartition, wholeKey, single := true, true, len(k.Branches) == 1
	for i := range k.Branches {
		b := &k.Branches[i]
		wholePartition = wholePartition && allPointed(b.partition, k.partition)
		wholeKey = wholeKey && allPointed(b.parts, k.Columns)
		for _, tests := range append(slices.Clone(b.partition), b.parts...) {
			single = single && pointCount(tests) == 1
		}
	}
	switch {
	case wholePartition && wholeKey && single:
		s.Access = PointRead
	case wholePartition && wholeKey:
		s.Access = PointReads
	case depth > 0:
		s.Access = RangeScan
	case wholePartition:
		s.Access = PartitionScan
	default:
		s.Access = TableScan
	}
}

// foreignOrder is servesOrder for foreign tables: the entities of one partition come in the order of their RowKeys.
func foreignOrder(c *Constrainer, k *KeyPlan, order []SortKey, forms [][][]Atom) (pinned []bool, ok bool) {
	single := func(p *keyColumn) bool { return hasSingle(p.ordinal, forms, nil) }
	for i := range k.partition {
		if !single(&k.partition[i]) {
			return nil, false
		}
	}
	pinned = make([]bool, len(k.Columns))
	i := 0
	for _, key := range order {
		ordinal, ok := c.column(key.Expr)
		if !ok {
			return nil, false
		}
		is := func(p keyColumn) bool { return p.ordinal == ordinal }
		if slices.ContainsFunc(k.partition, is) || slices.ContainsFunc(k.Columns[:i], is) {
			continue
		}
		for i < len(k.Columns) && k.Columns[i].ordinal != ordinal && single(&k.Columns[i]) {
			pinned[i] = true
			i++
		}
		if i == len(k.Columns) || k.Columns[i].ordinal != ordinal {
			return nil, false
		}
		switch p := &k.Columns[i]; {
		case single(p):
			pinned[i] = true
		case p.part.Desc != key.Desc || !p.raw.Ordered(p.column.Type, p.final):
			return nil, false
		}
		i++
	}
	return pinned, true
}

// estimateForeign is what a way to a foreign table costs.
func (r *Request) estimateForeign(s *Scan, k *KeyPlan, ordered bool, residual int) cost {
	entities, spans := 0.0, 0.0
	for i := range k.Branches {
		n, left := 1.0, 1.0
		for _, tests := range append(slices.Clone(k.Branches[i].partition), k.Branches[i].parts...) {
			left *= share(tests)
			if points(tests) {
				n *= pointCount(tests)
			}
		}
		if s.Access > PointReads {
			entities += max(n, assumedRows*left)
		} else {
			entities += n
		}
		spans += n
	}
	entities = min(entities, assumedRows)
	rows := entities * math.Pow(shareResidual, float64(residual))
	if r.Limit != nil && (ordered || len(r.Order) == 0) {
		if want := limitRows(r.Limit); rows > want {
			entities, rows = entities*want/rows, want
		}
	}
	c := cost{entities: entities, Requests: entities}
	if s.Access > PointReads {
		c.Requests = max(spans, math.Ceil(entities/PageEntities))
	}
	s.Rows, s.Requests = rows, c.Requests
	return c
}

// rawCode is the text of v in a foreign key; not ok where the form has none for it.
func (p *keyColumn) rawCode(v value.Value) (string, bool) {
	var buf [64]byte
	code, ok := p.raw.Append(buf[:0], v)
	return string(code), ok
}

// rawBounds is bounds for a piece of a foreign key. Stores may sort by code points or by UTF-16 units: from the
// first character on where these differ, the key's order is not known.
func (p *keyColumn) rawBounds(code string) (b codeBounds, tied bool) {
	if p.raw.Form != schema.FormPlain && p.raw.Width(p.column.Type) == 0 {
		return codeBounds{"", rawTop}, true // 10 comes before 9
	}
	if n := schema.EvenLen(code); n < len(code) {
		to, _ := schema.Successor(code[:n])
		iv := rawInterval(code[:n], to)
		return codeBounds{iv.lo, iv.hi}, true
	}
	return codeBounds{code, code + " "}, false
}
