package acp

import (
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"parley.dev/parley/internal/dialect/schema"
)

// Schema returns what this program speaks of the protocol as one JSON Schema document (draft 2020-12), inferred from
// protocol*.go; the same program gives the same bytes. It has a definition for each type, and Inbound and Outbound as the
// unions of all lines. The protocol itself has more; its own schema is in the official SDK.
//
// Objects are open, and null for a member that may be absent, which decode accepts, is not shown.
func Schema() ([]byte, error) {
	return types().Document(&jsonschema.Schema{
		Title: "Line", Description: "A line of the Agent Client Protocol, as Parley speaks it.",
		Defs: lineDefs(), AnyOf: schema.Refs("Inbound", "Outbound"),
	})
}

func types() schema.Types {
	return schema.Types{
		Structs: allTypes(), Words: wordTypes.Get(), Amend: amend,
		Forms: map[reflect.Type]*jsonschema.Schema{
			reflect.TypeFor[ToolContent]():    schema.Ref("ToolContent"),
			reflect.TypeFor[FormProperties](): schema.Map(schema.Ref("FormField")),
		},
	}
}

// amend adds what a Go type does not express.
func amend(of schema.Type, s *jsonschema.Schema) {
	for _, m := range schema.Members(of.Is) {
		if words := m.Tag.Get("enum"); words != "" {
			s.Properties[m.Name] = schema.Enum(strings.Split(words, ",")...)
		}
	}
	for name, property := range exceptions() {
		if parent, member, _ := strings.Cut(name, "."); parent == of.Name() {
			s.Properties[member] = property
		}
	}
	if s.Properties["_meta"] == nil {
		schema.Add(s, "_meta?", schema.OrNull(schema.Map(schema.Anything())))
	}
}

// exceptions returns the members that a Go type does not describe completely.
func exceptions() map[string]*jsonschema.Schema {
	text := schema.Kind("string")
	all := map[string]*jsonschema.Schema{
		"InitializeParams.protocolVersion": {Type: "integer", Minimum: new(0.0), Maximum: new(65535.0)},
		"CancelRequestParams.requestId":    schema.Ref("RequestId"),
		"SetConfigOptionParams.value":      {Types: []string{"string", "boolean"}},
		"SessionUpdate.update":             schema.Ref("Update"),
		"ElicitationParams.requestId":      schema.Ref("RequestId"),
		"DiffOfTool.oldText":               schema.OrNull(text),
		"TerminalExit.exit_code":           schema.OrNull(schema.Kind("integer")),
		"TerminalExit.signal":              schema.OrNull(text),
		"ConfigOption.type":                schema.Const("select"),
		"FormSchema.type":                  schema.Const("object"),
		"FormField.type":                   schema.Enum("string", "array"),
		"SteerResult.outcome":              schema.Enum("injected", "startedNewTurn", "promptRequired"),
	}
	for _, u := range updateTypes.Get() {
		all[u.Name()+".sessionUpdate"] = schema.Enum(u.kinds...)
	}
	for _, c := range contentTypes {
		all[c.Name()+".type"] = schema.Const(c.tag)
	}
	return all
}

// lineDefs returns the definitions of whole lines and of the unions.
func lineDefs() map[string]*jsonschema.Schema {
	update, content := &jsonschema.Schema{}, &jsonschema.Schema{}
	for _, u := range updateTypes.Get() {
		update.AnyOf = append(update.AnyOf, schema.Ref(u.Name()))
	}
	for _, c := range contentTypes {
		content.AnyOf = append(content.AnyOf, schema.Ref(c.Name()))
	}
	return map[string]*jsonschema.Schema{
		"RequestId":          {Types: []string{"string", "integer", "null"}},
		"Error":              schema.Object("code", schema.Kind("integer"), "message", schema.Kind("string"), "data?", schema.Ref("ErrorData")),
		"Update":             update,
		"ToolContent":        content,
		"ClientRequest":      linesOf(clientRequests.Get(), true),
		"AgentRequest":       linesOf(agentRequests.Get(), true),
		"ClientNotification": linesOf(clientNotifications.Get(), false),
		"AgentNotification":  linesOf(agentNotifications.Get(), false),
		"AgentResult":        resultsOf(clientRequests.Get()),
		"ClientResult":       resultsOf(agentRequests.Get()),
		"Failure":            lineWith("id", schema.Ref("RequestId"), "error", schema.Ref("Error")),
		"Inbound":            {Description: "What a client sends.", AnyOf: schema.Refs("ClientRequest", "ClientNotification", "ClientResult", "Failure")},
		"Outbound":           {Description: "What a client receives.", AnyOf: schema.Refs("AgentRequest", "AgentNotification", "AgentResult", "Failure")},
	}
}

// linesOf returns any of these calls.
func linesOf(calls []calling, answered bool) *jsonschema.Schema {
	union := &jsonschema.Schema{}
	for _, c := range calls {
		members := []any{"method", schema.Const(c.method), "params", schema.Ref(c.params.Name())}
		if answered {
			members = append([]any{"id", schema.Ref("RequestId")}, members...)
		}
		union.AnyOf = append(union.AnyOf, lineWith(members...))
	}
	return union
}

// resultsOf returns the answer to any of these requests. Only its id identifies the request.
func resultsOf(calls []calling) *jsonschema.Schema {
	result := &jsonschema.Schema{}
	seen := map[string]bool{}
	for _, c := range calls {
		if !seen[c.result.Name()] {
			seen[c.result.Name()] = true
			result.AnyOf = append(result.AnyOf, schema.Ref(c.result.Name()))
		}
	}
	return lineWith("id", schema.Ref("RequestId"), "result", result)
}

// lineWith returns an object that begins as all lines do.
func lineWith(members ...any) *jsonschema.Schema {
	return schema.Object(append([]any{"jsonrpc", schema.Const("2.0")}, members...)...)
}
