// Package schema makes a JSON Schema document of the Go types of a wire. It infers what the
// types contain; a protocol adds what they do not: its unions, its words, its lines.
package schema

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
)

// Types is the types of a protocol that have a definition each, and what Go does not express of
// them. Within another, each of them is a reference to its definition.
type Types struct {
	Structs []Type
	Words   map[Type][]string // types of texts of which only some are allowed, and those
	// Forms is what stands for types on the wire where the Go type differs, or where
	// a reference would go. A jsontext.Value is anything, if it is not among them.
	Forms map[reflect.Type]*jsonschema.Schema
	// Nullable is the members that may be null wherever their Go type has nil. For no other
	// is null what a Go value's absence is; see OrNull.
	Nullable []string
	Closed   bool // objects have no members but those of their struct
	// Amend puts into a struct's schema what else there is to say. Nil: nothing.
	Amend func(of Type, s *jsonschema.Schema)
}

// Document is doc as text (draft 2020-12), with the definitions of the types beside those that
// it has. What doc defines under a struct's name stays. The same program gives the same bytes.
func (t Types) Document(doc *jsonschema.Schema) ([]byte, error) {
	doc.Schema = "https://json-schema.org/draft/2020-12/schema"
	for w, allowed := range t.Words {
		doc.Defs[w.Name()] = Enum(allowed...)
	}
	for _, one := range t.Structs {
		if doc.Defs[one.Name()] != nil {
			continue
		}
		s, err := t.Define(one)
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", one.Name(), err)
		}
		doc.Defs[one.Name()] = s
	}
	text, err := json.Marshal(doc, jsontext.WithIndent("  "))
	return append(text, '\n'), err
}

// Define returns the definition of one struct, which may contain itself.
func (t Types) Define(one Type) (*jsonschema.Schema, error) {
	known, s := t.known(), Kind("object")
	if t.Closed {
		s.AdditionalProperties = Nothing()
	}
	for _, m := range Members(one.Is) {
		member, err := jsonschema.ForType(m.Type, &jsonschema.ForOptions{TypeSchemas: known})
		if err != nil {
			return nil, err
		}
		add(s, m.Name, m.Optional, member)
	}
	Each(s, func(member string, s *jsonschema.Schema) {
		if !slices.Contains(t.Nullable, member) {
			notNull(s)
		}
	})
	if t.Amend != nil {
		t.Amend(one, s)
	}
	return s, nil
}

// known returns what stands for types within others.
func (t Types) known() map[reflect.Type]*jsonschema.Schema {
	known := map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[jsontext.Value](): Anything()}
	for _, other := range t.Structs {
		known[other.Is] = Ref(other.Name())
	}
	for w := range t.Words {
		known[w.Is] = Ref(w.Name())
	}
	maps.Copy(known, t.Forms)
	return known
}

// notNull takes out the null that Go has for what is absent.
func notNull(s *jsonschema.Schema) {
	s.Types = slices.DeleteFunc(s.Types, func(t string) bool { return t == "null" })
	switch len(s.Types) {
	case 0:
		s.Types = nil
	case 1:
		s.Type, s.Types = s.Types[0], nil
	}
}
