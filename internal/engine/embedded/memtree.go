package embedded

// treeWidth is the maximum number of keys of a node. A commit copies the nodes on its path that readers may still see, so small nodes make
// writes cheap, and large ones scans.
const treeWidth = 32

// tree is a sorted map whose nodes are shared by the moments of a store. Each node has an owner, and only its owner changes it in place; any
// other copies it. The zero tree is empty.
type tree[V any] struct {
	root *treeNode[V]
	size int
}

// treeNode is a leaf, which has values, or it has kids: then keys[i] is not above anything in kids[i], and above everything before it.
//
// Keys lie in memory of their own. To save a search from looking there, a node has the beginnings of its keys as numbers, from where they begin
// to differ. Values lie in the node itself, which saves a reader of one value a wait for memory; kids, which are few, do not.
type treeNode[V any] struct {
	owner  uint64
	n      int
	skip   int // leading octets that all keys which may ever lie here share
	kids   *[treeWidth]*treeNode[V]
	heads  [treeWidth]uint64
	values [treeWidth]*V
	keys   [treeWidth]string
}

// head gives the octets of a key from skip on as a number that sorts as they do, as far as it reaches.
func head(key string, skip int) (h uint64) {
	if len(key) >= skip+8 {
		k := key[skip : skip+8]
		return uint64(k[7]) | uint64(k[6])<<8 | uint64(k[5])<<16 | uint64(k[4])<<24 | uint64(k[3])<<32 | uint64(k[2])<<40 | uint64(k[1])<<48 | uint64(k[0])<<56
	}
	for i := skip; i < len(key); i++ {
		h |= uint64(key[i]) << (56 - 8*(i-skip))
	}
	return h
}

// common is how many leading octets all keys from ≤ k < to share; to "": there is no bound.
func common(from, to string) int {
	n := 0
	for n < len(from) && n < len(to) && from[n] == to[n] {
		n++
	}
	return n
}

// lower is the position of the first key in the node that is not below a key in the node's range.
func (n *treeNode[V]) lower(key string) int {
	i, _ := n.find(key)
	return i
}

// find is lower, and says whether the key is there. It looks into the memory of keys only if their heads are equal.
func (n *treeNode[V]) find(key string) (i int, there bool) {
	h := head(key, n.skip)
	low, high := 0, n.n
	for low < high {
		mid := int(uint(low+high) / 2)
		if at := n.heads[mid]; at < h || at == h && n.keys[mid] < key {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low, low < n.n && n.heads[low] == h && n.keys[low] == key
}

// kid is the position of the kid that a key belongs to.
func (n *treeNode[V]) kid(key string) int {
	i, there := n.find(key)
	if there {
		return i
	}
	return max(i-1, 0)
}

// Get finds the value of a key; nil if there is none.
func (t *tree[V]) Get(key string) *V {
	n := t.root
	if n == nil {
		return nil
	}
	for n.kids != nil {
		n = n.kids[n.kid(key)]
	}
	if i, there := n.find(key); there {
		return n.values[i]
	}
	return nil
}

// Len is the number of keys.
func (t *tree[V]) Len() int { return t.size }

// owned gives the node for an owner to change: the node itself, or a copy.
func (n *treeNode[V]) owned(owner uint64) *treeNode[V] {
	if n.owner == owner {
		return n
	}
	c := *n
	c.owner = owner
	if n.kids != nil {
		kids := *n.kids
		c.kids = &kids
	}
	return &c
}

// Set gives a key a value.
func (t *tree[V]) Set(owner uint64, key string, v *V) {
	if t.root == nil {
		t.root = &treeNode[V]{owner: owner}
	}
	t.root = t.root.owned(owner)
	n := t.root
	for n.kids != nil {
		i := n.kid(key)
		n.kids[i] = n.kids[i].owned(owner)
		n = n.kids[i]
	}
	i, there := n.find(key)
	if there {
		n.values[i] = v
		return
	}
	if n.n == treeWidth {
		n = t.divide(key)
		i = n.lower(key)
	}
	n.open(i, key)
	copy(n.values[i+1:], n.values[i:n.n-1])
	n.values[i] = v
	t.size++
}

// divide splits the full nodes on the way to a key, all of one owner, and gives the leaf, which then has room.
func (t *tree[V]) divide(key string) *treeNode[V] {
	if t.root.n == treeWidth {
		t.root = &treeNode[V]{owner: t.root.owner, n: 1, kids: &[treeWidth]*treeNode[V]{t.root}}
		t.root.split(0, "", "")
	}
	n, from, to := t.root, "", ""
	for n.kids != nil {
		i := n.kid(key)
		if n.kids[i].n == treeWidth {
			n.split(i, from, to)
			i = n.kid(key)
		}
		from, to = n.bounds(i, from, to)
		n = n.kids[i]
	}
	return n
}

// open makes room for a key at position i, and puts it there.
func (n *treeNode[V]) open(i int, key string) {
	copy(n.keys[i+1:], n.keys[i:n.n])
	copy(n.heads[i+1:], n.heads[i:n.n])
	n.keys[i], n.heads[i] = key, head(key, n.skip)
	n.n++
}

// bounds gives the bounds of the keys that may ever lie in kid i, given the bounds from and to of n.
func (n *treeNode[V]) bounds(i int, from, to string) (string, string) {
	if i > 0 {
		from = n.keys[i]
	}
	if i+1 < n.n {
		to = n.keys[i+1]
	}
	return from, to
}

// split divides kid i of a node that has room for another one.
func (n *treeNode[V]) split(i int, from, to string) {
	left, right := n.kids[i].owned(n.owner), &treeNode[V]{owner: n.owner}
	const half = treeWidth / 2
	right.take(left, half, treeWidth)
	left.drop(half, treeWidth)
	n.open(i+1, right.keys[0])
	copy(n.kids[i+2:], n.kids[i+1:n.n-1])
	n.kids[i], n.kids[i+1] = left, right
	left.begin(n.bounds(i, from, to))
	right.begin(n.bounds(i+1, from, to))
}

// take appends keys of another node, with what belongs to them.
func (n *treeNode[V]) take(of *treeNode[V], from, to int) {
	copy(n.keys[n.n:], of.keys[from:to])
	if of.kids != nil {
		if n.kids == nil {
			n.kids = new([treeWidth]*treeNode[V])
		}
		copy(n.kids[n.n:], of.kids[from:to])
	} else {
		copy(n.values[n.n:], of.values[from:to])
	}
	n.n += to - from
}

// drop removes keys, with what belongs to them.
func (n *treeNode[V]) drop(from, to int) {
	kept := from + n.n - to
	copy(n.keys[from:], n.keys[to:n.n])
	copy(n.heads[from:], n.heads[to:n.n])
	clear(n.keys[kept:n.n])
	if n.kids != nil {
		copy(n.kids[from:], n.kids[to:n.n])
		clear(n.kids[kept:n.n])
	} else {
		copy(n.values[from:], n.values[to:n.n])
		clear(n.values[kept:n.n])
	}
	n.n = kept
}

// begin sets the bounds of the keys that may ever lie in the node.
func (n *treeNode[V]) begin(from, to string) {
	n.skip = common(from, to)
	for i := range n.n {
		n.heads[i] = head(n.keys[i], n.skip)
	}
}

// Delete removes a key.
func (t *tree[V]) Delete(owner uint64, key string) {
	if t.Get(key) == nil {
		return
	}
	t.root = t.root.owned(owner)
	t.root.remove(key, "", "")
	for t.root.kids != nil && t.root.n == 1 {
		t.root = t.root.kids[0]
	}
	if t.size--; t.size == 0 {
		t.root = nil
	}
}

// remove removes a key that exists. A kid left with few keys is joined to its neighbour, if one node has room for both.
func (n *treeNode[V]) remove(key, from, to string) {
	if n.kids == nil {
		i := n.lower(key)
		n.drop(i, i+1)
		return
	}
	i := n.kid(key)
	kid := n.kids[i].owned(n.owner)
	n.kids[i] = kid
	lower, upper := n.bounds(i, from, to)
	kid.remove(key, lower, upper)
	if kid.n >= treeWidth/4 || n.n == 1 {
		return
	}
	if i+1 == n.n {
		i--
	}
	if n.kids[i].n+n.kids[i+1].n > treeWidth {
		return
	}
	left, right := n.kids[i].owned(n.owner), n.kids[i+1]
	left.take(right, 0, right.n)
	n.kids[i] = left
	n.drop(i+1, i+2)
	left.begin(n.bounds(i, from, to))
}

// treeWalk walks a tree in the order of its keys. The zero treeWalk is at the end of one.
type treeWalk[V any] struct {
	leaf  *treeNode[V] // nil at the end
	at    int          // in leaf
	above []treeStep[V]
	room  [6]treeStep[V]

	root, first *treeNode[V] // the leaf where it began
	end         *treeStep[V] // where the range of Take ends; nil until the walk reaches a second leaf
}

// treeStep is a walk's position in a node above its leaf.
type treeStep[V any] struct {
	node *treeNode[V]
	at   int
}

// Seek begins at the first key that is not below from.
func (w *treeWalk[V]) Seek(t *tree[V], from string) {
	w.leaf, w.above = nil, w.room[:0]
	if t != nil {
		w.seek(t.root, from)
	}
	w.first = w.leaf
}

func (w *treeWalk[V]) seek(root *treeNode[V], from string) {
	w.root = root
	if root == nil {
		return
	}
	n := root
	for n.kids != nil {
		i := n.kid(from)
		w.above = append(w.above, treeStep[V]{n, i})
		n = n.kids[i]
	}
	w.leaf, w.at = n, n.lower(from)
	w.settle()
}

// settle goes on to the next leaf if this one has no more keys.
func (w *treeWalk[V]) settle() {
	for w.leaf != nil && w.at >= w.leaf.n {
		w.leaf, w.at = w.nextLeaf(), 0
	}
}

func (w *treeWalk[V]) nextLeaf() *treeNode[V] {
	for len(w.above) > 0 {
		s := &w.above[len(w.above)-1]
		if s.at++; s.at == s.node.n {
			w.above = w.above[:len(w.above)-1]
			continue
		}
		n := s.node.kids[s.at]
		for n.kids != nil {
			w.above = append(w.above, treeStep[V]{n, 0})
			n = n.kids[0]
		}
		return n
	}
	return nil
}

// More says whether there is a key here.
func (w *treeWalk[V]) More() bool { return w.leaf != nil }

// Key is the key here.
func (w *treeWalk[V]) Key() string { return w.leaf.keys[w.at] }

// Value is the value here.
func (w *treeWalk[V]) Value() *V { return w.leaf.values[w.at] }

// Skip goes on by n keys, all within this leaf.
func (w *treeWalk[V]) Skip(n int) {
	w.at += n
	w.settle()
}

// Take gives the keys from here on that are below to ("": all), with their values: those that lie together, and at most so many. It moves on
// past them.
func (w *treeWalk[V]) Take(to string, most int) (keys []string, values []*V) {
	n, from := w.leaf, w.at
	end := min(n.n, from+most)
	switch {
	case to == "":
	case n != w.first && most > treeWidth: // there are many: looking at keys of each leaf is not worth it
		if w.end == nil {
			var at treeWalk[V]
			at.above = at.room[:0]
			at.seek(w.root, to)
			w.end = &treeStep[V]{at.leaf, at.at}
		}
		if n == w.end.node {
			end = min(end, w.end.at)
		}
	case n.keys[end-1] < to:
	case n.keys[from] < to:
		end = n.lower(to)
	default: // to may be outside the bounds of this leaf
		end = from
	}
	w.Skip(end - from)
	return n.keys[from:end], n.values[from:end]
}
