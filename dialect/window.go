package dialect

// Window is what follows OVER, or a name in WINDOW: OVER name, or ([name] [PARTITION BY …] [ORDER BY …] [frame]).
type Window struct {
	Name      string // of the window that it is, or extends; "": none
	Bare      bool   // OVER name, without parentheses
	Partition []Expr
	OrderBy   []Order
	Frame     *Frame // nil: MySQL's default
	Pos       Pos
}

// NamedWindow is one element of WINDOW.
type NamedWindow struct {
	Name   string
	Window *Window
	Pos    Pos
}

// FrameUnit is what the bounds of a frame count.
type FrameUnit uint8

const (
	FrameRows FrameUnit = iota
	FrameRange
	FrameGroups
)

// Frame is ROWS, RANGE or GROUPS BETWEEN Start AND End.
type Frame struct {
	Unit       FrameUnit
	Start, End FrameBound
}

// FrameBoundKind says what kind of place a frame begins or ends at.
type FrameBoundKind uint8

const (
	UnboundedPreceding FrameBoundKind = iota
	Preceding                         // FrameBound.X before the current row
	CurrentRow
	Following
	UnboundedFollowing
)

// FrameBound is one end of a frame. X is a number, a placeholder or an *Interval.
type FrameBound struct {
	Kind FrameBoundKind
	X    Expr
}

// over reads OVER and what may precede it, if the call that ends before token i is one of a window function, and returns the token after it.
func (p *parser) over(call, i int) int {
	at := i
	if p.isAt(at, "FROM", "FIRST") || p.isAt(at, "FROM", "LAST") {
		at += 2
	}
	if p.isAt(at, "RESPECT", "NULLS") || p.isAt(at, "IGNORE", "NULLS") {
		at += 2
	}
	if !p.isAt(at, "OVER") || p.toks[at+1].word != "(" && !p.toks[at+1].isName() {
		return i
	}
	for ; i < at; i += 2 {
		if p.isAt(i+1, "LAST") || p.isAt(i, "IGNORE") {
			p.unsupported(i, p.toks[i].word+" "+p.toks[i+1].word)
			return i
		}
	}
	if p.windows == nil {
		p.windows = map[int]*Window{}
	}
	w := &Window{Pos: Pos(p.toks[at].start)}
	p.windows[call] = w
	if at++; p.toks[at].word == "(" {
		p.window(w, at)
		return p.after(at)
	}
	w.Name, w.Bare = p.name(&p.toks[at]), true
	return at + 1
}

// window reads the definition of a window in the parentheses that open at token i.
func (p *parser) window(w *Window, i int) {
	lo, hi := i+1, int(p.toks[i].match)
	if t := &p.toks[lo]; lo < hi && t.isName() && t.word != "PARTITION" && frameUnits[t.word] == 0 {
		w.Name = p.name(t)
		lo++
	}
	if p.isAt(lo, "PARTITION") {
		if !p.isAt(lo+1, "BY") {
			p.fail(lo+1, "expected BY")
			return
		}
		end := p.until(lo, hi, "ORDER", "ROWS", "RANGE", "GROUPS")
		w.Partition = p.expressions(lo+2, end)
		lo = end
	}
	if p.isAt(lo, "ORDER") {
		end := p.until(lo, hi, "ROWS", "RANGE", "GROUPS")
		if limit := p.until(lo, end, "LIMIT", "OFFSET", "WINDOW", "INTO"); limit < end {
			p.unexpected(limit)
			return
		}
		w.OrderBy = p.selectBlock("SELECT 1", lo, end, inTail).OrderBy
		lo = end
	}
	if frameUnits[p.toks[lo].word] != 0 && lo < hi {
		w.Frame = p.frame(lo, hi)
		return
	}
	if lo < hi {
		p.unexpected(lo)
	}
}

// frameUnits are the words that begin a frame, each with its FrameUnit and one.
var frameUnits = map[string]FrameUnit{"ROWS": FrameRows + 1, "RANGE": FrameRange + 1, "GROUPS": FrameGroups + 1}

// frame reads the frame of the tokens lo to hi-1.
func (p *parser) frame(lo, hi int) *Frame {
	if i := p.until(lo, hi, "EXCLUDE"); i < hi {
		p.unsupported(i, "EXCLUDE in a frame")
		return nil
	}
	f := &Frame{Unit: frameUnits[p.toks[lo].word] - 1, End: FrameBound{Kind: CurrentRow}}
	if lo++; !p.isAt(lo, "BETWEEN") {
		f.Start = p.frameBound(lo, hi)
		return f
	}
	and := p.until(lo, hi, "AND")
	f.Start = p.frameBound(lo+1, and)
	if and == hi && p.err == nil {
		p.fail(hi, "expected AND and the end of the frame")
		return nil
	}
	f.End = p.frameBound(and+1, hi)
	return f
}

// frameBound reads one end of a frame, the tokens lo to hi-1.
func (p *parser) frameBound(lo, hi int) FrameBound {
	if p.isAt(lo, "CURRENT", "ROW") && lo+2 == hi {
		return FrameBound{Kind: CurrentRow}
	}
	b := FrameBound{Kind: Preceding}
	unbounded := UnboundedPreceding
	switch last := hi - 1; {
	case last > lo && p.isAt(last, "PRECEDING"):
	case last > lo && p.isAt(last, "FOLLOWING"):
		b.Kind, unbounded = Following, UnboundedFollowing
	default:
		p.fail(hi, "expected CURRENT ROW, PRECEDING or FOLLOWING")
		return b
	}
	if p.isAt(lo, "UNBOUNDED") && lo+2 == hi {
		return FrameBound{Kind: unbounded}
	}
	b.X = p.expression(lo, hi-1)
	return b
}

// windowClause reads WINDOW name AS (…), … at token i and returns the token behind it.
func (p *parser) windowClause(i int) (defs []NamedWindow, next int) {
	for p.err == nil {
		if i++; !p.toks[i].isName() {
			p.fail(i, "expected the name of a window")
			break
		}
		def := NamedWindow{Name: p.name(&p.toks[i]), Window: &Window{Pos: Pos(p.toks[i].start)}, Pos: Pos(p.toks[i].start)}
		if i++; !p.isAt(i, "AS", "(") {
			p.fail(i, "expected AS and a window in parentheses")
			break
		}
		p.window(def.Window, i+1)
		defs = append(defs, def)
		if i = p.after(i + 1); !p.isAt(i, ",") {
			break
		}
	}
	return defs, i
}
