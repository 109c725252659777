package engine

import (
	"errors"
	"strconv"
)

// CheckCommit says whether a commit can be sent: it checks every limit that needs no look at the store. The error's Op is the operation's index
// if a single operation is at fault.
func (l Limits) CheckCommit(c *Commit) error {
	if err := l.CheckTable(c.Table); err != nil {
		return err
	}
	if err := l.CheckKey("PartitionKey", c.PartitionKey); err != nil {
		return err
	}
	if len(c.Ops) == 0 {
		return Errorf(CodeBadInput, "a commit of no operations")
	}
	if len(c.Ops) > l.BatchOps {
		return Errorf(CodeTooLarge, "the commit has %d operations, but an entity group transaction has at most %d", len(c.Ops), l.BatchOps)
	}
	for i := range c.Ops {
		if err := l.checkOp(c, i); err != nil {
			return atOp(err, i)
		}
	}
	if i := repeated(len(c.Ops), func(i int) string { return c.Ops[i].Entity.RowKey }); i >= 0 {
		return atOp(Errorf(CodeBadInput, "entity %s is in one entity group transaction twice", quote(c.Ops[i].Entity.RowKey)), i)
	}
	if n := CommitBytes(c, l.BatchBytes); n > l.BatchBytes {
		return Errorf(CodeTooLarge, "the commit has %d operations and about %d bytes, but an entity group transaction has at most %d", len(c.Ops), n, l.BatchBytes)
	}
	return nil
}

func (l Limits) checkOp(c *Commit, i int) error {
	op := &c.Ops[i]
	e := &op.Entity
	if e.PartitionKey != c.PartitionKey {
		return Errorf(CodeBadInput, "entity of partition %s in a commit to partition %s", quote(e.PartitionKey), quote(c.PartitionKey))
	}
	if err := l.CheckKey("RowKey", e.RowKey); err != nil {
		return err
	}
	switch op.Kind {
	case Delete:
		return nil
	case Insert, Upsert:
		if op.IfMatch != "" {
			return Errorf(CodeBadInput, "an insert with an ETag to match")
		}
	case Replace, Merge:
	default:
		return Errorf(CodeBadInput, "unknown kind of operation %d", op.Kind)
	}
	// Many rows of one statement share their names: those are checked once.
	if i == 0 || !sameSlice(e.Names, c.Ops[i-1].Entity.Names) || c.Ops[i-1].Kind == Delete {
		if err := l.checkNames(e.Names); err != nil {
			return err
		}
	}
	return l.checkValues(e)
}

func sameSlice(a, b []string) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// What an operation and a property of a batch take besides their texts: headers and boundary; quotes, the type's annotation and the longest
// number. Keys count four times: once in the body, and once in the URL, where a character takes up to three.
const (
	opOverhead       = 640
	propertyOverhead = 48
)

// CommitBytes is an upper bound of a commit's size as the body of a request. It counts the escapes of texts exactly only if the quick bound,
// which assumes that every character is escaped, exceeds enough.
func CommitBytes(c *Commit, enough int) int {
	if n := commitBytes(c, worstBytes); n <= enough {
		return n
	}
	return commitBytes(c, jsonBytes)
}

func commitBytes(c *Commit, text func(string) int) int {
	n := 0
	for i := range c.Ops {
		op := &c.Ops[i]
		n += opOverhead + len(c.Table) + 4*text(c.PartitionKey) + 4*text(op.Entity.RowKey) + len(op.IfMatch)
		if op.Kind == Delete {
			continue
		}
		for j := range op.Entity.Values {
			v := &op.Entity.Values[j]
			if v.Type == Absent {
				continue
			}
			n += propertyOverhead + 2*text(op.Entity.Names[j])
			if v.Type == Binary {
				n += (len(v.S) + 2) / 3 * 4
			} else {
				n += text(v.S)
			}
		}
	}
	return n
}

// worstBytes bounds jsonBytes without looking at the text: \u0000 is six bytes for one.
func worstBytes(s string) int { return 6 * len(s) }

// jsonBytes is the length of s in an all-ASCII JSON text.
func jsonBytes(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case r > 0xffff:
			n += 12
		case r < 0x20 || r >= 0x7f || r == '<' || r == '>' || r == '&':
			n += 6
		case r == '"' || r == '\\':
			n += 2
		default:
			n++
		}
	}
	return n
}

// atOp says that the operation with index i is at fault.
func atOp(err error, i int) error {
	var e *Error
	if errors.As(err, &e) {
		e.Op = i
	}
	return err
}

// quote quotes a text for a message, shortened if it is long.
func quote(s string) string {
	const most = 64
	if len(s) > most {
		return strconv.QuoteToASCII(s[:most]) + "…"
	}
	return strconv.QuoteToASCII(s)
}
