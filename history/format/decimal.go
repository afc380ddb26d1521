package format

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/txmc/txmc/history"
)

// Numbers as JSON and EDN write them. Equal numbers are one value, however they are
// written: 1, 1.0 and 10e-1.

// mostExponent bounds the exponent of a number, so that adding to it does not overflow.
const mostExponent = 1 << 30

// plainNumber reports whether a text is a number as JSON has it; leading zeros and a plus
// sign are allowed.
func plainNumber(s string) bool {
	_, _, _, ok := decimalParts(s)
	return ok
}

// decimalParts are the sign of a number, its digits without leading and trailing zeros, and
// the exponent: the number is 0.digits times ten to the exponent. Zero has no digits.
func decimalParts(s string) (negative bool, digits string, exponent int64, ok bool) {
	mantissa, power, _ := strings.Cut(strings.ToLower(s), "e")
	if len(mantissa) < len(s) {
		n, err := strconv.ParseInt(power, 10, 64)
		if err != nil || n > mostExponent || n < -mostExponent {
			return false, "", 0, false
		}
		exponent = n
	}
	if mantissa != "" && (mantissa[0] == '-' || mantissa[0] == '+') {
		negative, mantissa = mantissa[0] == '-', mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = whole + fraction
	if whole == "" || strings.Trim(digits, "0123456789") != "" {
		return false, "", 0, false
	}
	exponent += int64(len(whole))
	significant := strings.TrimLeft(digits, "0")
	exponent -= int64(len(digits) - len(significant))
	return negative, strings.TrimRight(significant, "0"), exponent, true
}

// decimalOf is a number as a value: a Number where it is a whole one of 64 bits, and
// otherwise a Literal in one form, such as -1.25e-2 for -0.0125.
func decimalOf(s string) (history.Value, error) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return number(n), nil
	}
	negative, digits, exponent, ok := decimalParts(s)
	switch {
	case !ok:
		return history.Value{}, fmt.Errorf("expected a number with a small exponent, got %q", clip([]byte(s)))
	case digits == "":
		return number(0), nil
	}
	sign := ""
	if negative {
		sign = "-"
	}
	if whole := int64(len(digits)); exponent >= whole && exponent <= 19 {
		if n, err := strconv.ParseInt(sign+digits+strings.Repeat("0", int(exponent-whole)), 10, 64); err == nil {
			return number(n), nil
		}
	}
	text := sign + digits[:1]
	if len(digits) > 1 {
		text += "." + digits[1:]
	}
	if exponent != 1 {
		text += "e" + strconv.FormatInt(exponent-1, 10)
	}
	return history.Value{Text: text, Kind: history.Literal}, nil
}
