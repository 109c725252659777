package value

import "strings"

// charsets are MySQL's character sets. All text is UTF-8 here, which holds what each of them holds.
var charsets = map[string]bool{}

func init() {
	for _, name := range strings.Fields(`utf8mb4 utf8mb3 utf8 ascii latin1 ucs2 utf16 utf16le utf32 armscii8 big5 cp1250 cp1251 cp1256 cp1257 cp850 cp852
		cp866 cp932 dec8 eucjpms euckr gb18030 gb2312 gbk geostd8 greek hebrew hp8 keybcs2 koi8r koi8u latin2 latin5 latin7 macce macroman sjis swe7
		tis620 ujis`) {
		charsets[name] = true
	}
}

// IsCharset says whether MySQL has a character set of that name, which is in lower case.
func IsCharset(name string) bool { return charsets[name] }
