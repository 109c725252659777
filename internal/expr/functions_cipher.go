package expr

import (
	"bytes"
	"compress/zlib"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"io"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// cipherFunctions encrypt and compress, in MySQL's formats.
func cipherFunctions() []*Function {
	return []*Function{
		{Name: "AES_ENCRYPT", Signature: "AES_ENCRYPT(text, key[, iv])", Family: "code", Volatility: Stable, Min: 2, Max: 3, strict: true, Type: fixed(binaryType),
			Doc:  "The text encrypted as @@block_encryption_mode says: aes-128-ecb unless set, also 192 and 256 bits, and cbc, which needs 16 octets of iv.",
			Eval: cipherFunction("AES_ENCRYPT", encrypt)},
		{Name: "AES_DECRYPT", Signature: "AES_DECRYPT(octets, key[, iv])", Family: "code", Volatility: Stable, Min: 2, Max: 3, strict: true, Type: fixed(binaryType),
			Doc:  "What AES_ENCRYPT encrypted; NULL with another key.",
			Eval: cipherFunction("AES_DECRYPT", decrypt)},
		{Name: "RANDOM_BYTES", Signature: "RANDOM_BYTES(n)", Family: "code", Volatility: Volatile, Min: 1, Max: 1, strict: true, Type: fixed(binaryType),
			Doc: "So many random octets, 1 to 1024, fit for keys.", Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				n, err := value.ToInt(args[0])
				if err != nil {
					return value.NullValue, err
				}
				if n < 1 || n > 1024 {
					return value.NullValue, &value.RangeError{Type: "length", Expr: "random_bytes"} // MySQL's words
				}
				octets := make([]byte, n)
				_, err = rand.Read(octets)
				return value.FromBytes(string(octets)), err
			}},
		{Name: "COMPRESS", Signature: "COMPRESS(text)", Family: "code", Min: 1, Max: 1, strict: true, null: anyNull, Type: fixed(binaryType),
			Doc: "The text compressed: 4 octets of its length, then zlib's format.", Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				return value.FromBytes(compress(value.Text(args[0]))), nil
			}},
		{Name: "UNCOMPRESS", Signature: "UNCOMPRESS(octets)", Family: "code", Min: 1, Max: 1, strict: true, Type: fixed(binaryType),
			Doc: "What COMPRESS compressed; NULL of anything else.", Eval: evalUncompress},
		{Name: "UNCOMPRESSED_LENGTH", Signature: "UNCOMPRESSED_LENGTH(octets)", Family: "code", Min: 1, Max: 1, strict: true, null: anyNull, Type: toInt,
			Doc: "The length of what COMPRESS compressed.", Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				n, _ := compressedLength(value.Text(args[0]))
				return value.FromInt(n), nil
			}},
	}
}

// aesModes are the ways in which blocks follow each other, with the octets of iv that they need.
var aesModes = map[string]int{"ecb": 0, "cbc": aes.BlockSize}

// IsEncryptionMode says whether AES_ENCRYPT supports this value of block_encryption_mode.
func IsEncryptionMode(mode string) bool {
	_, _, ok := encryptionMode(mode)
	return ok
}

// encryptionMode reads aes-KEYLEN-MODE: the octets of the key, and the mode.
func encryptionMode(s string) (key int, mode string, ok bool) {
	s = strings.ToLower(s)
	for bits, octets := range map[string]int{"aes-128-": 16, "aes-192-": 24, "aes-256-": 32} {
		if mode, is := strings.CutPrefix(s, bits); is {
			_, ok := aesModes[mode]
			return octets, mode, ok
		}
	}
	return 0, "", false
}

// cipherFunction gives work the block cipher and the iv (nil for ecb) that the arguments and the session select.
func cipherFunction(name string, work func(b cipher.Block, iv []byte, text string) (value.Value, error)) func(*Env, []value.Value) (value.Value, error) {
	return func(env *Env, args []value.Value) (value.Value, error) {
		setting := "aes-128-ecb"
		if system := env.session().System; system != nil {
			if v, ok := system("block_encryption_mode"); ok {
				setting = v.Text()
			}
		}
		octets, mode, ok := encryptionMode(setting)
		if !ok {
			return value.NullValue, &ArgumentError{name, "@@block_encryption_mode is " + setting}
		}
		var iv []byte
		if need := aesModes[mode]; need > 0 {
			if len(args) < 3 {
				return value.NullValue, &ArityError{name}
			}
			if iv = []byte(value.Text(args[2])); len(iv) < need {
				return value.NullValue, &ArgumentError{name, "the initialization vector is too short: 16 octets at least"}
			}
			iv = iv[:need]
		}
		block, err := aes.NewCipher(foldKey(value.Text(args[1]), octets))
		if err != nil {
			return value.NullValue, err
		}
		return work(block, iv, value.Text(args[0]))
	}
}

// foldKey is the key of this many octets that MySQL makes from a key of any length: excess octets are XORed over it.
func foldKey(key string, octets int) []byte {
	folded := make([]byte, octets)
	for i, c := range []byte(key) {
		folded[i%octets] ^= c
	}
	return folded
}

func encrypt(b cipher.Block, iv []byte, text string) (value.Value, error) {
	if len(text) > MaxText-aes.BlockSize {
		return value.NullValue, &TooLongError{"AES_ENCRYPT"}
	}
	pad := aes.BlockSize - len(text)%aes.BlockSize
	data := append([]byte(text), bytes.Repeat([]byte{byte(pad)}, pad)...)
	if iv != nil {
		cipher.NewCBCEncrypter(b, iv).CryptBlocks(data, data)
		return value.FromBytes(string(data)), nil
	}
	for at := 0; at < len(data); at += aes.BlockSize {
		b.Encrypt(data[at:], data[at:])
	}
	return value.FromBytes(string(data)), nil
}

func decrypt(b cipher.Block, iv []byte, text string) (value.Value, error) {
	if text == "" || len(text)%aes.BlockSize != 0 {
		return value.NullValue, nil
	}
	data := []byte(text)
	if iv != nil {
		cipher.NewCBCDecrypter(b, iv).CryptBlocks(data, data)
	} else {
		for at := 0; at < len(data); at += aes.BlockSize {
			b.Decrypt(data[at:], data[at:])
		}
	}
	pad := int(data[len(data)-1])
	if pad < 1 || pad > aes.BlockSize || !bytes.Equal(data[len(data)-pad:], bytes.Repeat([]byte{byte(pad)}, pad)) {
		return value.NullValue, nil
	}
	return value.FromBytes(string(data[:len(data)-pad])), nil
}

// compressedHead is the length of the prefix before zlib's output.
const compressedHead = 4

// compress is COMPRESS of a text. For an empty text it is empty; a final point protects a blank at the end from columns that cut it.
func compress(text string) string {
	if text == "" {
		return ""
	}
	var b bytes.Buffer
	b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(text))))
	w := zlib.NewWriter(&b)
	_, _ = io.WriteString(w, text) // a Buffer takes all
	_ = w.Close()
	if octets := b.Bytes(); octets[len(octets)-1] == ' ' {
		b.WriteByte('.')
	}
	return b.String()
}

// compressedLength is the length of the text that COMPRESS was given.
func compressedLength(octets string) (n int64, ok bool) {
	if len(octets) <= compressedHead {
		return 0, octets == ""
	}
	return int64(binary.LittleEndian.Uint32([]byte(octets)) & 0x3FFFFFFF), true
}

func evalUncompress(_ *Env, args []value.Value) (value.Value, error) {
	octets := value.Text(args[0])
	n, ok := compressedLength(octets)
	switch {
	case !ok:
		return value.NullValue, nil
	case n == 0:
		return value.FromBytes(""), nil
	case n > MaxText:
		return value.NullValue, nil // as for octets that COMPRESS did not make
	}
	r, err := zlib.NewReader(strings.NewReader(octets[compressedHead:]))
	if err != nil {
		return value.NullValue, nil
	}
	text, err := io.ReadAll(io.LimitReader(r, n+1))
	if err != nil || int64(len(text)) > n {
		return value.NullValue, nil
	}
	return value.FromBytes(string(text)), nil
}
