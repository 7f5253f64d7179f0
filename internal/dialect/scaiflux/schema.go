package scaiflux

import (
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect/schema"
)

// A direction is the messages of one side.
type direction struct {
	name     string
	messages []message
}

// A message is a type of protocol.go and its name on the wire.
type message struct {
	name string
	is   schema.Type
}

// directions returns every message of the protocol, in the order of protocol.go.
func directions() []direction {
	return []direction{
		{"Inbound", []message{
			{"prompt", schema.Of[Prompt]()},
			{"slash", schema.Of[Slash]()},
			{"interrupt", schema.Of[Interrupt]()},
			{"permission_response", schema.Of[PermissionResponse]()},
			{"shutdown", schema.Of[Shutdown]()},
		}},
		{"Outbound", []message{
			{"ready", schema.Of[Ready]()},
			{"turn_started", schema.Of[TurnStarted]()},
			{"text_delta", schema.Of[TextDelta]()},
			{"tool_start", schema.Of[ToolStart]()},
			{"tool_result", schema.Of[ToolResult]()},
			{"permission_request", schema.Of[PermissionRequest]()},
			{"turn_complete", schema.Of[TurnComplete]()},
			{"slash_result", schema.Of[SlashResult]()},
			{"state_changed", schema.Of[StateChanged]()},
			{"error", schema.Of[Error]()},
		}},
	}
}

// Schema returns the protocol as one JSON Schema document (draft 2020-12): a definition for each
// message, and Inbound and Outbound, the unions of them. It is inferred from protocol.go;
// the same program gives the same bytes.
func Schema() ([]byte, error) {
	doc := &jsonschema.Schema{
		Title: "Message", Description: fmt.Sprintf("A line of ScaiFlux serve mode, protocol %d.", Protocol),
		Defs: map[string]*jsonschema.Schema{},
	}
	for _, d := range directions() {
		union := &jsonschema.Schema{}
		for _, m := range d.messages {
			union.OneOf = append(union.OneOf, schema.Ref(m.is.Name()))
		}
		doc.Defs[d.name] = union
		doc.OneOf = append(doc.OneOf, schema.Ref(d.name))
	}
	return types().Document(doc)
}

func types() schema.Types {
	t := schema.Types{
		Forms: map[reflect.Type]*jsonschema.Schema{
			reflect.TypeFor[jsontext.Value](): schema.Map(schema.Anything()),
			reflect.TypeFor[any]():            {Types: []string{"object", "null"}, AdditionalProperties: schema.Anything()},
		},
		Nullable: []string{"reason", "data"},
		Closed:   true,
		Amend:    amend,
	}
	for _, d := range directions() {
		for _, m := range d.messages {
			t.Structs = append(t.Structs, m.is)
		}
	}
	return t
}

// amend adds what a Go type does not contain. A field's name means the same in every message
// of this protocol.
func amend(of schema.Type, s *jsonschema.Schema) {
	schema.Each(s, func(field string, within *jsonschema.Schema) {
		if within.Type == "integer" || within.Type == "number" {
			within.Minimum = new(0.0)
		}
		switch field {
		case "protocol":
			within.Const = schema.Const(Protocol).Const
		case "delta":
			within.MinLength = new(1)
		case "context_pct":
			within.Maximum = new(100.0)
		}
		if choice := choices()[field]; choice != nil {
			within.Enum = choice.Enum
		}
	})
	for _, d := range directions() {
		for _, m := range d.messages {
			if m.is == of {
				s.Properties["type"] = schema.Const(m.name)
			}
		}
	}
	if of == schema.Of[StateChanged]() {
		s.MinProperties = new(2) // the type and what changed
	}
}

// choices returns the fields that have a closed set of values.
func choices() map[string]*jsonschema.Schema {
	modes := schema.Enum(approval.Modes...)
	return map[string]*jsonschema.Schema{
		"decision":      schema.Enum("allow", "deny"),
		"mode":          modes,
		"active_mode":   modes,
		"required_mode": schema.Enum(approval.ReadOnly, approval.WorkspaceWrite, approval.FullAccess),
		"stop_reason":   schema.Enum("end_turn", "interrupted", "max_iterations", "max_tokens", "error"),
		"origin":        schema.Enum("local", "remote", "unknown"),
	}
}
