package arguments

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"parley.dev/parley/internal/spelling"
)

// Faults returns all that is wrong with an input, and the names that there are, as a text for the model;
// "" if it finds nothing. It knows the keywords that schemas of tools use, not all.
func Faults(schema *jsonschema.Schema, input jsontext.Value) string {
	var f faults
	f.value(schema, "", input)
	if len(f.list) == 0 {
		return ""
	}
	text := strings.Join(f.list, "; ")
	if f.names {
		text += "; known: " + properties(schema)
	}
	return text
}

type faults struct {
	list  []string
	names bool // the members of the whole input matter
}

func (f *faults) add(path, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if path != "" {
		text = path + ": " + text
	}
	f.list = append(f.list, text)
}

func (f *faults) value(s *jsonschema.Schema, path string, value jsontext.Value) {
	if s == nil {
		return
	}
	if has := kindName(value); s.Type != "" && has != s.Type && !(s.Type == "number" && has == "integer") {
		f.add(path, "has to be %s, not %s", article(s.Type), article(has))
		return
	}
	if len(s.Enum) > 0 && s.Type == "string" {
		f.enum(s, path, value)
	}
	switch s.Type {
	case "object":
		f.object(s, path, value)
	case "array":
		f.items(s, path, value)
	case "string":
		var text string
		_ = json.Unmarshal(value, &text)
		n := len([]rune(text))
		if s.MinLength != nil && n < *s.MinLength {
			f.add(path, "must not be empty")
		}
		if s.MaxLength != nil && n > *s.MaxLength {
			f.add(path, "has %d characters, at most %d are allowed", n, *s.MaxLength)
		}
	case "number", "integer":
		var n float64
		_ = json.Unmarshal(value, &n)
		switch {
		case s.Minimum != nil && n < *s.Minimum:
			f.add(path, "has to be at least %g", *s.Minimum)
		case s.Maximum != nil && n > *s.Maximum:
			f.add(path, "has to be at most %g", *s.Maximum)
		case s.ExclusiveMinimum != nil && n <= *s.ExclusiveMinimum:
			f.add(path, "has to be more than %g", *s.ExclusiveMinimum)
		}
	}
}

func (f *faults) object(s *jsonschema.Schema, path string, value jsontext.Value) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(value, &members); err != nil {
		return
	}
	var missing []string
	for _, name := range s.Required {
		if _, ok := members[name]; !ok {
			missing = append(missing, name)
		}
	}
	closed := s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if property, ok := s.Properties[name]; ok {
			f.value(property, join(path, name), members[name])
			continue
		}
		if !closed {
			continue
		}
		f.names = true
		own := cmp.Or(propertyFor(s, name), spelling.Nearest(name, slices.Sorted(maps.Keys(s.Properties))))
		if _, ok := members[own]; ok || own == "" {
			f.add(path, "%q is unknown", name)
			continue
		}
		f.add(path, "%q is unknown (did you mean %q?)", name, own)
	}
	for _, name := range missing {
		f.names = true
		f.add(path, "%q is missing", name)
	}
}

func (f *faults) items(s *jsonschema.Schema, path string, value jsontext.Value) {
	var items []jsontext.Value
	if err := json.Unmarshal(value, &items); err != nil {
		return
	}
	if s.MinItems != nil && len(items) < *s.MinItems {
		f.add(path, "has to have at least %d items", *s.MinItems)
	}
	if s.MaxItems != nil && len(items) > *s.MaxItems {
		f.add(path, "has %d items, at most %d are allowed", len(items), *s.MaxItems)
	}
	for i, item := range items {
		f.value(s.Items, fmt.Sprintf("%s[%d]", path, i), item)
	}
}

func (f *faults) enum(s *jsonschema.Schema, path string, value jsontext.Value) {
	var text string
	_ = json.Unmarshal(value, &text)
	var names []string
	for _, allowed := range s.Enum {
		if allowed == any(text) {
			return
		}
		names = append(names, fmt.Sprint(allowed))
	}
	f.add(path, "has to be one of %s", strings.Join(names, ", "))
}

// properties lists the members of an object, those that are required first.
func properties(s *jsonschema.Schema) string {
	var names []string
	for _, name := range s.Required {
		names = append(names, name+" (required)")
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(s.Required, name) {
			names = append(names, name)
		}
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// kindName returns the type of a value as schemas name it.
func kindName(value jsontext.Value) string {
	switch value.Kind() {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	var n float64
	if json.Unmarshal(value, &n) == nil && n == float64(int64(n)) {
		return "integer"
	}
	return "number"
}

func article(kind string) string {
	switch kind {
	case "null":
		return kind
	case "integer", "object", "array":
		return "an " + kind
	}
	return "a " + kind
}
