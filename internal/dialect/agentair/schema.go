package agentair

import (
	"maps"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"parley.dev/parley/internal/dialect/schema"
)

// Schema returns the protocol as one JSON Schema document (draft 2020-12), inferred from
// protocol*.go; the same program gives the same bytes. It has a definition for each type, and
// Inbound and Outbound as the unions of all lines.
//
// Objects are open, but for those that only name what is in them. What --extended adds is
// optional. A number such as 1.0 fits an integer here, and is refused by decode.
func Schema() ([]byte, error) {
	defs := lineDefs()
	maps.Copy(defs, grantDefs())
	return types().Document(&jsonschema.Schema{
		Title: "Line", Description: "A line of agent-air's server messages.",
		Defs: defs, AnyOf: schema.Refs("Inbound", "Outbound"),
	})
}

func types() schema.Types {
	return schema.Types{
		Structs: allTypes(), Words: wordTypes.Get(),
		Forms: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[jsontext.Value](): schema.Map(schema.Anything())},
		Amend: amend,
	}
}

// amend adds what a Go type does not contain.
func amend(of schema.Type, s *jsonschema.Schema) {
	for _, m := range schema.Members(of.Is) {
		if m.Type.Kind() == reflect.Pointer && (!m.Optional || slices.Contains(inboundTypes.Get(), of)) {
			s.Properties[m.Name] = schema.OrNull(s.Properties[m.Name])
		}
		if len(m.Index) > 1 { // of a …More
			s.Required = slices.DeleteFunc(s.Required, func(required string) bool { return required == m.Name })
		}
	}
	switch of {
	case schema.Of[ControllerInput]():
		s.Properties["metadata"] = schema.OrNull(schema.Map(schema.Anything()))
		s.Properties["input_type"] = schema.OrNull(schema.Enum("Data"))
		s.PropertyOrder = append([]string{"input_type"}, s.PropertyOrder...)
	case schema.Of[PermissionVote]():
		s.Properties["scope"] = schema.OrNull(schema.Ref("PermissionScope"))
	}
}

// tag returns the object around a message: its one member says what is in it.
func tag(name string, value *jsonschema.Schema) *jsonschema.Schema {
	s := schema.Object(name, value)
	s.AdditionalProperties = schema.Nothing()
	return s
}

// grantDefs returns the definitions of structs that have several forms.
func grantDefs() map[string]*jsonschema.Schema {
	text, truth := schema.Kind("string"), schema.Kind("boolean")
	level, expiry := schema.Ref("PermissionLevel"), schema.OrNull(&jsonschema.Schema{Type: "integer", Minimum: new(0.0)})
	flat := func(recursive string, targets ...TargetType) *jsonschema.Schema {
		return schema.Object("target_type", schema.Enum(targets...), "target", text, recursive, truth, "level", level, "expires_in_secs?", expiry)
	}
	return map[string]*jsonschema.Schema{
		"Grant": {
			Description: "With a target of its own, or with the members of a PermissionRequest.",
			AnyOf: []*jsonschema.Schema{
				schema.Object("target", schema.Ref("GrantTarget"), "level", level, "expires_in_secs?", expiry),
				flat("recursive", TargetPath),
				flat("recursive?", TargetDomain, TargetCommand),
			},
		},
		"GrantTarget": {AnyOf: []*jsonschema.Schema{
			schema.Object("type", schema.Const(GrantPath), "path", text, "recursive", truth),
			schema.Object("type", schema.Enum(GrantDomain, GrantCommand), "pattern", text),
			schema.Object("type", schema.Const(GrantTool), "tool_name", text),
		}},
	}
}

// lineDefs returns the definitions of whole lines: one for each type of message, and their unions.
func lineDefs() map[string]*jsonschema.Schema {
	message, request := &jsonschema.Schema{}, &jsonschema.Schema{}
	defs := map[string]*jsonschema.Schema{
		"UiMessage": message, "Request": request,
		"Outbound": {AnyOf: schema.Refs("UiMessage")},
		"Inbound":  {Description: "What a client may say.", AnyOf: append(schema.Refs("ControllerInput", "ControlInput", "Request"), schema.Const("Shutdown"))},
		"ControlInput": schema.Object(
			"input_type", schema.Const("Control"), "session_id", schema.Kind("integer"), "content?", schema.Anything(),
			"control_cmd", schema.Enum("Interrupt", "Shutdown", "Clear", "Compact"), "turn_id?", schema.OrNull(schema.Ref("TurnID")),
		),
	}
	for _, n := range messageTypes.Get() {
		defs[n.Name()+"Message"] = tag(n.Name(), schema.Ref(n.Name()))
		message.AnyOf = append(message.AnyOf, schema.Ref(n.Name()+"Message"))
	}
	for _, n := range requestTypes.Get() {
		value := schema.Ref(n.Name())
		if n == schema.Of[Shutdown]() {
			value = schema.OrNull(value)
		}
		defs[n.Name()+"Request"] = tag(n.Name(), value)
		request.AnyOf = append(request.AnyOf, schema.Ref(n.Name()+"Request"))
	}
	return defs
}
