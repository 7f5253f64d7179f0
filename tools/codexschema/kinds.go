package main

import "slices"

// A kind is the form that a definition has in Go.
type kind uint8

const (
	kindRaw    kind = iota // any value: jsontext.Value
	kindPlain              // what typeOf says: a string, a number, a list
	kindEnum               // a string type with constants
	kindStruct             // an object
	kindTagged             // one of several objects; a member determines which
	kindWord               // a word, or an object with one member that is named as one
)

// tags are the members that name the type of an object of a union.
var tags = []string{"type", "mode", "kind", "handlerType"}

// kindOf returns the form of a schema.
func kindOf(s *schema) kind {
	variants := slices.Concat(s.OneOf, s.AnyOf)
	switch {
	case len(s.words()) > 0:
		return kindEnum
	case len(s.OneOf) > 0 && s.tagMember() != "":
		return kindTagged
	case len(variants) > 0 && s.isWord():
		return kindWord
	case len(variants) > 0, s.Any:
		return kindRaw
	case len(s.Properties) > 0, s.is("object") && s.Additional == nil:
		return kindStruct
	}
	return kindPlain
}

// words returns the values of an enum, also if each is a variant of its own.
func (s *schema) words() []string {
	if s.is("string") {
		return s.Enum
	}
	var all []string
	for _, v := range s.OneOf {
		if !v.is("string") || len(v.Enum) == 0 {
			return nil
		}
		all = append(all, v.Enum...)
	}
	return all
}

// tagMember returns the member that each variant has with one value; "" if there is none.
func (s *schema) tagMember() string {
	for _, name := range tags {
		seen := map[string]bool{}
		for _, v := range s.OneOf {
			if p := v.Properties[name]; p != nil && len(p.Enum) == 1 {
				seen[p.Enum[0]] = true
			}
		}
		if len(seen) == len(s.OneOf) && len(seen) > 0 {
			return name
		}
	}
	return ""
}

// isWord reports whether each variant is words, or an object with one member.
func (s *schema) isWord() bool {
	objects := 0
	for _, v := range slices.Concat(s.OneOf, s.AnyOf) {
		switch {
		case v.is("string") && len(v.Enum) > 0:
		case v.is("object") && len(v.Properties) == 1 && len(v.Required) == 1:
			objects++
		case slices.Contains(v.Type, "string") && slices.Contains(v.Type, "object"): // whatever comes later
		default:
			return false
		}
	}
	return objects > 0
}
