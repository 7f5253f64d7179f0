package pisces

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
)

// members is an object that can be changed.
type members struct {
	names  []string
	values map[string]jsontext.Value
}

// membersOf is an object as it can be changed.
func membersOf(obj wire.Object) *members {
	m := &members{names: obj.Names(), values: map[string]jsontext.Value{}}
	for _, name := range m.names {
		m.values[name], _ = obj.Get(name)
	}
	return m
}

// get is a member; nil if there is none.
func (m *members) get(name string) jsontext.Value { return m.values[name] }

// set changes a member, or adds it behind the others.
func (m *members) set(name string, value jsontext.Value) {
	if _, has := m.values[name]; !has {
		m.names = append(m.names, name)
	}
	m.values[name] = value
}

// drop takes a member away.
func (m *members) drop(name string) {
	delete(m.values, name)
	m.names = slices.DeleteFunc(m.names, func(n string) bool { return n == name })
}

// value is the object as JSON, a copy.
func (m *members) value() jsontext.Value {
	out := jsontext.Value{'{'}
	for i, name := range m.names {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(wire.AppendString(out, name), ':'), m.values[name]...)
	}
	return append(out, '}')
}

// objectsOf is the objects of an array.
func objectsOf(array jsontext.Value) []*members {
	var all []*members
	var elements []jsontext.Value
	if wire.DecodeValue(array, &elements, manners) != nil {
		return nil
	}
	for _, value := range elements {
		if obj, err := wire.OpenObject(value, manners); err == nil {
			all = append(all, membersOf(obj))
		}
	}
	return all
}
