package acptest

import (
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// closeObjects makes a schema refuse members that it does not define, wherever it defines any. The published schema leaves its
// objects open, but clients that decode strictly do not.
//
// An object is often put together of several schemas, each of which defines some of its members, so that none of them can refuse
// the others'. What is closed are the places where a value is: members, elements, values of maps.
func closeObjects(root *jsonschema.Schema) {
	eachSchema(root, func(s *jsonschema.Schema) {
		for _, member := range s.Properties {
			closeValue(root, member)
		}
		if s.Items != nil {
			closeValue(root, s.Items)
		}
		if s.AdditionalProperties != nil {
			closeValue(root, s.AdditionalProperties)
		}
	})
}

func closeValue(root, s *jsonschema.Schema) {
	if s.UnevaluatedProperties == nil && definesMembers(root, s, map[*jsonschema.Schema]bool{}) && !allowsAnything(root, s) {
		s.UnevaluatedProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
}

// definesMembers reports whether a schema, or one that applies to the same value, names members.
func definesMembers(root, s *jsonschema.Schema, seen map[*jsonschema.Schema]bool) bool {
	if s == nil || seen[s] {
		return false
	}
	seen[s] = true
	if len(s.Properties) > 0 {
		return true
	}
	same := [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf, {s.Then, definition(root, s.Ref)}}
	for _, list := range same {
		for _, other := range list {
			if definesMembers(root, other, seen) {
				return true
			}
		}
	}
	return false
}

// allowsAnything reports whether a value may be anything: one of the alternatives demands nothing.
func allowsAnything(root, s *jsonschema.Schema) bool {
	if d := definition(root, s.Ref); d != nil {
		return allowsAnything(root, d)
	}
	if len(s.AllOf) == 1 {
		return allowsAnything(root, s.AllOf[0])
	}
	return slices.ContainsFunc(s.AnyOf, func(one *jsonschema.Schema) bool {
		return reflect.ValueOf(*one).IsZero() || allowsAnything(root, one)
	})
}

// definition returns what a reference to a definition of root names; nil for "".
func definition(root *jsonschema.Schema, ref string) *jsonschema.Schema {
	const prefix = "#/$defs/"
	if len(ref) <= len(prefix) {
		return nil
	}
	return root.Defs[ref[len(prefix):]]
}

// eachSchema calls visit for a schema and every schema in it.
func eachSchema(s *jsonschema.Schema, visit func(*jsonschema.Schema)) {
	if s == nil {
		return
	}
	visit(s)
	for _, lists := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf, {s.Items, s.AdditionalProperties, s.Then}} {
		for _, one := range lists {
			eachSchema(one, visit)
		}
	}
	for _, members := range []map[string]*jsonschema.Schema{s.Defs, s.Properties} {
		for _, one := range members {
			eachSchema(one, visit)
		}
	}
}
