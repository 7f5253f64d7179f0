package pisces

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
)

// manners is how this protocol reads objects.
var manners = wire.ObjectOptions{LastDuplicateWins: true, Open: true, NullIsAbsent: true}

// null is the JSON null.
const null = "null"

// text is a JSON string of a line which ParseObject has checked.
func text(value jsontext.Value) (text string, isText bool) {
	return text, value.Kind() == jsontext.KindString && wire.DecodeValue(value, &text, manners) == nil
}

// member is a text of an object; "" if it is something else.
func member(obj wire.Object, name string) string {
	value, _ := obj.Get(name)
	found, _ := text(value)
	return found
}

// plainText is a JSON string, or "".
func plainText(value jsontext.Value) string {
	var s string
	if value.Kind() != jsontext.KindString || json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
}

// isTrue says whether a value is true.
func isTrue(value jsontext.Value) bool { return value.Kind() == jsontext.KindTrue }

// number is a JSON number, or 0.
func number(value jsontext.Value) (n float64) {
	if value.Kind() == jsontext.KindNumber {
		_ = wire.DecodeValue(value, &n, manners) // 0 if it is too large
	}
	return n
}

// quoted is a text as JSON.
func quoted(s string) jsontext.Value { return wire.AppendString(nil, s) }

// marshal is a value of the protocol as JSON. Such values are strings, numbers and JSON that
// was read: they can be written, unless the program has a defect.
func marshal(value any) jsontext.Value {
	data, err := json.Marshal(value, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true), json.Deterministic(true))
	if err != nil {
		panic("pisces: a message cannot be written: " + err.Error())
	}
	return data
}
