package jsonrpc

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// An ID is the id of a request as its JSON token, byte for byte: `7`, `"7"`. Two ids are the
// same if their tokens are. Empty means that there is none.
type ID string

// Null is the id of an answer to nobody in particular.
const Null ID = "null"

// Number is the id n, for requests of our own.
func Number(n int64) ID { return ID(strconv.FormatInt(n, 10)) }

// idOf is the id that a value spells. Numbers need to be written as whole numbers, with
// neither point nor exponent, unless any number will do.
func idOf(value jsontext.Value, o Options) (ID, bool) {
	switch value.Kind() {
	case jsontext.KindString:
		return ID(value), true
	case jsontext.KindNumber:
		return ID(value), o.AnyID || onlyDigits(value)
	case jsontext.KindNull:
		return Null, o.AnyID
	}
	return "", false
}

// onlyDigits tells 12 and -12 from 1.2 and 1e2.
func onlyDigits(number jsontext.Value) bool {
	for _, c := range number {
		if (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}
