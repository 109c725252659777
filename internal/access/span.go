package access

import (
	"slices"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// KeyPlan computes the keys and spans of a Scan from the arguments of one execution. It is immutable.
//
// It is a union of branches. Each branch has tests on the first columns of the key: points on all of these but the last, which may
// have a range. ANDs make one branch. ORs over several columns, and comparisons of tuples, make several.
type KeyPlan struct {
	table    *schema.Table
	layout   *schema.KeyLayout // of the entities that are read
	Columns  []keyColumn       // of the RowKey: an index's columns, then those of the primary key
	tail     string            // the fixed text after them
	Whole    bool              // values for all columns make the key of one row; false for an index, whose entries are read by spans
	Branches []keyBranch
	// CopyColumns is how many columns identify the parent, if stored parent copies lie among the rows; 0: there are none.
	CopyColumns int
	// partitionKey and partitionTail are Columns and tail of the PartitionKey. fromKey tells which of Columns is the same column;
	// -1: none is.
	partitionKey  []keyColumn
	partitionTail string
	fromKey       []int
	single        []interval // the only one, if it has no columns
	// divide is the first column that divides the table into partitions. divideFrom tells for each dividing column which of Columns
	// it is; -1: none.
	divide     *keyColumn
	divideFrom []int
	// Pinned are the columns that must have a single value for the promised order; nil if no order is promised.
	Pinned []bool
	// Conds are the conditions that the key uses, for EXPLAIN.
	Conds expr.Node
	// plain marks the common key: one branch, with one equality on each of the first columns, and these tell the partition.
	plain bool
}

// maxPlain is how many equalities a plain key has at most.
const maxPlain = 4

// keyBranch is one branch: the tests that must hold, by column. row has those on the first columns of the RowKey, none of them
// empty. partitionKey has those on columns of the PartitionKey: nil if the column is open, or the RowKey has it. divide has those
// on the column that divides the table into partitions.
type keyBranch struct {
	row          [][]*test
	partitionKey [][]*test
	divide       []*test
}

// mostSpans is how many spans a scan may have. Lists of values on several columns multiply. Instead of exceeding it, the values of a later
// column become one range, and the conditions on the columns after it are checked row by row.
const mostSpans = 2048

// Reads computes what is read at this execution. env.Row is the left row of a lookup join. It reuses r's slices. All of r.Points are
// whole keys. If an argument of a PointRead has no key of its own (a number against a text), r.Spans has what must be searched.
func (s *Scan) Reads(env *expr.Env, r *Reads) error {
	err := s.reads(env, r)
	if len(s.Without) > 0 {
		left := func(p *schema.Partition) bool { return slices.Contains(s.Without, p.Name) }
		r.Points = slices.DeleteFunc(r.Points, func(k Key) bool { return left(k.Partition) })
		r.Spans = slices.DeleteFunc(r.Spans, func(s Span) bool { return left(s.Partition) })
	}
	return err
}

func (s *Scan) reads(env *expr.Env, r *Reads) error {
	r.Points, r.Spans, r.Exact, r.Unordered, r.Copies = r.Points[:0], r.Spans[:0], true, false, false
	k := s.Keys
	if k.plain {
		done, err := k.readPlain(env, r)
		if done || err != nil {
			return err
		}
	}
	b := spanBuilder{k: k, env: env, r: r}
	for i := range k.Branches {
		if err := b.branch(&k.Branches[i]); err != nil {
			return err
		}
	}
	b.finish()
	return nil
}

// readPlain is Reads for a plain key. It is not done if an argument does not give a single value of its column.
func (k *KeyPlan) readPlain(env *expr.Env, r *Reads) (done bool, err error) {
	var space [96]byte
	var values [maxPlain]value.Value
	buf := space[:0]
	row := values[:0]
	for i, tests := range k.Branches[0].row {
		p, t := &k.Columns[i], tests[0]
		v, err := t.value(env)
		if err != nil {
			return false, err
		}
		if v.IsNull() {
			return true, nil // equals nothing
		}
		if err := p.warn(env, v); err != nil {
			return false, err
		}
		v, _, at := locate(&p.column.Type, v)
		if at != placeAt && at != placeAlone {
			return false, nil
		}
		if buf, err = p.Append(append(buf, p.lead...), v); err != nil {
			return false, &schema.KeyError{Table: k.table.Name, Column: p.column.Name, Cause: err}
		}
		row = append(row, v)
	}
	var in *schema.Partition
	if k.divide == nil {
		in = k.table.AllPartitions()[0]
	} else {
		var space [96]byte
		code, err := k.table.Partitions.AppendCode(space[:0], func(i int) value.Value { return row[k.divideFrom[i]] })
		if err != nil {
			return false, &schema.KeyError{Table: k.table.Name, Column: k.divide.column.Name, Cause: err}
		}
		if in = k.table.Partitions.Find(string(code)); in == nil {
			return true, nil
		}
	}
	partition := k.partitionTail
	if len(k.partitionKey) > 0 {
		var space [64]byte
		name := space[:0]
		for i := range k.partitionKey {
			p := &k.partitionKey[i]
			if name, err = p.Append(append(name, p.lead...), row[k.fromKey[i]]); err != nil {
				return false, &schema.KeyError{Table: k.table.Name, Column: p.column.Name, Cause: err}
			}
		}
		partition = string(k.layout.FinishPartition(name, 0))
	}
	if k.Whole && len(row) == len(k.Columns) {
		r.Points = append(r.Points, Key{Partition: in, PartitionKey: partition, RowKey: string(buf)})
		return true, nil
	}
	to := string(append(buf, schema.Behind...))
	r.Spans = append(r.Spans, Span{Partition: in, PartitionKey: partition, Span: keymap.Span{From: to[:len(buf)], To: to}})
	return true, nil
}

// setPartition sets the columns of the PartitionKey, and those that divide the table into partitions.
func (k *KeyPlan) setPartition() {
	from := func(column, prefix int) int {
		return slices.IndexFunc(k.Columns, func(p keyColumn) bool { return p.Column == column && p.Code.Prefix == prefix }) // a prefix is not the value
	}
	if ps := k.table.Partitions; ps != nil {
		k.divide = dividing(k.table)
		for _, c := range ps.Columns {
			k.divideFrom = append(k.divideFrom, from(c, 0))
		}
	}
	k.partitionKey, k.partitionTail = columnsOf(k.table, k.layout.Partition)
	k.single = []interval{{lo: k.partitionTail, point: true}}
	for i := range k.partitionKey {
		at := -1
		if !k.ranged() {
			at = from(k.partitionKey[i].Column, k.partitionKey[i].Code.Prefix)
		}
		k.fromKey = append(k.fromKey, at)
	}
}

// dividing is the first column that divides a table into partitions.
func dividing(t *schema.Table) *keyColumn {
	c := t.Partitions.Columns[0]
	return &keyColumn{Segment: &schema.Segment{Column: c, Form: schema.FormCode, Code: t.Partitions.Codes[0]}, column: t.Columns[c]}
}
