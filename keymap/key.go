package keymap

// RowPrefix is the name that the keys of rows begin with. No index has this name.
const RowPrefix = "PK"

// SinglePartition is the PartitionKey of a table that is not spread.
const SinglePartition = "00"

// Bucket is the PartitionKey for a row of a table in n hash partitions (1 to 65536): FNV-1a of 64 bits over the octets of the codes, modulo n,
// as 4 hex digits. It is part of the format.
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
