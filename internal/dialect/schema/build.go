package schema

import (
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Ref returns what the document defines under this name.
func Ref(name string) *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/$defs/" + name} }

// Refs is Ref of each.
func Refs(names ...string) []*jsonschema.Schema {
	all := make([]*jsonschema.Schema, len(names))
	for i, name := range names {
		all[i] = Ref(name)
	}
	return all
}

// AnyOf is any of these types.
func AnyOf(types ...Type) *jsonschema.Schema {
	if len(types) == 1 {
		return Ref(types[0].Name())
	}
	s := &jsonschema.Schema{}
	for _, t := range types {
		s.AnyOf = append(s.AnyOf, Ref(t.Name()))
	}
	return s
}

// Const is this value and no other.
func Const(value any) *jsonschema.Schema { return &jsonschema.Schema{Const: &value} }

// Enum returns one of these texts.
func Enum[S ~string](words ...S) *jsonschema.Schema {
	s := Kind("string")
	for _, word := range words {
		s.Enum = append(s.Enum, string(word))
	}
	return s
}

// Words returns the texts themselves.
func Words[S ~string](words ...S) []string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = string(word)
	}
	return all
}

// Kind is any value of a JSON type: string, integer, number, boolean, array or object.
func Kind(name string) *jsonschema.Schema { return &jsonschema.Schema{Type: name} }

// Anything is any value.
func Anything() *jsonschema.Schema { return &jsonschema.Schema{} }

// Nothing is no value.
func Nothing() *jsonschema.Schema { return &jsonschema.Schema{Not: Anything()} }

// List returns an array of these.
func List(items *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: items}
}

// Map returns an object whose members have any names, and these values.
func Map(values *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", AdditionalProperties: values}
}

// Object has these members, each a name and its schema; a name that ends in ? is optional.
func Object(members ...any) *jsonschema.Schema {
	s := Kind("object")
	for i := 0; i < len(members); i += 2 {
		Add(s, members[i].(string), members[i+1].(*jsonschema.Schema))
	}
	return s
}

// Add puts a member into an object, after the others; a name that ends in ? is optional.
func Add(object *jsonschema.Schema, name string, member *jsonschema.Schema) {
	name, optional := strings.CutSuffix(name, "?")
	add(object, name, optional, member)
}

func add(object *jsonschema.Schema, name string, optional bool, member *jsonschema.Schema) {
	if object.Properties == nil {
		object.Properties = map[string]*jsonschema.Schema{}
	}
	object.Properties[name] = member
	object.PropertyOrder = append(object.PropertyOrder, name)
	if !optional {
		object.Required = append(object.Required, name)
	}
}

// OrNull returns s, or null.
func OrNull(s *jsonschema.Schema) *jsonschema.Schema {
	if s.Type == "" || s.Enum != nil {
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{s, Kind("null")}}
	}
	nullable := *s
	nullable.Type, nullable.Types = "", []string{s.Type, "null"}
	return &nullable
}

// Each visits all that is within an object, however deep: members by their name, and the
// elements of lists by "". What is referred to is not within it.
func Each(object *jsonschema.Schema, visit func(member string, s *jsonschema.Schema)) {
	for name, member := range object.Properties {
		visit(name, member)
		Each(member, visit)
	}
	if object.Items != nil {
		visit("", object.Items)
		Each(object.Items, visit)
	}
}
