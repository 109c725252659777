package mariadb

import "strings"

// node is a piece of a statement, with the pieces inside it. So a statement that two sides disagree about can be made smaller.
type node struct {
	words    []string // what stands before, between and behind the kids
	kids     []*node
	list     bool // kids can be left out, all but one
	optional bool // the node can be left out
	frame    bool // its place takes no other piece
	together bool // a row: kids are left out of all rows, or of none
	column   string
}

// say makes a node of a text in which each # stands for a kid.
func say(format string, kids ...*node) *node {
	return &node{words: strings.Split(format, "#"), kids: kids}
}

// leaf makes a node of a text as it is.
func leaf(text string) *node { return &node{words: []string{text}} }

// listOf joins pieces by commas. Each can be left out.
func listOf(kids ...*node) *node {
	n := &node{kids: kids, list: true, frame: true}
	n.separate()
	return n
}

// tuple is a row of pieces.
func tuple(kids []*node) *node {
	n := listOf(kids...)
	n.list, n.together = false, true
	n.words[0], n.words[len(kids)] = "(", ")"
	return n
}

func (n *node) separate() {
	n.words = []string{""}
	for range len(n.kids) - 1 {
		n.words = append(n.words, ", ")
	}
	n.words = append(n.words, "")
}

// framed says that nothing else can take the place of n.
func (n *node) framed() *node {
	n.frame = true
	return n
}

// perhaps says that n can be left out.
func (n *node) perhaps() *node {
	n.frame, n.optional = true, true
	return n
}

func (n *node) text() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	for i, w := range n.words {
		b.WriteString(w)
		if i < len(n.kids) {
			n.kids[i].write(b)
		}
	}
}

func (n *node) walk(visit func(*node)) {
	visit(n)
	for _, k := range n.kids {
		k.walk(visit)
	}
}

// simple are the constants that a piece is replaced by.
var simple = []string{"NULL", "1", "'a'", "2.5", "'1'", "-1", "DATE'2024-01-31'"}

// reduction bounds the tries that one disagreement takes.
const reduction = 400

// reduce makes the statement as small as it can be while keep says that it still shows what it shows. The values of
// columns, as literals, take the columns' places.
func reduce(root *node, columns map[string][]string, keep func() bool) {
	tries := 0
	try := func(n *node, with node) bool {
		old := *n
		if tries++; tries > reduction {
			return false
		}
		*n = with
		if keep() {
			return true
		}
		*n = old
		return false
	}
	for again := true; again; {
		again = false
		var all []*node
		root.walk(func(n *node) { all = append(all, n) })
		for _, n := range all {
			for _, with := range n.smaller(columns) {
				if try(n, with) {
					again = true
					break
				}
			}
			if again {
				break
			}
		}
	}
}

// smaller are the pieces that may take the place of n.
func (n *node) smaller(columns map[string][]string) []node {
	var all []node
	if n.optional && (len(n.kids) > 0 || n.words[0] != "") {
		all = append(all, node{words: []string{""}, frame: true})
	}
	if n.list && len(n.kids) > 1 {
		for i := range n.kids {
			fewer := node{list: true, frame: true}
			fewer.kids = append(append(fewer.kids, n.kids[:i]...), n.kids[i+1:]...)
			fewer.separate()
			all = append(all, fewer)
		}
	}
	if n.frame {
		return all
	}
	for _, s := range simple {
		if len(n.kids) == 0 && s == n.words[0] {
			break
		}
		all = append(all, *leaf(s))
	}
	for _, k := range n.kids {
		if !k.frame {
			all = append(all, *k)
		}
	}
	for _, v := range columns[n.column] {
		all = append(all, *leaf(v))
	}
	return all
}
