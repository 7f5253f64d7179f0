package jsonrpc

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// An ID is the id of a request as its JSON token, byte for byte: `7`, `"7"`. Two ids are equal
// if their tokens are. Empty means that there is no id.
type ID string

// Null is the id of a response to a line whose id is unknown.
const Null ID = "null"

// Number returns the id n, for requests of Parley.
func Number(n int64) ID { return ID(strconv.FormatInt(n, 10)) }

// parseID returns the id in a value. Without Options.AnyID a number must be an integer without point
// and exponent.
func parseID(value jsontext.Value, o Options) (ID, bool) {
	switch value.Kind() {
	case jsontext.KindString:
		return ID(value), true
	case jsontext.KindNumber:
		return ID(value), o.AnyID || isInteger(value)
	case jsontext.KindNull:
		return Null, o.AnyID || o.NullID
	}
	return "", false
}

// isInteger reports whether a number has neither point nor exponent.
func isInteger(number jsontext.Value) bool {
	for _, c := range number {
		if (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}
