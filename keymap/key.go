package keymap

import (
	"errors"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// RowPrefix is the name that the keys of rows begin with. No index is called that.
const RowPrefix = "PK"

// SinglePartition is the PartitionKey of a table that is not spread.
const SinglePartition = "00"

// Shape says what happened while values became codes.
type Shape struct {
	Cut  bool // a code stands for several values; see AppendValue
	Null bool // a value is NULL
}

// AppendTuple appends the codes of several values, the i-th as parts[i], joined by the separator.
// There may be more parts than values: then it is the beginning of a key.
func AppendTuple(dst []byte, vals []value.Value, parts []Part) (out []byte, shape Shape, err error) {
	if len(vals) > len(parts) {
		return dst, shape, errors.New("more values than key parts")
	}
	out = dst
	for i, v := range vals {
		if i > 0 {
			out = append(out, Separator)
		}
		var cut bool
		if out, cut, err = AppendValue(out, v, parts[i]); err != nil {
			return dst, shape, err
		}
		shape.Cut = shape.Cut || cut
		shape.Null = shape.Null || v.IsNull()
	}
	return out, shape, nil
}

// DecodeTuple reads the codes of one value for each part; rest is what follows them.
func DecodeTuple(dst []value.Value, src string, parts []Part) (vals []value.Value, rest string, err error) {
	vals = dst
	for _, p := range parts {
		var v value.Value
		if v, src, err = DecodeValue(src, p); err != nil {
			return dst, src, err
		}
		vals = append(vals, v)
	}
	return vals, src, nil
}

// AppendRowKey appends the key of a row: PK!id. id is what AppendTuple gave for the primary key.
func AppendRowKey(dst, id []byte) []byte {
	dst = append(dst, RowPrefix...)
	dst = append(dst, Separator)
	return append(dst, id...)
}

// AppendIndexKey appends the key of a row's copy for an index: NAME!codes!id. index is what
// IndexName gave.
func AppendIndexKey(dst []byte, index string, codes, id []byte) []byte {
	dst = append(dst, index...)
	dst = append(dst, Separator)
	dst = append(dst, codes...)
	dst = append(dst, Separator)
	return append(dst, id...)
}

// AppendUniqueKey appends the key of a row's copy for a unique index: NAME!codes, so that two rows
// with the same values meet in one key. Where a value is NULL the id follows, for NULLs are not
// equal to each other.
func AppendUniqueKey(dst []byte, index string, codes, id []byte, shape Shape) []byte {
	if shape.Null {
		return AppendIndexKey(dst, index, codes, id)
	}
	dst = append(dst, index...)
	dst = append(dst, Separator)
	return append(dst, codes...)
}

// Bucket is the PartitionKey for a row of a table in n hash partitions (1 to 65536): FNV-1a of 64
// bits over the octets of the codes, modulo n, as 4 hex digits. It is part of the format.
func Bucket(codes string, n int) string {
	const (
		offset = 0xcbf29ce484222325
		prime  = 0x100000001b3
	)
	h := uint64(offset)
	for i := range len(codes) {
		h ^= uint64(codes[i])
		h *= prime
	}
	return BucketName(int(h % uint64(max(n, 1))))
}

// BucketName is the PartitionKey of the i-th hash partition, from 0.
func BucketName(i int) string {
	return string([]byte{hexDigits[i>>12&15], hexDigits[i>>8&15], hexDigits[i>>4&15], hexDigits[i&15]})
}

// Buckets are the PartitionKeys of n hash partitions.
func Buckets(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = BucketName(i)
	}
	return keys
}
