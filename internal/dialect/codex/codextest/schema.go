// Package codextest holds frames to the published schema of the app-server protocol. It knows the schema, and nothing of how
// the dialect is written.
package codextest

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
)

//go:embed schema.json
var schema []byte

// A document is the schema with what its definitions are for.
type document struct {
	results map[string]string            // by the method of a request
	params  map[string]map[string]string // by union and method
	values  *jsonschema.Resolved         // an object with one member, named for a definition
}

var load = sync.OnceValues(func() (*document, error) {
	text := strings.ReplaceAll(strings.Replace(string(schema), `"definitions":`, `"$defs":`, 1), `"#/definitions/`, `"#/$defs/`)
	var whole jsonschema.Schema
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	var extra struct {
		Results map[string]string   `json:"x-results"`
		Null    map[string][]string `json:"x-null"`
	}
	if err := json.Unmarshal(schema, &extra); err != nil {
		return nil, err
	}
	for name, def := range whole.Defs {
		requireNull(def, name, extra.Null)
	}
	d := &document{results: extra.Results, params: map[string]map[string]string{}}
	for _, union := range []string{"ClientRequest", "ServerRequest", "ServerNotification"} {
		d.params[union] = paramsOf(whole.Defs[union])
	}
	one := &jsonschema.Schema{Defs: whole.Defs, Properties: map[string]*jsonschema.Schema{}}
	for name := range whole.Defs {
		one.Properties[name] = &jsonschema.Schema{Ref: "#/$defs/" + name}
	}
	var err error
	if d.values, err = one.Resolve(nil); err != nil {
		return nil, fmt.Errorf("resolve the schema: %w", err)
	}
	return d, nil
})

// paramsOf returns the definitions of the params of a union's methods; "" of those that have none.
func paramsOf(union *jsonschema.Schema) map[string]string {
	found := map[string]string{}
	for _, variant := range union.OneOf {
		name := ""
		if p := variant.Properties["params"]; p != nil {
			name = strings.TrimPrefix(p.Ref, "#/$defs/")
		}
		found[fmt.Sprint(variant.Properties["method"].Enum[0])] = name
	}
	return found
}

// requireNull makes the members required that the program writes as null if they have no value; null has them by the path of their object.
func requireNull(s *jsonschema.Schema, path string, null map[string][]string) {
	for _, name := range null[path] {
		if s.Properties[name] != nil && !slices.Contains(s.Required, name) {
			s.Required = append(s.Required, name)
		}
	}
	for name, member := range s.Properties {
		requireNull(member, path+"."+name, null)
	}
	for _, part := range slices.Concat(s.OneOf, s.AnyOf, s.AllOf) {
		requireNull(part, path+tagOf(part), null)
	}
	if s.Items != nil {
		requireNull(s.Items, path+"[]", null)
	}
}

// tagOf returns the end of the path of an object of a union: the value of the member that determines which object it is.
func tagOf(s *jsonschema.Schema) string {
	for _, name := range []string{"type", "mode", "kind", "handlerType"} {
		if p := s.Properties[name]; p != nil && len(p.Enum) == 1 {
			return ":" + fmt.Sprint(p.Enum[0])
		}
	}
	return ""
}

// fits returns nil if a value is what a definition allows.
func (d *document) fits(name string, value jsontext.Value) error {
	if name == "" {
		return nil
	}
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		return err
	}
	return d.values.Validate(map[string]any{name: v})
}
