package wire

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// outOfRange is the error about a number that its field has no room for.
func outOfRange() error {
	return &FieldError{Problem: "number is out of range", Expected: "a number in range"}
}

func decodeFloat(value jsontext.Value, dst reflect.Value) error {
	if value.Kind() != jsontext.KindNumber {
		return wrong("a number")
	}
	number, err := strconv.ParseFloat(string(value), dst.Type().Bits())
	if err != nil {
		return outOfRange()
	}
	dst.SetFloat(number)
	return nil
}

func decodeInteger(value jsontext.Value, dst reflect.Value) error {
	if value.Kind() != jsontext.KindNumber {
		return wrong("a whole number")
	}
	digits, whole := wholeNumber(value)
	if !whole {
		return wrong("a whole number")
	}
	bits := dst.Type().Bits()
	if dst.CanInt() {
		number, err := strconv.ParseInt(digits, 10, bits)
		if err != nil {
			return outOfRange()
		}
		dst.SetInt(number)
		return nil
	}
	number, err := strconv.ParseUint(digits, 10, bits)
	if err != nil {
		return outOfRange()
	}
	dst.SetUint(number)
	return nil
}

// wholeNumber writes a JSON number without fraction and exponent, exactly; whole is false
// if it has a fraction. A number far too large for any integer comes out as some number
// that is too large.
func wholeNumber(value jsontext.Value) (digits string, whole bool) {
	text := string(value)
	if !bytes.ContainsAny(value, ".eE") && text != "-0" {
		return text, true
	}
	const enough = 40 // digits: more than any integer type has
	mantissa, exponent := splitExponent(text)
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	before, after, _ := strings.Cut(mantissa, ".")
	digits = strings.TrimRight(before+after, "0")
	if strings.Trim(digits, "0") == "" {
		return "0", true
	}
	length := len(before) + exponent // of the digits before the point
	if len(digits) > length {
		return "", false
	}
	digits += strings.Repeat("0", min(length-len(digits), enough))
	if negative {
		digits = "-" + digits
	}
	return digits, true
}

// splitExponent splits 12e3 into 12 and 3, the exponent cut to a billion either way.
func splitExponent(text string) (mantissa string, exponent int) {
	const most = 1e9
	i := strings.IndexAny(text, "eE")
	if i < 0 {
		return text, 0
	}
	exponent, _ = strconv.Atoi(text[i+1:]) // out of range: the nearest int
	return text[:i], max(-most, min(exponent, most))
}
