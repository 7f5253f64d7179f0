package rawjson

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
)

// This file changes parts of JSON and leaves the rest as it was, numbers and order included.

// A Rewriter changes the texts of a JSON value.
type Rewriter struct {
	// Skips says of a value that nothing in it would change.
	Skips func(value jsontext.Value) bool
	// Change is what a text becomes, and whether that is something else. The name is that of
	// the member, "" in an array; data says that it is the data of a picture.
	Change func(name string, data bool, value jsontext.Value) (jsontext.Value, bool)
}

// Rewrite returns the value with its texts changed. Nothing of what was not changed is copied.
func (r Rewriter) Rewrite(value jsontext.Value) jsontext.Value {
	out, _ := r.at("", false, value)
	return out
}

func (r Rewriter) at(name string, data bool, value jsontext.Value) (jsontext.Value, bool) {
	if r.Skips(value) {
		return value, false
	}
	switch value.Kind() {
	case jsontext.KindString:
		return r.Change(name, data, value)
	case jsontext.KindBeginObject:
		return r.object(value)
	case jsontext.KindBeginArray:
		return r.array(value)
	}
	return value, false
}

func (r Rewriter) object(value jsontext.Value) (jsontext.Value, bool) {
	obj, err := wire.OpenObject(value, Options)
	if err != nil {
		return value, false
	}
	m, changed := MembersOf(obj), false
	isImage := Member(obj, "type") == "image"
	for _, name := range m.names {
		if v, c := r.at(name, isImage && name == "data", m.values[name]); c {
			m.values[name], changed = v, true
		}
	}
	if !changed {
		return value, false
	}
	return m.Value(), true
}

func (r Rewriter) array(value jsontext.Value) (jsontext.Value, bool) {
	var elements []jsontext.Value
	if wire.DecodeValue(value, &elements, Options) != nil {
		return value, false
	}
	out, changed := jsontext.Value{'['}, false
	for i, v := range elements {
		v, c := r.at("", false, v)
		changed = changed || c
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	if !changed {
		return value, false
	}
	return append(out, ']'), true
}
