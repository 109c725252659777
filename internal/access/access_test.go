package access

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/expr"
	"github.com/nearlyfreedb/nearlyfree/internal/schema"
	"github.com/nearlyfreedb/nearlyfree/internal/value"
	"github.com/nearlyfreedb/nearlyfree/keymap"
)

// columnKinds are the types that the random tables have, with a maker of values. Few different values, so
// that conditions hold for some rows.
var columnKinds = []struct {
	name string
	t    value.Type
	make func(r *rand.Rand) value.Value
}{
	{"int", value.Type{Base: value.TypeInt}, func(r *rand.Rand) value.Value { return value.FromInt(r.Int64N(9) - 4) }},
	{"unsigned", value.Type{Base: value.TypeBigInt, Unsigned: true}, func(r *rand.Rand) value.Value {
		return value.FromUint([]uint64{0, 1, 2, 3, 1 << 63, 1<<64 - 1}[r.IntN(6)])
	}},
	{"text", value.Type{Base: value.TypeChar}, randomText},
	{"nocase", value.Type{Base: value.TypeChar, Collation: value.NoCase}, randomText},
	{"double", value.Type{Base: value.TypeDouble}, func(r *rand.Rand) value.Value { return value.FromFloat(float64(r.IntN(9)-4) / 2) }},
	{"decimal", value.Type{Base: value.TypeDecimal, Precision: 5, Scale: 1}, func(r *rand.Rand) value.Value {
		return decimal(fmt.Sprintf("%.1f", float64(r.IntN(41)-20)/10))
	}},
	{"bool", value.Type{Base: value.TypeBool}, func(r *rand.Rand) value.Value { return value.FromBool(r.IntN(2) == 1) }},
	{"time", value.Type{Base: value.TypeDateTime, Precision: 0}, func(r *rand.Rand) value.Value {
		return value.FromTicks(day0 + r.Int64N(3)*value.TicksPerDay + r.Int64N(3)*value.TicksPerSecond)
	}},
	{"date", value.Type{Base: value.TypeDate}, func(r *rand.Rand) value.Value {
		return value.FromDate(day0 + r.Int64N(4)*value.TicksPerDay)
	}},
	{"duration", value.Type{Base: value.TypeTime, Precision: -1}, func(r *rand.Rand) value.Value {
		return value.FromDuration((r.Int64N(7) - 3) * value.TicksPerSecond)
	}},
	{"uuid", value.Type{Base: value.TypeUUID}, func(r *rand.Rand) value.Value {
		return value.FromUUID(fmt.Sprintf("0000000%d-0000-4000-8000-00000000000a", r.IntN(4)))
	}},
	{"octets", value.Type{Base: value.TypeBinary}, func(r *rand.Rand) value.Value {
		return value.FromBytes([]string{"", "\x00", "a", "a\x00", "ab", "\xff"}[r.IntN(6)])
	}},
}

const day0 = 638_000_000_000_000_000 / value.TicksPerDay * value.TicksPerDay

func decimal(s string) value.Value {
	v, err := value.ParseDecimal(s)
	if err != nil {
		panic(err)
	}
	return v
}

var someTexts = []string{"", "a", "A", "ab", "aB", "abc", "a!", "a\"", "a~", "b", "é", "É", "𝄞", "0", "7", "7.0", "a%", "a_", "abcdefgh", "abcdefghi",
	"abcdefghijklmnop", "abcdefghijklmnoq", "abcdefghijklmnopqrstuvw", "1970-01-01"}

func randomText(r *rand.Rand) value.Value { return value.FromString(someTexts[r.IntN(len(someTexts))]) }

// oddValues are arguments of all kinds, many of which are of no use to a column.
func oddValue(r *rand.Rand) value.Value {
	switch r.IntN(14) {
	case 0:
		return value.NullValue
	case 1:
		return value.FromFloat([]float64{-1e300, -0.5, 0.5, 1.25, 7, 1e19, 1e300}[r.IntN(7)])
	case 2:
		return decimal([]string{"-0.05", "0.05", "1.5", "-99999999999999999999", "99999999999999999999", "2.00"}[r.IntN(6)])
	case 3:
		return value.FromString([]string{"1", "1.5", "-2", "x", "2x", "2022-09-29", "2022-09-30 00:00:01", "00:00:01", "-00:00:02",
			"00000001-0000-4000-8000-00000000000A", "1.0", "99999"}[r.IntN(12)])
	case 4:
		return value.FromInt([]int64{-1 << 63, 1<<63 - 1, -5, 7, 20220929}[r.IntN(5)])
	case 5:
		return value.FromUint(1<<64 - 1)
	}
	return columnKinds[r.IntN(len(columnKinds))].make(r)
}

// world is a random table with rows.
type world struct {
	table *schema.Table
	rows  [][]value.Value
	makes []func(*rand.Rand) value.Value
	args  []value.Value
	r     *rand.Rand
}

func newWorld(r *rand.Rand) *world {
	w := &world{r: r, table: &schema.Table{Name: "t"}}
	n := 3 + r.IntN(2)
	for i := range n {
		kind := columnKinds[r.IntN(len(columnKinds))]
		w.table.Columns = append(w.table.Columns, &schema.Column{Name: fmt.Sprintf("%c_%s", 'a'+i, kind.name), Type: kind.t, NotNull: r.IntN(3) == 0})
		w.makes = append(w.makes, kind.make)
	}
	parts := func(most int) []schema.KeyColumn {
		var out []schema.KeyColumn
		for _, c := range r.Perm(n)[:1+r.IntN(most)] {
			p := schema.KeyColumn{Column: c, Desc: r.IntN(3) == 0}
			if keymap.Cuttable(w.table.Columns[c].Type) {
				p.Cut = 12
			}
			out = append(out, p)
		}
		return out
	}
	w.table.Key = parts(3)
	for _, p := range w.table.Key {
		w.table.Columns[p.Column].NotNull = true
	}
	for i := range 1 + r.IntN(2) {
		ix := &schema.Index{Name: fmt.Sprintf("i%d", i), KeyName: fmt.Sprintf("i%d", i), Key: parts(2), Unique: r.IntN(3) == 0, Copy: schema.CopyKind(r.IntN(3))}
		if t := w.table.Columns[ix.Key[0].Column].Type; keymap.Cuttable(t) && !ix.Unique && r.IntN(3) == 0 {
			ix.Key[0].Prefix = 1 + r.IntN(2)
		}
		w.table.Indexes = append(w.table.Indexes, ix)
	}
	switch r.IntN(6) {
	case 2, 3:
		w.divide()
	case 0:
		w.table.Spread = &schema.Spread{Kind: schema.SpreadByKey, Columns: w.someOfKey(), Cut: 40}
	case 1:
		w.table.Spread = &schema.Spread{Kind: schema.SpreadByHash, Columns: w.someOfKey(), Cut: 40, Count: 3}
	}
	if err := w.table.Init(); err != nil {
		panic(err)
	}
	taken := map[string]bool{}
	for range 80 {
		row := make([]value.Value, n, n+1)
		for i := range row {
			if w.table.Columns[i].NotNull || r.IntN(5) > 0 {
				row[i] = w.makes[i](r)
			}
		}
		if _, err := w.table.PartitionOf(row); err != nil {
			continue
		}
		keys := w.uniqueKeys(row)
		if !slices.ContainsFunc(keys, func(k string) bool { return taken[k] }) {
			w.rows = append(w.rows, append(row, value.FromString("etag")))
			for _, k := range keys {
				taken[k] = true
			}
		}
	}
	return w
}

// someOfKey gives columns of the key, in any order.
func (w *world) someOfKey() []int {
	var out []int
	for _, i := range w.r.Perm(len(w.table.Key))[:1+w.r.IntN(len(w.table.Key))] {
		out = append(out, w.table.Key[i].Column)
	}
	return out
}

// divide divides the table into partitions by columns of its key.
func (w *world) divide() {
	ps := &schema.Partitions{Kind: schema.PartitionByRange}
	for _, p := range w.table.Key[:1+w.r.IntN(len(w.table.Key))] {
		ps.Columns = append(ps.Columns, p.Column)
		ps.Codes = append(ps.Codes, keymap.Part{Type: w.table.Columns[p.Column].Type})
	}
	var codes []string
	for range 6 {
		code, err := ps.AppendCode(nil, func(i int) value.Value { return w.makes[ps.Columns[i]](w.r) })
		if err != nil {
			panic(err)
		}
		codes = append(codes, string(code))
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	add := func(from, to string) *schema.Partition {
		part := &schema.Partition{Name: schema.Numbered("p", len(ps.List)), Spans: []keymap.Span{{From: from, To: to}}}
		ps.List = append(ps.List, part)
		return part
	}
	if w.r.IntN(3) == 0 {
		ps.Kind = schema.PartitionByList
		for _, code := range codes {
			if n := len(ps.List); n > 0 && w.r.IntN(2) == 0 {
				last := ps.List[w.r.IntN(n)]
				last.Spans = append(last.Spans, keymap.Span{From: code, To: code + schema.Behind})
			} else {
				add(code, code+schema.Behind)
			}
		}
	} else {
		from := ""
		for _, code := range codes {
			if from == "" && code == "" {
				continue
			}
			if w.r.IntN(5) > 0 { // else a gap
				add(from, code)
			}
			from = code
		}
		add(from, "")
	}
	w.table.Partitions = ps
}

// uniqueKeys are the keys that no two rows share.
func (w *world) uniqueKeys(row []value.Value) []string {
	text, err := w.table.AppendRowKey(nil, row)
	if err != nil {
		panic(err)
	}
	keys := []string{string(text)}
	for _, ix := range w.table.Indexes {
		if ix.Unique {
			if text, err = w.table.AppendIndexKey(nil, ix, row); err != nil {
				panic(err)
			}
			keys = append(keys, string(text))
		}
	}
	return keys
}

func (w *world) column(i int) expr.Node {
	c := w.table.Columns[i]
	return &expr.Column{Index: i, Name: c.Name, T: c.Type, Nullable: !c.NotNull}
}

// operand is what a column is compared with: often of its own kind, sometimes of any.
func (w *world) operand(column int) expr.Node {
	v := w.makes[column](w.r)
	if w.r.IntN(4) == 0 {
		v = oddValue(w.r)
	}
	if w.r.IntN(2) == 0 {
		return expr.NewConst(v)
	}
	w.args = append(w.args, v)
	return expr.NewParam(len(w.args) - 1)
}

func must(n expr.Node, err error) expr.Node {
	if err != nil {
		panic(err)
	}
	return n
}

// condition makes a condition that is no error.
func (w *world) condition(depth int) expr.Node {
	for {
		n, err := w.tryCondition(depth)
		var literal *expr.LiteralError
		if !errors.As(err, &literal) {
			return must(n, err)
		}
	}
}

func (w *world) tryCondition(depth int) (expr.Node, error) {
	r := w.r
	i := r.IntN(len(w.table.Columns))
	if depth > 0 && r.IntN(3) == 0 {
		return expr.NewLogic(expr.LogicOp(r.IntN(2)), w.condition(depth-1), w.condition(depth-1))
	}
	switch r.IntN(12) {
	case 0:
		return expr.NewIs(w.column(i), expr.IsNull, r.IntN(2) == 0)
	case 1:
		var list []expr.Node
		for range 1 + r.IntN(3) {
			list = append(list, w.operand(i))
		}
		return expr.NewIn(w.column(i), list, r.IntN(5) == 0)
	case 2:
		pattern := []string{"a%", "%", "ab", "a!%", "%b", "a_c", "A%", "abcdefghijklmn%", "é%", "𝄞%", "a\\%", "1%"}[r.IntN(12)]
		return expr.NewLike(w.column(i), expr.NewConst(value.FromString(pattern)), '\\', r.IntN(6) == 0)
	case 3:
		j := r.IntN(len(w.table.Columns))
		l := &expr.Tuple{List: []expr.Node{w.column(i), w.column(j)}}
		rt := &expr.Tuple{List: []expr.Node{w.operand(i), w.operand(j)}}
		op := []expr.CompareOp{expr.Lt, expr.Le, expr.Gt, expr.Ge, expr.Eq}[r.IntN(5)]
		return expr.NewCompare(op, l, rt)
	case 4:
		return expr.NewBetween(w.column(i), w.operand(i), w.operand(i), false)
	case 5, 6, 7:
		return expr.NewCompare(expr.Eq, w.column(i), w.operand(i))
	}
	op := []expr.CompareOp{expr.Lt, expr.Le, expr.Gt, expr.Ge, expr.Ne, expr.NullEq}[r.IntN(6)]
	if r.IntN(2) == 0 {
		return expr.NewCompare(op, w.operand(i), w.column(i))
	}
	return expr.NewCompare(op, w.column(i), w.operand(i))
}

func (w *world) request() Request {
	r := Request{Table: w.table, Total: w.table.RowWidth()}
	for range w.r.IntN(4) {
		r.Conds = append(r.Conds, expr.Conjuncts(w.condition(2))...)
	}
	for range w.r.IntN(3) {
		r.Order = append(r.Order, SortKey{Expr: w.column(w.r.IntN(len(w.table.Columns))), Desc: w.r.IntN(3) == 0})
	}
	if w.r.IntN(3) == 0 {
		r.Limit = expr.NewConst(value.FromInt(3))
	}
	if w.r.IntN(4) == 0 {
		r.Keys = w.choice()
	}
	return r
}

// choice is what a hint leaves: of the keys any, for finding and for sorting.
func (w *world) choice() *IndexChoice {
	some := func() keySet {
		s := keySet{some: w.r.IntN(2) == 0}
		for _, ix := range append([]*schema.Index{nil}, w.table.Indexes...) {
			switch w.r.IntN(3) {
			case 0:
				s.used = append(s.used, ix)
			case 1:
				s.ignored = append(s.ignored, ix)
			}
		}
		return s
	}
	return &IndexChoice{Find: some(), Sort: some(), ForceFind: w.r.IntN(2) == 0, ForceSort: w.r.IntN(2) == 0}
}

// holds evaluates a condition; comparisons that have no meaning (TIME with DATE) are errors.
func holds(n expr.Node, env *expr.Env) (bool, error) {
	if n == nil {
		return true, nil
	}
	return expr.CompileCond(n)(env)
}

func hasPoint(r *Reads, k Key) bool {
	if slices.Contains(r.Points, k) {
		return true
	}
	for _, s := range r.Spans {
		if s.Partition == k.Partition && (s.All || s.PartitionKey == k.PartitionKey) && s.From <= k.RowKey && k.RowKey < s.To {
			return true
		}
	}
	return false
}

// TestAccessAgainstBruteForce reads random tables by the path chosen for random conditions, and by every
// other path that there is, and compares what the keys find with what the conditions say.
func TestAccessAgainstBruteForce(t *testing.T) {
	worlds := 1000
	if testing.Short() {
		worlds = 300
	}
	access := map[Access]int{}
	for seed := range worlds {
		w := newWorld(rand.New(rand.NewPCG(uint64(seed), 7)))
		for range 8 {
			w.args = nil
			r := w.request()
			chosen, err := Choose(r)
			if err != nil {
				t.Fatal(err)
			}
			access[chosen.Scan.Access]++
			c := &Constrainer{Table: r.Table, Offset: r.Offset}
			forms := c.Conjuncts(r.Conds)
			paths := []Path{r.path(c, nil, forms)}
			for _, ix := range r.Table.Indexes {
				paths = append(paths, r.path(c, ix, forms))
			}
			for _, p := range paths {
				if p.Scan == nil {
					continue
				}
				if problem := w.check(&r, p); problem != "" {
					var conds []string
					for _, n := range r.Conds {
						conds = append(conds, expr.StringArgs(n, w.args))
					}
					var reads Reads
					err := p.Scan.Reads(&expr.Env{Args: w.args, Session: &expr.Session{}}, &reads)
					t.Fatalf("seed %d: %s\nwhere %s\n%s\nkey %+v partition %+v", seed, problem, strings.Join(conds, " AND "), fmt.Sprint(readsString(&reads), err), w.table.Key, w.table.Spread)
				}
			}
		}
	}
	if covers == 0 || rests == 0 {
		t.Errorf("%d scans of whole parts, %d rows beside them", covers, rests)
	}
	for a := PointRead; a <= TableScan; a++ {
		if access[a] == 0 {
			t.Errorf("no access %d among the paths", a)
		}
	}
}

// check says what is wrong with a path.
func (w *world) check(r *Request, p Path) string {
	var reads Reads
	var literal *expr.LiteralError // a text that is no date
	if err := p.Scan.Reads(&expr.Env{Args: w.args}, &reads); errors.As(err, &literal) {
		return ""
	} else if err != nil {
		return err.Error()
	}
	for i := 1; i < len(reads.Spans); i++ {
		if a, b := reads.Spans[i-1], reads.Spans[i]; a.Partition == b.Partition && (a.PartitionKey > b.PartitionKey || a.PartitionKey == b.PartitionKey && a.To > b.From) {
			return fmt.Sprintf("spans overlap: %v", reads.Spans)
		}
	}
	for i := 1; i < len(reads.Points); i++ {
		if reads.Points[i] == reads.Points[i-1] {
			return "a point is there twice"
		}
	}
	if problem := w.checkCover(p.Scan); problem != "" {
		return problem
	}
	type found struct {
		key Key
		row []value.Value
	}
	var in []found
	for _, row := range w.rows {
		key, cut := w.key(p.Scan, row)
		env := &expr.Env{Row: row, Args: w.args}
		all, failed := true, false
		for _, n := range r.Conds {
			ok, err := holds(n, env)
			all, failed = all && ok && err == nil, failed || err != nil
		}
		has := hasPoint(&reads, key)
		if all && !failed && !has {
			return fmt.Sprintf("row %v with key %v is not read: %v", row, key, reads)
		}
		if has && reads.Exact && !failed {
			if ok, err := holds(p.Scan.Recheck, env); err != nil || !ok {
				return fmt.Sprintf("row %v with key %v is read as exact, and is not: %v", row, key, reads)
			}
		}
		if all && !failed && p.Scan.Predicate != nil && !passes(p.Scan.Predicate, env) {
			return fmt.Sprintf("row %v is filtered away", row)
		}
		covered, err := holds(expr.Conjunction(append(expr.Conjuncts(p.Scan.Recheck)[:len(expr.Conjuncts(p.Scan.Recheck)):len(expr.Conjuncts(p.Scan.Recheck))], expr.Conjuncts(p.Scan.Residual)...)), env)
		if err == nil && !failed && covered != all {
			return "the conditions checked are not those wanted"
		}
		if all && has && !cut {
			in = append(in, found{key, row})
		}
	}
	if !p.Ordered || reads.Unordered {
		return ""
	}
	slices.SortStableFunc(in, func(a, b found) int {
		if order := p.Scan.PartitionOrder; order != 0 && a.key.Partition != b.key.Partition {
			return order * ComparePartitions(a.key.Partition, b.key.Partition)
		}
		return strings.Compare(a.key.RowKey, b.key.RowKey)
	})
	for i := 1; i < len(in); i++ {
		for _, k := range p.Scan.Order {
			f := expr.Compile(k.Expr)
			a, _ := f(&expr.Env{Row: in[i-1].row})
			b, _ := f(&expr.Env{Row: in[i].row})
			c := value.Order(a, b, k.Expr.Type().Collation)
			if k.Desc {
				c = -c
			}
			if c > 0 {
				return fmt.Sprintf("%v comes before %v", in[i-1].row, in[i].row)
			}
			if c < 0 {
				break
			}
		}
	}
	return ""
}

// checkCover says what is wrong with the partitions that a DELETE of these rows would empty.
func (w *world) checkCover(s *Scan) string {
	cover := NewCover(w.table, s.Offset, append(expr.Conjuncts(s.Recheck), expr.Conjuncts(s.Residual)...))
	if cover == nil {
		return ""
	}
	whole, rest, err := cover.Partitions(&expr.Env{Args: w.args})
	if err != nil || len(whole) == 0 {
		return ""
	}
	for _, row := range w.rows {
		env := &expr.Env{Row: row, Args: w.args}
		recheck, err1 := holds(s.Recheck, env)
		residual, err2 := holds(s.Residual, env)
		part, err := w.table.PartitionOf(row)
		if err != nil || err1 != nil || err2 != nil {
			continue
		}
		deleted, meant := slices.Contains(whole, part), recheck && residual
		if deleted && !meant || meant && !deleted && !rest {
			return fmt.Sprintf("row %v of part %s: deleted with it %v, by rows %v, by the conditions %v", row, part.Name, deleted, rest, meant)
		}
		if rest && meant && !deleted {
			rests++
		}
	}
	covers++
	return ""
}

// covers counts the scans whose rows were those of whole partitions, rests the rows in other partitions beside those.
var covers, rests int

// key is the key of the entity that a scan would find a row by; cut when a part of it is.
func (w *world) key(s *Scan, row []value.Value) (Key, bool) {
	partition, err := w.table.AppendPartitionKey(nil, row)
	if err != nil {
		panic(err)
	}
	var text []byte
	if s.Index == nil {
		text, err = w.table.AppendRowKey(nil, row)
	} else {
		text, err = w.table.AppendIndexKey(nil, s.Index, row)
	}
	if err != nil {
		panic(err)
	}
	cut := false
	for _, rest := keymap.SkipValue(string(text)); rest != ""; {
		var code string
		code, rest = keymap.SkipValue(rest)
		cut = cut || keymap.Stem(code) != code
	}
	part, err := w.table.PartitionOf(row)
	if err != nil {
		panic(err)
	}
	return Key{Partition: part, PartitionKey: string(partition), RowKey: string(text)}, cut
}

// passes evaluates a filter as a store would: comparisons with what is absent are false.
func passes(f *Predicate, env *expr.Env) bool {
	switch f.Op {
	case PredicateAnd:
		for _, k := range f.Kids {
			if !passes(k, env) {
				return false
			}
		}
		return true
	case PredicateOr:
		for _, k := range f.Kids {
			if passes(k, env) {
				return true
			}
		}
		return false
	}
	v, err := expr.Compile(f.Value)(env)
	column := env.Row[f.Column]
	if err != nil || v.IsNull() {
		return true // left out when it is sent
	}
	if column.IsNull() {
		return false
	}
	c, err := value.Compare(column, v, value.Binary)
	if err != nil {
		return true
	}
	switch f.Op {
	case PredicateEq:
		return c == 0
	case PredicateGt:
		return c > 0
	case PredicateGe:
		return c >= 0
	case PredicateLt:
		return c < 0
	}
	return c <= 0
}
