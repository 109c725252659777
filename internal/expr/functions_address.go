package expr

import (
	"encoding/binary"
	"net/netip"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/value"
)

// addressFunctions read and write IP addresses: as text, as a number, or as octets, 4 of IPv4 and 16 of IPv6.
func addressFunctions() []*Function {
	text := func(name, doc string, is func(s string) bool) *Function {
		return &Function{Name: name, Signature: name + "(text)", Family: "code", Doc: doc, Min: 1, Max: 1, strict: true, condition: true, null: anyNull, Type: toInt,
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				return truthValues[truthOf(is(value.Text(args[0])))], nil
			}}
	}
	octets := func(name, doc string, is func(a netip.Addr) bool) *Function {
		return &Function{Name: name, Signature: name + "(octets)", Family: "code", Doc: doc, Min: 1, Max: 1, strict: true, condition: true, null: anyNull, Type: toInt,
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				a, ok := netip.AddrFromSlice([]byte(value.Text(args[0])))
				return truthValues[truthOf(ok && a.Is6() && is(a))], nil
			}}
	}
	return []*Function{
		{Name: "INET_ATON", Signature: "INET_ATON(text)", Family: "code", Doc: "An IPv4 address as a number, 127.1 for 127.0.0.1 too; NULL if it is invalid.", Min: 1, Max: 1, strict: true,
			Type: fixed(unsignedType), Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				n, ok := addressNumber(value.Text(args[0]))
				return orNull(value.FromUint(n), ok), nil
			}},
		{Name: "INET_NTOA", Signature: "INET_NTOA(n)", Family: "code", Doc: "The IPv4 address of a number; NULL if it is too large.", Min: 1, Max: 1, strict: true, Type: toText,
			Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				n, err := value.ToInt(args[0])
				if err != nil || n < 0 || n > 0xFFFFFFFF {
					return value.NullValue, nil
				}
				var four [4]byte
				binary.BigEndian.PutUint32(four[:], uint32(n))
				return value.FromString(netip.AddrFrom4(four).String()), nil
			}},
		{Name: "INET6_ATON", Signature: "INET6_ATON(text)", Family: "code", Doc: "The 16 octets of an IPv6 address, the 4 of an IPv4 address; NULL if it is invalid.", Min: 1, Max: 1,
			strict: true, Type: fixed(binaryType), Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				a, err := netip.ParseAddr(value.Text(args[0]))
				if err != nil || a.Zone() != "" {
					return value.NullValue, nil
				}
				return value.FromBytes(string(a.AsSlice())), nil
			}},
		{Name: "INET6_NTOA", Signature: "INET6_NTOA(octets)", Family: "code", Doc: "The text of an address of 4 or 16 octets; NULL if they are invalid.", Min: 1, Max: 1, strict: true,
			Type: toText, Eval: func(_ *Env, args []value.Value) (value.Value, error) {
				a, ok := netip.AddrFromSlice([]byte(value.Text(args[0])))
				if !ok || args[0].Kind() != value.Bytes {
					return value.NullValue, nil
				}
				if isCompatible(a) {
					return value.FromString("::" + lastFour(a).String()), nil
				}
				return value.FromString(a.String()), nil
			}},
		text("IS_IPV4", "1 if the text is an IPv4 address, else 0.", func(s string) bool {
			a, err := netip.ParseAddr(s)
			return err == nil && a.Is4()
		}),
		text("IS_IPV6", "1 if the text is an IPv6 address, else 0.", func(s string) bool {
			a, err := netip.ParseAddr(s)
			return err == nil && a.Is6() && a.Zone() == ""
		}),
		octets("IS_IPV4_COMPAT", "1 if the octets of INET6_ATON are an IPv4 address written as ::1.2.3.4, else 0.", isCompatible),
		octets("IS_IPV4_MAPPED", "1 if the octets of INET6_ATON are an IPv4 address written as ::ffff:1.2.3.4, else 0.", netip.Addr.Is4In6),
	}
}

// isCompatible says whether a is ::1.2.3.4; ::1 and its like are not.
func isCompatible(a netip.Addr) bool {
	if !a.Is6() {
		return false
	}
	all := a.As16()
	return [12]byte(all[:12]) == [12]byte{} && (all[12] != 0 || all[13] != 0)
}

func lastFour(a netip.Addr) netip.Addr {
	all := a.As16()
	return netip.AddrFrom4([4]byte(all[12:]))
}

// addressNumber reads an IPv4 address. As in MySQL the last of fewer than four numbers is the last octet.
func addressNumber(s string) (n uint64, ok bool) {
	parts := strings.Split(s, ".")
	if len(parts) > 4 {
		return 0, false
	}
	for i, part := range parts {
		octet, err := strconv.ParseUint(part, 10, 8)
		if err != nil {
			return 0, false
		}
		if i == len(parts)-1 && i > 0 {
			n <<= 8 * (3 - i)
		}
		n = n<<8 | octet
	}
	return n, true
}
