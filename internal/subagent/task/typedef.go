package task

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"parley.dev/parley/internal/lazy"
)

// This file contains what the data of a result has to be like: a JSON Type Definition (RFC 8927), or,
// since models mix them up, a JSON Schema.

// A shape is what data has to be like.
type shape struct{ resolved *jsonschema.Resolved }

// readShape reads a type definition, or a schema.
func readShape(text jsontext.Value) (*shape, error) {
	var form map[string]any
	if err := json.Unmarshal(text, &form); err != nil {
		return nil, errors.New("it is no JSON object")
	}
	schema, err := translate(form)
	if err != nil {
		if own, ok := readSchema(text, form); ok {
			return own, nil
		}
		return nil, err
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return nil, err
	}
	return &shape{resolved}, nil
}

// readSchema reads a JSON Schema: one whose type is of those that definitions do not have.
func readSchema(text jsontext.Value, form map[string]any) (*shape, bool) {
	kind, _ := form["type"].(string)
	_, named := form["$schema"]
	if !named && !slices.Contains([]string{"object", "array", "integer", "number", "null"}, kind) || refers(form) {
		return nil, false
	}
	var schema jsonschema.Schema
	if json.Unmarshal(text, &schema) != nil {
		return nil, false
	}
	resolved, err := schema.Resolve(nil)
	return &shape{resolved}, err == nil
}

// refers reports whether a schema refers to others, or itself: the library follows a circle for ever.
func refers(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			if name == "$ref" || name == "$dynamicRef" || refers(inner) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(value, refers)
	}
	return false
}

// misfit returns an error if data does not fit the type; nil: it does.
func (s *shape) misfit(data jsontext.Value) error {
	if s == nil {
		return nil
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return err
	}
	err := s.resolved.Validate(value)
	if err == nil {
		return nil
	}
	text := err.Error()
	if i := strings.LastIndex(text, "validating "); i > 0 { // the innermost says what is wrong
		text = text[i+len("validating "):]
	}
	return errors.New(text)
}

// maxForms is how deep forms lie within each other at most.
const maxForms = 64

// translate returns a type definition as a schema.
func translate(form map[string]any) (*jsonschema.Schema, error) {
	definitions, err := member[map[string]any](form, "definitions")
	if err != nil {
		return nil, err
	}
	t := &translation{definitions: definitions}
	root, err := t.form(form, "", maxForms)
	if err != nil {
		return nil, err
	}
	for name, inner := range definitions {
		if circular(definitions, name) {
			return nil, fmt.Errorf("definitions.%s is nothing but itself", name)
		}
		s, err := t.object(inner, "definitions."+name, maxForms)
		if err != nil {
			return nil, err
		}
		if root.Defs == nil {
			root.Defs = map[string]*jsonschema.Schema{}
		}
		root.Defs[name] = s
	}
	return root, nil
}

// circular reports whether a definition refers to others that refer back, with nothing in between.
func circular(definitions map[string]any, name string) bool {
	seen := map[string]bool{}
	for !seen[name] {
		seen[name] = true
		form, _ := definitions[name].(map[string]any)
		next, isRef := form["ref"].(string)
		if !isRef {
			return false
		}
		name = next
	}
	return true
}

// A translation is of one definition.
type translation struct{ definitions map[string]any }

// kinds is the forms, by the member that makes each, in the order in which they are looked for,
// and what else they may have.
var kinds = []struct {
	name string
	more []string
}{
	{"ref", nil},
	{"type", nil},
	{"enum", nil},
	{"elements", nil},
	{"properties", []string{"optionalProperties", "additionalProperties"}},
	{"optionalProperties", []string{"additionalProperties"}},
	{"values", nil},
	{"discriminator", []string{"mapping"}},
}

func (t *translation) object(value any, at string, depth int) (*jsonschema.Schema, error) {
	form, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s is no object", at)
	}
	if _, nested := form["definitions"]; nested {
		return nil, fmt.Errorf("%s has definitions, which only the outermost may have", at)
	}
	return t.form(form, at, depth)
}

// form translates a form that lies at a path.
func (t *translation) form(form map[string]any, at string, depth int) (*jsonschema.Schema, error) {
	if depth == 0 {
		return nil, errors.New("it is nested too deeply")
	}
	kind, allowed := "", []string{"nullable", "metadata", "definitions"}
	for _, k := range kinds {
		if _, has := form[k.name]; has {
			kind, allowed = k.name, append(append(allowed, k.name), k.more...)
			break
		}
	}
	for name := range form {
		if !slices.Contains(allowed, name) {
			return nil, fmt.Errorf("%s has the member %q, which does not belong there", pathOf(at), name)
		}
	}
	nullable, err := member[bool](form, "nullable")
	if err != nil {
		return nil, err
	}
	s, err := t.byKind(kind, form, at, depth)
	if err == nil && nullable && kind != "" {
		s = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "null"}, s}}
	}
	return s, err
}

func pathOf(at string) string {
	if at == "" {
		return "it"
	}
	return at
}

func (t *translation) byKind(kind string, form map[string]any, at string, depth int) (*jsonschema.Schema, error) {
	switch kind {
	case "ref":
		name, _ := form["ref"].(string)
		if _, there := t.definitions[name]; !there {
			return nil, fmt.Errorf("%s refers to %q, which is not defined", pathOf(at), name)
		}
		return &jsonschema.Schema{Ref: "#/$defs/" + strings.NewReplacer("~", "~0", "/", "~1", "%", "%25").Replace(name)}, nil
	case "type":
		name, _ := form["type"].(string)
		scalar, ok := scalars.Get()[name]
		if !ok {
			return nil, fmt.Errorf("%s has the type %q, which there is not", pathOf(at), name)
		}
		return scalar(), nil
	case "enum":
		return enum(form["enum"], at)
	case "elements":
		items, err := t.object(form["elements"], at+".elements", depth-1)
		return &jsonschema.Schema{Type: "array", Items: items}, err
	case "values":
		values, err := t.object(form["values"], at+".values", depth-1)
		return &jsonschema.Schema{Type: "object", AdditionalProperties: values}, err
	case "properties", "optionalProperties":
		return t.record(form, at, depth)
	case "discriminator":
		return t.variants(form, at, depth)
	}
	return &jsonschema.Schema{}, nil
}

func enum(value any, at string) (*jsonschema.Schema, error) {
	words, ok := value.([]any)
	seen := map[string]bool{}
	for _, word := range words {
		text, isText := word.(string)
		ok = ok && isText && !seen[text]
		seen[text] = true
	}
	if !ok || len(words) == 0 {
		return nil, fmt.Errorf("%s has an enum that is no list of different texts", pathOf(at))
	}
	return &jsonschema.Schema{Enum: words}, nil
}

// record returns an object with members of its own.
func (t *translation) record(form map[string]any, at string, depth int) (*jsonschema.Schema, error) {
	open, err := member[bool](form, "additionalProperties")
	if err != nil {
		return nil, err
	}
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	if !open {
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
	for _, group := range []string{"properties", "optionalProperties"} {
		members, err := member[map[string]any](form, group)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if s.Properties[name] != nil {
				return nil, fmt.Errorf("%s has %q twice", pathOf(at), name)
			}
			if s.Properties[name], err = t.object(members[name], at+"."+name, depth-1); err != nil {
				return nil, err
			}
			if group == "properties" {
				s.Required = append(s.Required, name)
			}
		}
	}
	return s, nil
}

// variants returns an object whose tag says what else it has.
func (t *translation) variants(form map[string]any, at string, depth int) (*jsonschema.Schema, error) {
	tag, _ := form["discriminator"].(string)
	mapping, err := member[map[string]any](form, "mapping")
	if err != nil || len(mapping) == 0 || form["discriminator"] != any(tag) {
		return nil, fmt.Errorf("%s has a discriminator that is no text, or no mapping", pathOf(at))
	}
	var words []any
	s := &jsonschema.Schema{Type: "object", Required: []string{tag}, Properties: map[string]*jsonschema.Schema{}}
	for _, word := range slices.Sorted(maps.Keys(mapping)) {
		inner, ok := mapping[word].(map[string]any)
		if !ok || inner["properties"] == nil && inner["optionalProperties"] == nil || inner["nullable"] == true {
			return nil, fmt.Errorf("%s.mapping.%s has to have properties", at, word)
		}
		then, err := t.object(inner, at+".mapping."+word, depth-1)
		if err != nil {
			return nil, err
		}
		if then.Properties[tag] != nil {
			return nil, fmt.Errorf("%s.mapping.%s has the discriminator %q itself", at, word, tag)
		}
		then.Properties[tag] = &jsonschema.Schema{}
		words = append(words, word)
		is := any(word)
		s.AllOf = append(s.AllOf, &jsonschema.Schema{
			If:   &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{tag: {Const: &is}}},
			Then: then,
		})
	}
	s.Properties[tag] = &jsonschema.Schema{Enum: words}
	return s, nil
}

// member returns a member of a form that has to have a certain type, if it is there.
func member[T any](form map[string]any, name string) (value T, err error) {
	if raw, there := form[name]; there {
		var ok bool
		if value, ok = raw.(T); !ok {
			return value, fmt.Errorf("%s is not what it has to be", name)
		}
	}
	return value, nil
}

// scalars is the types.
var scalars = lazy.Value[map[string]func() *jsonschema.Schema]{New: func() map[string]func() *jsonschema.Schema {
	return map[string]func() *jsonschema.Schema{
		"boolean":   plain("boolean"),
		"string":    plain("string"),
		"float32":   plain("number"),
		"float64":   plain("number"),
		"int8":      whole(-1<<7, 1<<7-1),
		"uint8":     whole(0, 1<<8-1),
		"int16":     whole(-1<<15, 1<<15-1),
		"uint16":    whole(0, 1<<16-1),
		"int32":     whole(-1<<31, 1<<31-1),
		"uint32":    whole(0, 1<<32-1),
		"timestamp": func() *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Pattern: timestamp} },
	}
}}

// timestamp is RFC 3339.
const timestamp = `^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$`

func plain(kind string) func() *jsonschema.Schema {
	return func() *jsonschema.Schema { return &jsonschema.Schema{Type: kind} }
}

func whole(least, most float64) func() *jsonschema.Schema {
	return func() *jsonschema.Schema {
		return &jsonschema.Schema{Type: "integer", Minimum: &least, Maximum: &most}
	}
}
