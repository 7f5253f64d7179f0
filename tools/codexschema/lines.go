package main

import (
	"slices"
	"strings"
)

// lines returns the document as one line a method, member and enum value, sorted.
func (d *document) lines() []string {
	var all []string
	for _, side := range []string{"ClientRequest", "ServerRequest", "ServerNotification", "ClientNotification"} {
		for method := range d.calls(side) {
			line := side + " " + method
			if side == "ClientRequest" && slices.Contains(d.Experimental.Methods, method) {
				line += " experimental"
			}
			all = append(all, line)
		}
	}
	for name, def := range d.Defs {
		all = append(all, def.lines(name)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// lines returns the members and values of a definition, and of what stands in it.
func (s *schema) lines(path string) []string {
	var all []string
	for _, value := range s.Enum {
		all = append(all, path+" = "+value)
	}
	for name, member := range s.Properties {
		line := path + "." + name + " " + member.word()
		if slices.Contains(s.Required, name) {
			line += " required"
		}
		if slices.Contains(s.Null, name) {
			line += " null"
		}
		all = append(all, line)
	}
	s.within(path, func(below string, part *schema) { all = append(all, part.lines(below)...) })
	return all
}

// tag returns the value that identifies a variant of a union, after a colon; "" if it has none.
func (s *schema) tag() string {
	for _, name := range tags {
		if p := s.Properties[name]; p != nil && len(p.Enum) == 1 {
			return ":" + p.Enum[0]
		}
	}
	return ""
}

// word returns a type in one word.
func (s *schema) word() string {
	inner, null := s.nullable()
	word := "object"
	switch {
	case inner.Any:
		word = "any"
	case inner.Ref != "":
		word = inner.Ref[strings.LastIndexByte(inner.Ref, '/')+1:]
	case len(inner.AllOf) == 1:
		word = inner.AllOf[0].word()
	case inner.Items != nil:
		word = "[]" + inner.Items.word()
	case inner.Additional != nil:
		word = "{}" + inner.Additional.word()
	case len(inner.OneOf)+len(inner.AnyOf) > 0:
		word = "union"
	case len(inner.Type) > 0:
		word = strings.Join(slices.DeleteFunc(slices.Clone(inner.Type), func(t string) bool { return t == "null" }), "|")
	}
	if null {
		return word + "?"
	}
	return word
}

// drift returns the lines that only one of the two has, with - or + before them.
func drift(old, newer []string) []string {
	var all []string
	for _, line := range old {
		if _, found := slices.BinarySearch(newer, line); !found {
			all = append(all, "- "+line)
		}
	}
	for _, line := range newer {
		if _, found := slices.BinarySearch(old, line); !found {
			all = append(all, "+ "+line)
		}
	}
	return all
}
