package expr

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

func codeFunctions() []*Function {
	return []*Function{
		{Name: "HEX", Signature: "HEX(x)", Family: "code", Doc: "The hexadecimal digits of an integer, or of a text's octets.", Min: 1, Max: 1, strict: true, null: anyNull,
			Type: toText, Eval: evalHex},
		{Name: "UNHEX", Signature: "UNHEX(text)", Family: "code", Doc: "The octets of hexadecimal digits; NULL if they are invalid.", Min: 1, Max: 1, strict: true,
			Type: fixed(binaryType), Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				s := value.Text(args[0])
				if len(s)%2 == 1 {
					s = "0" + s
				}
				octets, err := hex.DecodeString(s)
				if err != nil {
					return value.NullValue, nil
				}
				return value.FromBytes(string(octets)), nil
			}},
		{Name: "TO_BASE64", Signature: "TO_BASE64(text)", Family: "code", Doc: "Base 64, with a line break after each 76 characters.", Min: 1, Max: 1, strict: true,
			null: anyNull, Type: toText, Eval: evalToBase64},
		{Name: "FROM_BASE64", Signature: "FROM_BASE64(text)", Family: "code", Doc: "The octets of base 64; NULL if it is invalid.", Min: 1, Max: 1, strict: true,
			Type: fixed(binaryType), Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				s := strings.Join(strings.Fields(value.Text(args[0])), "")
				octets, err := base64.StdEncoding.DecodeString(s)
				if err != nil {
					return value.NullValue, nil
				}
				return value.FromBytes(string(octets)), nil
			}},
		{Name: "MD5", Signature: "MD5(text)", Family: "code", Doc: "The checksum as hexadecimal digits.", Min: 1, Max: 1, strict: true, null: anyNull, Type: toText,
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				sum := md5.Sum([]byte(value.Text(args[0])))
				return value.FromString(hex.EncodeToString(sum[:])), nil
			}},
		{Name: "SHA1", Signature: "SHA1(text)", Family: "code", aliases: []string{"SHA"}, Doc: "The checksum as hexadecimal digits.", Min: 1, Max: 1, strict: true, null: anyNull,
			Type: toText, Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				sum := sha1.Sum([]byte(value.Text(args[0])))
				return value.FromString(hex.EncodeToString(sum[:])), nil
			}},
		{Name: "SHA2", Signature: "SHA2(text, bits)", Family: "code", Doc: "The checksum as hexadecimal digits, of 224, 256 (also 0), 384 or 512 bits; NULL for others.", Min: 2, Max: 2,
			strict: true, Type: toText, Eval: evalSHA2},
		{Name: "UUID", Signature: "UUID()", Family: "code", Volatility: Volatile, Doc: "A new UUID, version 1 as MySQL's: in time order if swapped by UUID_TO_BIN(…, 1).", null: neverNull,
			Type: toText, Eval: func(*Env, []value.Value) (value.Value, error) {
				id, err := uuid.NewUUID()
				return value.FromString(id.String()), err
			}},
		{Name: "IS_UUID", Signature: "IS_UUID(text)", Family: "code", Doc: "1 if the text is a UUID, else 0.", Min: 1, Max: 1, strict: true, condition: true, null: anyNull, Type: toInt,
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				_, err := value.ParseUUID(value.Text(args[0]))
				return truthValues[truthOf(err == nil)], nil
			}},
		{Name: "UUID_TO_BIN", Signature: "UUID_TO_BIN(uuid[, swap])", Family: "code", Doc: "The 16 octets; with swap 1 the time's high part first.", Min: 1, Max: 2, strict: true,
			Type: fixed(binaryType), Eval: evalUUIDToBin},
		{Name: "BIN_TO_UUID", Signature: "BIN_TO_UUID(octets[, swap])", Family: "code", Doc: "The text of UUID_TO_BIN's octets.", Min: 1, Max: 2, strict: true,
			Type: toText, Eval: evalBinToUUID},
	}
}

func evalHex(_ *Env, args []value.Value) (value.Value, error) {
	switch args[0].Kind() {
	case value.Bool, value.Int, value.Uint, value.Decimal, value.Float:
		v, err := value.BitOr(args[0], value.FromInt(0))
		return value.FromString(strings.ToUpper(strconv.FormatUint(v.Uint(), 16))), err
	}
	s := value.Text(args[0])
	if len(s) > MaxText/2 {
		return value.NullValue, &TooLongError{"HEX"}
	}
	return value.FromString(strings.ToUpper(hex.EncodeToString([]byte(s)))), nil
}

func evalToBase64(_ *Env, args []value.Value) (value.Value, error) {
	const line = 76
	s := value.Text(args[0])
	if len(s) > MaxText/2 {
		return value.NullValue, &TooLongError{"TO_BASE64"}
	}
	code := base64.StdEncoding.EncodeToString([]byte(s))
	var b strings.Builder
	for len(code) > line {
		b.WriteString(code[:line])
		b.WriteByte('\n')
		code = code[line:]
	}
	b.WriteString(code)
	return value.FromString(b.String()), nil
}

func evalSHA2(_ *Env, args []value.Value) (value.Value, error) {
	bits, err := value.ToInt(args[1])
	if err != nil {
		return value.NullValue, err
	}
	data := []byte(value.Text(args[0]))
	var sum []byte
	switch bits {
	case 224:
		s := sha256.Sum224(data)
		sum = s[:]
	case 256, 0:
		s := sha256.Sum256(data)
		sum = s[:]
	case 384:
		s := sha512.Sum384(data)
		sum = s[:]
	case 512:
		s := sha512.Sum512(data)
		sum = s[:]
	default:
		return value.NullValue, nil
	}
	return value.FromString(hex.EncodeToString(sum)), nil
}

func swapsTime(args []value.Value) bool {
	return len(args) > 1 && truthOfValue(args[1]) == isTrue
}

func evalUUIDToBin(_ *Env, args []value.Value) (value.Value, error) {
	text := value.Text(args[0])
	v, err := value.ParseUUID(text)
	if err != nil {
		return value.NullValue, &ArgumentError{"UUID_TO_BIN", "'" + text + "' is not a UUID"}
	}
	id, err := uuid.Parse(v.Text())
	if err != nil {
		return value.NullValue, err
	}
	b := string(id[:])
	if swapsTime(args) {
		b = b[6:8] + b[4:6] + b[:4] + b[8:]
	}
	return value.FromBytes(b), nil
}

func evalBinToUUID(_ *Env, args []value.Value) (value.Value, error) {
	b := value.Text(args[0])
	if len(b) != 16 {
		return value.NullValue, &ArgumentError{"BIN_TO_UUID", "not 16 octets"}
	}
	if swapsTime(args) {
		b = b[4:8] + b[2:4] + b[:2] + b[8:]
	}
	id, err := uuid.FromBytes([]byte(b))
	return value.FromString(id.String()), err
}
