package value

import (
	"math"
	"strconv"
	"strings"
)

// fitFloat writes a number in at most width characters, with as many of its digits as fit, as MySQL stores a DOUBLE in a text column: with an
// exponent if that leaves room for more digits. Not ok: the number does not fit, and the result is another number.
func fitFloat(f float64, width int) (text string, ok bool) {
	sign := ""
	if f < 0 {
		sign, width = "-", width-1
	}
	width = max(0, width)
	d := floatDigits(f, -1)
	if len(d.digits) > width {
		d = floatDigits(f, width)
	}
	if d.plainIsBetter(width) {
		text, ok = d.plain(f, width)
	} else {
		text, ok = d.scientific(f, width)
	}
	if text == "0" {
		return text, ok
	}
	return sign + text[:min(len(text), width)], ok
}

// shownDigits are the digits of a number, mostly without zeros at their end: 0.digits × 10^point.
type shownDigits struct {
	digits string
	point  int
}

// floatDigits gives n digits of a number, or all that distinguish it if n is negative. As in MySQL, an integer that is rounded down from the
// middle of two keeps its zeros.
func floatDigits(f float64, n int) shownDigits {
	if f == 0 {
		return shownDigits{"0", 1}
	}
	text := strconv.FormatFloat(math.Abs(f), 'e', max(-1, n-1), 64)
	mantissa, exponent, _ := strings.Cut(text, "e")
	e, _ := strconv.Atoi(exponent)
	digits := strings.Replace(mantissa, ".", "", 1)
	whole, _, _ := strings.Cut(strconv.FormatFloat(math.Abs(f), 'e', -1, 64), "e")
	middle := n > 0 && len(whole) == n+2 && whole[n+1] == '5' // digits, the point, and one more
	if shown, _ := strconv.ParseFloat(text, 64); middle && shown < math.Abs(f) && f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return shownDigits{digits, e + 1} // 1.0e6 of 1050000
	}
	return shownDigits{strings.TrimRight(digits, "0"), e + 1}
}

// exponentWidth is how many digits the exponent has.
func (d shownDigits) exponentWidth() int {
	switch {
	case d.point > 100 || d.point < -98:
		return 3
	case d.point > 10 || d.point < -8:
		return 2
	}
	return 1
}

// plainIsBetter says whether a number is written without an exponent: because all of its digits fit, or more than with one.
func (d shownDigits) plainIsBetter(width int) bool {
	const mostPlaces = 15
	size := d.point
	switch {
	case d.point <= 0:
		size = len(d.digits) - d.point + 2
	case d.point < len(d.digits):
		size = len(d.digits) + 1
	}
	mustScale := d.point <= 0 && width <= 2-d.point && width >= 3+d.exponentWidth()
	if size <= width {
		return (d.point <= mostPlaces || d.point < len(d.digits)) && d.point > -mostPlaces && !mustScale
	}
	return d.point <= width && (d.point >= -1 || d.point == -2 && (len(d.digits) > 1 || !mustScale)) && !mustScale
}

// plain writes a number without an exponent.
func (d shownDigits) plain(f float64, width int) (string, bool) {
	ok := true
	if d.point < len(d.digits) {
		width--
	}
	if d.point <= 0 {
		width -= 1 - d.point
	}
	if width < len(d.digits) {
		if ok = width >= d.point; !ok {
			width = d.point
		}
		text := strconv.FormatFloat(math.Abs(f), 'f', width-d.point, 64)
		if strings.Contains(text, ".") {
			text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		}
		return text, ok
	}
	return strconv.FormatFloat(math.Abs(f), 'f', max(0, len(d.digits)-d.point), 64), true
}

// scientific writes a number with an exponent.
func (d shownDigits) scientific(f float64, width int) (string, bool) {
	if d.point <= 0 {
		width-- // the sign of the exponent
	}
	width -= 1 + d.exponentWidth()
	if len(d.digits) > 1 {
		width-- // the point
	}
	ok := width > 0
	if width < len(d.digits) {
		d = floatDigits(f, max(1, width))
	}
	text := d.digits[:1]
	if len(d.digits) > 1 {
		text += "." + d.digits[1:]
	}
	return text + "e" + strconv.Itoa(d.point-1), ok
}
