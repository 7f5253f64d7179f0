package scaiflux

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"parley.dev/parley/internal/approval"
)

// A direction is the messages of one side.
type direction struct {
	name     string
	messages []message
}

// A message is a type of protocol.go and its name on the wire.
type message struct {
	name string
	is   reflect.Type
}

// directions is every message of the protocol, in the order of protocol.go.
func directions() []direction {
	return []direction{
		{"Inbound", []message{
			{"prompt", reflect.TypeFor[Prompt]()},
			{"slash", reflect.TypeFor[Slash]()},
			{"interrupt", reflect.TypeFor[Interrupt]()},
			{"permission_response", reflect.TypeFor[PermissionResponse]()},
			{"shutdown", reflect.TypeFor[Shutdown]()},
		}},
		{"Outbound", []message{
			{"ready", reflect.TypeFor[Ready]()},
			{"turn_started", reflect.TypeFor[TurnStarted]()},
			{"text_delta", reflect.TypeFor[TextDelta]()},
			{"tool_start", reflect.TypeFor[ToolStart]()},
			{"tool_result", reflect.TypeFor[ToolResult]()},
			{"permission_request", reflect.TypeFor[PermissionRequest]()},
			{"turn_complete", reflect.TypeFor[TurnComplete]()},
			{"slash_result", reflect.TypeFor[SlashResult]()},
			{"state_changed", reflect.TypeFor[StateChanged]()},
			{"error", reflect.TypeFor[Error]()},
		}},
	}
}

// Schema is the protocol as one JSON Schema document (draft 2020-12): a definition for each
// message, and Inbound and Outbound, the unions of them. It is inferred from protocol.go;
// the same program gives the same bytes.
func Schema() ([]byte, error) {
	doc := &jsonschema.Schema{
		Schema: "https://json-schema.org/draft/2020-12/schema",
		Title:  "Message", Description: fmt.Sprintf("A line of ScaiFlux serve mode, protocol %d.", Protocol),
		Defs: map[string]*jsonschema.Schema{},
	}
	for _, d := range directions() {
		union := &jsonschema.Schema{}
		for _, m := range d.messages {
			s, err := m.schema()
			if err != nil {
				return nil, fmt.Errorf("schema of %s: %w", m.name, err)
			}
			doc.Defs[m.is.Name()] = s
			union.OneOf = append(union.OneOf, definition(m.is.Name()))
		}
		doc.Defs[d.name] = union
		doc.OneOf = append(doc.OneOf, definition(d.name))
	}
	text, err := json.Marshal(doc, jsontext.WithIndent("  "))
	return append(text, '\n'), err
}

func definition(name string) *jsonschema.Schema {
	return &jsonschema.Schema{Ref: "#/$defs/" + name}
}

func (m message) schema() (*jsonschema.Schema, error) {
	anything := &jsonschema.Schema{}
	s, err := jsonschema.ForType(m.is, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[jsontext.Value](): {Type: "object", AdditionalProperties: anything},
		reflect.TypeFor[any]():            {Types: []string{"object", "null"}, AdditionalProperties: anything},
	}})
	if err != nil {
		return nil, err
	}
	var name any = m.name
	s.Properties["type"] = &jsonschema.Schema{Const: &name}
	if m.is == reflect.TypeFor[StateChanged]() {
		s.MinProperties = jsonschema.Ptr(2) // the type and what changed
	}
	narrow("", s)
	return s, nil
}

// narrow adds to the schema of a field what a Go type cannot say, for all fields below it
// too. A field's name means the same in every message of this protocol.
func narrow(field string, s *jsonschema.Schema) {
	if field != "reason" && field != "data" { // the only ones that may be null
		s.Types = slices.DeleteFunc(s.Types, func(t string) bool { return t == "null" })
	}
	if len(s.Types) == 1 {
		s.Type, s.Types = s.Types[0], nil
	}
	if s.Type == "integer" || s.Type == "number" {
		s.Minimum = jsonschema.Ptr(0.0)
	}
	switch field {
	case "protocol":
		var version any = Protocol
		s.Const = &version
	case "delta":
		s.MinLength = jsonschema.Ptr(1)
	case "context_pct":
		s.Maximum = jsonschema.Ptr(100.0)
	}
	s.Enum = choices()[field]
	for name, property := range s.Properties {
		narrow(name, property)
	}
	if s.Items != nil {
		narrow("", s.Items)
	}
}

// choices is the values of the fields that have a closed set of them.
func choices() map[string][]any {
	modes := values(approval.Modes...)
	return map[string][]any{
		"decision":      values("allow", "deny"),
		"mode":          modes,
		"active_mode":   modes,
		"required_mode": values(approval.ReadOnly, approval.WorkspaceWrite, approval.FullAccess),
		"stop_reason":   values("end_turn", "interrupted", "max_iterations", "max_tokens", "error"),
		"origin":        values("local", "remote", "unknown"),
	}
}

func values[S ~string](names ...S) []any {
	var all []any
	for _, name := range names {
		all = append(all, string(name))
	}
	return all
}
