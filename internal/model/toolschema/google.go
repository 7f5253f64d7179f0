package toolschema

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// googleKeywords are those of the subset of OpenAPI that Gemini takes (Gemini API, "Schema").
var googleKeywords = []string{
	"type", "format", "title", "description", "nullable", "default", "enum", "items", "minItems", "maxItems", "properties", "required",
	"minProperties", "maxProperties", "minimum", "maximum", "minLength", "maxLength", "pattern", "anyOf",
}

// googleFormats are the formats that it takes.
var googleFormats = []string{"int32", "int64", "float", "double", "enum", "date-time"}

// google returns n in the keywords that Gemini takes, with what it refers to in its place. refs are
// the references that led to n: a schema that contains itself ends in an object.
func (f *fitter) google(n *node, refs []string) *node {
	f.nodes++
	if !n.isObject() || f.nodes > maxNodes || len(refs) > maxDepth {
		return object()
	}
	n = object(slices.Clone(n.members)...)
	if ref := n.get("$ref"); ref != nil {
		n.remove("$ref")
		target := f.resolve(ref)
		if slices.Contains(refs, ref.text()) || !target.isObject() {
			n.add("type", text("object"))
		} else {
			refs = append(slices.Clone(refs), ref.text())
			for _, m := range target.members {
				n.add(m.name, m.value)
			}
			if n.get("$ref") != nil {
				return f.google(n, refs)
			}
		}
	} else {
		refs = append(slices.Clone(refs), "") // bounds the depth
	}
	f.googleChoice(n)
	googleValues(n)
	out := object()
	for _, m := range n.members {
		if slices.Contains(googleKeywords, m.name) {
			out.set(m.name, f.googleMember(m, refs))
		}
	}
	googleRequired(out)
	if hasType(out, "array") && out.get("items") == nil {
		out.set("items", object(member{"type", text("string")}))
	}
	return out
}

func (f *fitter) googleMember(m member, refs []string) *node {
	switch {
	case m.name == "items":
		return f.google(m.value, refs)
	case m.name == "anyOf" && m.value.isArray():
		all := array()
		for _, item := range m.value.items {
			all.items = append(all.items, f.google(item, refs))
		}
		return all
	case m.name == "properties" && m.value.isObject():
		all := object()
		for _, p := range m.value.members {
			all.set(p.name, f.google(p.value, refs))
		}
		return all
	}
	return m.value
}

// googleChoice makes allOf, oneOf and lists of types anyOf, or what is the same without one.
func (f *fitter) googleChoice(n *node) {
	if all := n.get("allOf"); all != nil {
		n.remove("allOf")
		if all.isArray() {
			for _, item := range all.items {
				f.addAll(n, item)
			}
		}
	}
	if one := n.get("oneOf"); one != nil {
		n.remove("oneOf")
		n.add("anyOf", one)
	}
	if types := n.get("type").texts(); len(types) > 0 {
		n.set("anyOf", array())
		for _, t := range types {
			choice := object(slices.Clone(n.members)...)
			choice.remove("type", "anyOf", "description", "default")
			choice.set("type", text(t))
			if t == "null" {
				choice = object(member{"type", text(t)})
			}
			n.get("anyOf").items = append(n.get("anyOf").items, choice)
		}
		n.members = slices.DeleteFunc(n.members, func(m member) bool {
			return !slices.Contains([]string{"anyOf", "description", "default"}, m.name)
		})
	}
	choices := n.get("anyOf")
	if choices == nil {
		return
	}
	n.remove("anyOf")
	if !choices.isArray() {
		return
	}
	some := slices.DeleteFunc(slices.Clone(choices.items), func(c *node) bool { return c.get("type").text() == "null" })
	if len(some) < len(choices.items) {
		n.set("nullable", &node{kind: 't', scalar: jsontext.Value("true")})
	}
	switch len(some) {
	case 0:
	case 1:
		f.addAll(n, some[0])
	default:
		n.set("anyOf", array(some...))
	}
}

// addAll adds the members of a schema, or of the one that it refers to, to n.
func (f *fitter) addAll(n, more *node) {
	if !more.isObject() {
		return
	}
	if target := f.resolve(orEmpty(more.get("$ref"))); target.isObject() && target != more && target.get("$ref") == nil {
		more = target
	}
	f.addProperties(n, more)
	required := append(n.get("required").texts(), more.get("required").texts()...)
	for _, m := range more.members {
		n.add(m.name, m.value)
	}
	if len(required) > 0 {
		n.set("required", textArray(unique(required)))
	}
}

func orEmpty(n *node) *node {
	if n == nil {
		return text("")
	}
	return n
}

// googleValues changes the keywords for values: enum is for text alone, const and the exclusive
// limits are not known.
func googleValues(n *node) {
	if value := n.get("const"); value != nil {
		n.add("enum", array(value))
	}
	if values := n.get("enum"); values != nil {
		some := values.texts()
		t := n.get("type").text()
		if len(some) == 0 || t != "" && t != "string" {
			n.remove("enum")
		} else {
			n.set("type", text("string"))
			n.set("enum", textArray(some))
		}
	}
	for _, limit := range []struct{ exclusive, inclusive string }{{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"}} {
		if value := n.get(limit.exclusive); value != nil && value.kind == '0' {
			n.add(limit.inclusive, value)
		}
	}
	if format := n.get("format"); format != nil && !slices.Contains(googleFormats, format.text()) {
		n.remove("format")
	}
}

// googleRequired leaves out required properties that there are not.
func googleRequired(n *node) {
	if n.get("required") == nil {
		return
	}
	names := slices.DeleteFunc(n.get("required").texts(), func(name string) bool { return n.get("properties").get(name) == nil })
	if len(names) == 0 {
		n.remove("required")
		return
	}
	n.set("required", textArray(names))
}
