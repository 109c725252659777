package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"time"
)

// digest tells whether two tables have the same rows, in any order: it is their number and the sum of their digests.
type digest struct {
	rows int64
	sum  [4]uint64
}

func (d digest) String() string {
	return fmt.Sprintf("%s, digest %016x", plural(d.rows, "row"), d.sum[3])
}

// add adds a row.
func (d *digest) add(row []any) {
	h := sha256.New()
	var room [9]byte
	number := func(kind byte, n uint64) {
		room[0] = kind
		binary.BigEndian.PutUint64(room[1:], n)
		h.Write(room[:])
	}
	text := func(kind byte, s string) {
		number(kind, uint64(len(s)))
		h.Write([]byte(s))
	}
	for _, v := range row {
		switch v := v.(type) {
		case nil:
			number(0, 0)
		case int64:
			number(1, uint64(v))
		case uint64:
			number(2, v)
		case float64:
			number(3, math.Float64bits(v))
		case bool:
			number(4, uint64(boolOrder(v)))
		case string:
			text(5, v)
		case []byte:
			text(6, string(v))
		case time.Time:
			number(7, uint64(v.Unix()))
			number(8, uint64(v.Nanosecond()))
		default:
			text(9, fmt.Sprint(v))
		}
	}
	sum := h.Sum(nil)
	var carry uint64
	for i := range d.sum {
		d.sum[i], carry = bits.Add64(d.sum[i], binary.BigEndian.Uint64(sum[8*i:]), carry)
	}
	d.rows++
}

// digest reads a table, or the rows of a view.
func (d *database) digest(ctx context.Context, table string, names []string, t *task) (sum digest, err error) {
	err = d.each(ctx, table, names, t, func(_ []column, row []any) error {
		sum.add(row)
		return nil
	})
	return sum, err
}
