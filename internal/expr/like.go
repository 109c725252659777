package expr

import (
	"context"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// likePattern is a LIKE pattern made ready. % matches any text, _ one character (one octet of a BLOB).
type likePattern struct {
	collation value.Collation
	// pieces are the texts between the %s, if there is no _: the first and the last are anchored.
	pieces []string
	// tokens are the whole pattern, if there is a _, or if characters are not each represented by one.
	tokens []likeToken
}

// likeToken is one character of a pattern, or a wildcard.
type likeToken struct {
	r      rune
	folded string // its folded form, if that is not always one character
	kind   likeKind
}

type likeKind uint8

const (
	likeRune likeKind = iota
	likeOne           // _
	likeAny           // %
)

// newLikePattern reads a pattern. An escape character at the end stands for itself.
func newLikePattern(pattern string, escape rune, collation value.Collation) *likePattern {
	p := &likePattern{collation: collation, tokens: []likeToken{}}
	var piece strings.Builder
	one := !collation.ByCharacter()
	for i := 0; i < len(pattern); {
		r, n := utf8.DecodeRuneInString(pattern[i:])
		char := pattern[i : i+n]
		i += n
		if r == escape && escape != 0 && i < len(pattern) {
			r, n = utf8.DecodeRuneInString(pattern[i:])
			char = pattern[i : i+n]
			i += n
		} else if r == '%' {
			p.pieces = append(p.pieces, piece.String())
			piece.Reset()
			p.tokens = append(p.tokens, likeToken{kind: likeAny})
			continue
		} else if r == '_' {
			one = true
			p.tokens = append(p.tokens, likeToken{kind: likeOne})
			continue
		}
		folded := collation.FoldWhole(char)
		if collation.ByCharacter() {
			char = folded
			r, n = utf8.DecodeRuneInString(char)
		}
		piece.WriteString(char)
		if r == utf8.RuneError && n == 1 {
			r = -rune(char[0]) // an octet that is not a character matches only itself
		}
		p.tokens = append(p.tokens, likeToken{r: r, folded: folded})
	}
	p.pieces = append(p.pieces, piece.String())
	if one {
		p.pieces = nil
	} else {
		p.tokens = nil
	}
	return p
}

// match says whether s matches; octets is set for a BLOB, whose characters are octets and have no case.
func (p *likePattern) match(ctx context.Context, s string, octets bool) (bool, error) {
	if !octets && p.collation.ByCharacter() {
		s = p.collation.FoldWhole(s)
	}
	if p.tokens != nil {
		return p.matchTokens(ctx, s, octets)
	}
	return p.matchPieces(s), nil
}

func (p *likePattern) matchPieces(s string) bool {
	first, last := p.pieces[0], p.pieces[len(p.pieces)-1]
	if len(p.pieces) == 1 {
		return s == first
	}
	if len(s) < len(first)+len(last) || !strings.HasPrefix(s, first) || !strings.HasSuffix(s, last) {
		return false
	}
	s = s[len(first) : len(s)-len(last)]
	for _, piece := range p.pieces[1 : len(p.pieces)-1] {
		i := strings.Index(s, piece)
		if i < 0 {
			return false
		}
		s = s[i+len(piece):]
	}
	return true
}

// matchTokens backtracks only to the last % when a character does not match: earlier ones never need to match more.
func (p *likePattern) matchTokens(ctx context.Context, s string, octets bool) (bool, error) {
	t, i := 0, 0
	anyToken, anyAt, again := -1, 0, 0
	for i < len(s) {
		r, n := nextChar(s[i:], octets)
		if t < len(p.tokens) {
			switch k := p.tokens[t]; {
			case k.kind == likeAny:
				anyToken, anyAt = t, i
				t++
				continue
			case k.kind == likeOne:
				t++
				i += n
				continue
			case octets:
				// A character of the pattern is as many octets as it is long.
				if m := matchOctets(s[i:], k.r); m > 0 {
					t++
					i += m
					continue
				}
			case k.r == r || !p.collation.ByCharacter() && k.folded == p.collation.FoldWhole(s[i:i+n]):
				t++
				i += n
				continue
			}
		}
		if anyToken < 0 {
			return false, nil
		}
		if again += i - anyAt + 1; again > againPerLook {
			if again = 0; ctx.Err() != nil {
				return false, ctx.Err()
			}
		}
		_, n = nextChar(s[anyAt:], octets)
		anyAt += n
		t, i = anyToken+1, anyAt
	}
	for t < len(p.tokens) && p.tokens[t].kind == likeAny {
		t++
	}
	return t == len(p.tokens), nil
}

// againPerLook is how many octets matchTokens reads again between two checks of the context: a long text with a long pattern takes hours.
const againPerLook = 1 << 16

func nextChar(s string, octets bool) (rune, int) {
	if octets {
		return -rune(s[0]), 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return -rune(s[0]), 1
	}
	return r, n
}

func matchOctets(s string, r rune) int {
	if r < 0 {
		if s[0] == byte(-r) {
			return 1
		}
		return 0
	}
	var buf [utf8.UTFMax]byte
	n := utf8.EncodeRune(buf[:], r)
	if strings.HasPrefix(s, string(buf[:n])) {
		return n
	}
	return 0
}

// likeCache keeps the last pattern of one LIKE; if it is an argument, it is the same for each row.
type likeCache struct {
	last      atomic.Pointer[cachedLike]
	escape    rune
	collation value.Collation
}

type cachedLike struct {
	text    string
	pattern *likePattern
}

func (c *likeCache) get(text string) *likePattern {
	if l := c.last.Load(); l != nil && l.text == text {
		return l.pattern
	}
	l := &cachedLike{text, newLikePattern(text, c.escape, c.collation)}
	c.last.Store(l)
	return l.pattern
}

func compileLike(n *Like) condFunc {
	x, pattern, not := Compile(n.X), Compile(n.Pattern), n.Not
	holds := func(env *Env, p *likePattern, v value.Value) (truth, error) {
		ok, err := p.match(env.context(), textOf(v), v.Kind() == value.Bytes)
		return truthOf(ok != not), err
	}
	if c, ok := n.Pattern.(*Const); ok && !c.V.IsNull() {
		p := newLikePattern(value.Text(c.V), n.Escape, n.Collation)
		return func(env *Env) (truth, error) {
			v, err := x(env)
			if err != nil || v.IsNull() {
				return isUnknown, err
			}
			return holds(env, p, v)
		}
	}
	cache := &likeCache{escape: n.Escape, collation: n.Collation}
	return func(env *Env) (truth, error) {
		v, err := x(env)
		if err != nil || v.IsNull() {
			return isUnknown, err
		}
		p, err := pattern(env)
		if err != nil || p.IsNull() {
			return isUnknown, err
		}
		return holds(env, cache.get(textOf(p)), v)
	}
}

// textOf is value.Text, in line for text.
func textOf(v value.Value) string {
	if v.Kind() == value.String {
		return v.Text()
	}
	return value.Text(v)
}
