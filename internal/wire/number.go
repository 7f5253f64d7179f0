package wire

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// outOfRange returns the error for a number that does not fit its field.
func outOfRange() error {
	return &FieldError{Problem: "number is out of range", Expected: "a number in range"}
}

func decodeFloat(value jsontext.Value, dst reflect.Value) error {
	if value.Kind() != jsontext.KindNumber {
		return typeError("a number")
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
		return typeError("a whole number")
	}
	digits, whole := wholeNumber(value)
	if !whole {
		return typeError("a whole number")
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

// wholeNumber returns the exact digits of a JSON number without fraction and exponent; whole is
// false if it has a fraction. For a number far too large for any integer it returns some number
// that is also too large.
func wholeNumber(value jsontext.Value) (digits string, whole bool) {
	text := string(value)
	if !bytes.ContainsAny(value, ".eE") && text != "-0" {
		return text, true
	}
	const maxZeros = 40 // more digits than any integer type has
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
	digits += strings.Repeat("0", min(length-len(digits), maxZeros))
	if negative {
		digits = "-" + digits
	}
	return digits, true
}

// splitExponent splits 12e3 into 12 and 3, with the exponent limited to a billion in both directions.
func splitExponent(text string) (mantissa string, exponent int) {
	const limit = 1e9
	i := strings.IndexAny(text, "eE")
	if i < 0 {
		return text, 0
	}
	exponent, _ = strconv.Atoi(text[i+1:]) // out of range: the nearest int
	return text[:i], max(-limit, min(exponent, limit))
}
