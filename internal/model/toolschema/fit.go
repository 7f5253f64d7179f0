package toolschema

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model/profile"
)

// Limits of what a schema may grow to when references are replaced by what they refer to.
const (
	maxNodes = 5000
	maxDepth = 60
)

// noProperties is the schema of a tool without input.
const noProperties = `{"type":"object","properties":{}}`

// A Fitted is a schema that an endpoint takes.
type Fitted struct {
	Schema jsontext.Value
	// Names are the properties that have another name in Schema: by that, the tool's own.
	Names map[string]string
}

// Fit returns schema as endpoints of the dialect take it: the same bytes if there is nothing to
// change, else the nearest schema of an object. What is no schema becomes one without properties.
func Fit(schema jsontext.Value, dialect profile.Schema) Fitted {
	root, err := parse(schema)
	if err != nil || !root.isObject() {
		return Fitted{Schema: jsontext.Value(noProperties)}
	}
	before := root.encode()
	f := fitter{dialect: dialect, root: root}
	f.top()
	f.walk(root, 0)
	if f.nodes = 0; dialect == profile.GoogleSchema {
		root = f.google(root, nil)
		root.set("type", text("object")) // after what a wrong schema may have left of it
		root.add("properties", object())
	}
	f.rename(root)
	after := root.encode()
	switch {
	case after == nil:
		return Fitted{Schema: jsontext.Value(noProperties)}
	case bytes.Equal(before, after):
		after = schema
	}
	return Fitted{Schema: after, Names: f.names}
}

// A fitter rewrites one schema.
type fitter struct {
	dialect profile.Schema
	root    *node
	nodes   int               // that merge and google have made
	names   map[string]string // as in Fitted
}

// top makes the root the schema of an object that is not chosen among others: OpenAI and Anthropic
// take no anyOf, oneOf, allOf, enum or not there.
func (f *fitter) top() {
	f.merge(f.root, maxMerges)
	f.root.remove("enum", "const", "not")
	if f.root.get("type").text() != "object" {
		f.root.set("type", text("object"))
	}
	if !f.root.get("properties").isObject() {
		f.root.set("properties", object())
	}
	if required := f.root.get("required"); required != nil && !required.isArray() {
		f.root.remove("required")
	}
}

// maxMerges is how deep alternatives of alternatives are merged.
const maxMerges = 8

// merge replaces the reference of n, and the schemas that it combines, by their properties. A
// property is required if n or all of allOf require it, or each alternative does.
func (f *fitter) merge(n *node, left int) {
	if ref := n.get("$ref"); ref != nil {
		n.remove("$ref")
		if target := f.resolve(ref); target.isObject() && target != n && left > 0 {
			for _, m := range target.members {
				n.add(m.name, m.value)
			}
			f.merge(n, left-1)
			return
		}
	}
	required := n.get("required").texts()
	before := len(required)
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		combined := n.get(keyword)
		n.remove(keyword)
		if !combined.isArray() || left == 0 {
			continue
		}
		var common []string
		for i, branch := range combined.items {
			if f.nodes++; !branch.isObject() || f.nodes > maxNodes {
				continue
			}
			branch = object(slices.Clone(branch.members)...)
			f.merge(branch, left-1)
			f.addProperties(n, branch)
			names := branch.get("required").texts()
			switch {
			case keyword == "allOf":
				required = append(required, names...)
			case i == 0:
				common = names
			default:
				common = slices.DeleteFunc(common, func(name string) bool { return !slices.Contains(names, name) })
			}
			if keyword == "allOf" {
				n.addDescription(branch)
			}
		}
		required = append(required, common...)
	}
	if len(required) > before {
		slices.Sort(required[before:])
		n.set("required", textArray(unique(required)))
	}
}

func (n *node) addDescription(from *node) {
	if d := from.get("description"); d != nil {
		n.add("description", d)
	}
}

// addProperties adds the properties of branch to those of n. One that both have is either.
func (f *fitter) addProperties(n, branch *node) {
	more := branch.get("properties")
	if !more.isObject() {
		return
	}
	all := object()
	if own := n.get("properties"); own.isObject() {
		all.members = slices.Clone(own.members)
	}
	for _, m := range more.members {
		own := all.get(m.name)
		switch {
		case own == nil:
			all.set(m.name, m.value)
		case bytes.Equal(own.encode(), m.value.encode()):
		case own.isObject() && len(own.members) == 1 && own.get("anyOf").isArray():
			either := own.get("anyOf")
			if !slices.ContainsFunc(either.items, func(item *node) bool { return bytes.Equal(item.encode(), m.value.encode()) }) {
				all.set(m.name, object(member{"anyOf", array(append(slices.Clone(either.items), m.value)...)}))
			}
		default:
			all.set(m.name, object(member{"anyOf", array(own, m.value)}))
		}
	}
	n.set("properties", all)
}

// resolve returns what a reference within the schema refers to; nil: nothing.
func (f *fitter) resolve(ref *node) *node {
	path, ok := strings.CutPrefix(ref.text(), "#")
	if !ok {
		return nil
	}
	at := f.root
	for step := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		switch {
		case step == "" && path == "":
		case at.isArray():
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at.items) {
				return nil
			}
			at = at.items[i]
		default:
			at = at.get(step)
		}
	}
	return at
}

// Keywords whose value is a schema, a list of them, or schemas by name.
var (
	oneSchema    = []string{"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "additionalItems", "unevaluatedProperties", "unevaluatedItems"}
	manySchemas  = []string{"anyOf", "oneOf", "allOf", "prefixItems"}
	namedSchemas = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)

// walk fixes n and the schemas in it: arrays have items, objects have properties, lists of values
// are not empty, and properties are objects.
func (f *fitter) walk(n *node, depth int) {
	if !n.isObject() || depth > maxDepth {
		return
	}
	if values := n.get("enum"); values != nil && len(values.items) == 0 {
		n.remove("enum")
	}
	if hasType(n, "array") {
		f.fixItems(n)
	}
	if n.get("type").text() == "object" && !n.get("properties").isObject() && f.dialect != profile.GoogleSchema {
		n.set("properties", object())
	}
	for _, m := range n.members {
		switch {
		case slices.Contains(oneSchema, m.name):
			f.walk(m.value, depth+1)
		case slices.Contains(manySchemas, m.name) && m.value.isArray():
			for _, item := range m.value.items {
				f.walk(item, depth+1)
			}
		case slices.Contains(namedSchemas, m.name) && m.value.isObject():
			for i, named := range m.value.members {
				if !named.value.isObject() {
					m.value.members[i].value = object() // true, or what is no schema
				}
				f.walk(m.value.members[i].value, depth+1)
			}
		}
	}
}

// fixItems makes the items of an array one schema. OpenAI and Gemini refuse arrays without.
func (f *fitter) fixItems(n *node) {
	items := n.get("items")
	anything := object()
	if f.dialect == profile.GoogleSchema {
		anything = object(member{"type", text("string")})
		if prefix := n.get("prefixItems"); items == nil && prefix.isArray() {
			items = prefix
		}
	}
	switch {
	case items.isObject():
		return
	case items.isArray() && len(items.items) == 1:
		n.set("items", items.items[0])
	case items.isArray() && len(items.items) > 1:
		n.set("items", object(member{"anyOf", array(items.items...)}))
	default:
		n.set("items", anything)
	}
}

// hasType reports whether name is the type of n, or one of them.
func hasType(n *node, name string) bool {
	t := n.get("type")
	return t.text() == name || slices.Contains(t.texts(), name)
}

func unique(all []string) []string {
	var out []string
	for _, s := range all {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
