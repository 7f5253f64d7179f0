package rawjson

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
)

// Members is an object that can be changed.
type Members struct {
	names  []string
	values map[string]jsontext.Value
}

// MembersOf returns an object as it can be changed.
func MembersOf(obj wire.Object) *Members {
	m := &Members{names: obj.Names(), values: map[string]jsontext.Value{}}
	for _, name := range m.names {
		m.values[name], _ = obj.Get(name)
	}
	return m
}

// Get returns a member; nil if there is none.
func (m *Members) Get(name string) jsontext.Value { return m.values[name] }

// Set changes a member, or adds it after the others.
func (m *Members) Set(name string, value jsontext.Value) {
	if _, has := m.values[name]; !has {
		m.names = append(m.names, name)
	}
	m.values[name] = value
}

// Drop takes a member away.
func (m *Members) Drop(name string) {
	delete(m.values, name)
	m.names = slices.DeleteFunc(m.names, func(n string) bool { return n == name })
}

// Value returns the object as JSON, a copy.
func (m *Members) Value() jsontext.Value {
	out := jsontext.Value{'{'}
	for i, name := range m.names {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(wire.AppendString(out, name), ':'), m.values[name]...)
	}
	return append(out, '}')
}

// Objects returns the objects of an array.
func Objects(array jsontext.Value) []*Members {
	var all []*Members
	var elements []jsontext.Value
	if wire.DecodeValue(array, &elements, Options) != nil {
		return nil
	}
	for _, value := range elements {
		if obj, err := wire.OpenObject(value, Options); err == nil {
			all = append(all, MembersOf(obj))
		}
	}
	return all
}
