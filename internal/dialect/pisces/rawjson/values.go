package rawjson

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
)

// Options are how the protocol reads objects.
var Options = wire.ObjectOptions{LastDuplicateWins: true, Open: true, NullIsAbsent: true}

// Null is the JSON null.
const Null = "null"

// Text returns a JSON string of a line which ParseObject has checked.
func Text(value jsontext.Value) (text string, isText bool) {
	return text, value.Kind() == jsontext.KindString && wire.DecodeValue(value, &text, Options) == nil
}

// Member returns a text of an object; "" if it is something else.
func Member(obj wire.Object, name string) string {
	value, _ := obj.Get(name)
	found, _ := Text(value)
	return found
}

// PlainText returns a JSON string, or "".
func PlainText(value jsontext.Value) string {
	var s string
	if value.Kind() != jsontext.KindString || json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
}

// IsTrue reports whether a value is true.
func IsTrue(value jsontext.Value) bool { return value.Kind() == jsontext.KindTrue }

// Number returns a JSON number, or 0.
func Number(value jsontext.Value) (n float64) {
	if value.Kind() == jsontext.KindNumber {
		_ = wire.DecodeValue(value, &n, Options) // 0 if it is too large
	}
	return n
}

// Quoted returns a text as JSON.
func Quoted(s string) jsontext.Value { return wire.AppendString(nil, s) }

// Marshal returns a value of the protocol as JSON. Such values are strings, numbers and JSON that
// was read: they can be written, unless the program has a defect.
func Marshal(value any) jsontext.Value {
	data, err := json.Marshal(value, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true), json.Deterministic(true))
	if err != nil {
		panic("pisces: a message cannot be written: " + err.Error())
	}
	return data
}

// Lenient is how we read what extensions say.
var Lenient = []json.Options{jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)}
