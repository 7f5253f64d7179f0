package loaf

import (
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"parley.dev/parley/internal/dialect/schema"
)

// Schema returns the protocol as one JSON Schema document (draft 2020-12), inferred from
// protocol*.go; the same program gives the same bytes. It has a definition for each type,
// Inbound and Outbound as the unions of all lines, and two objects that map names to types:
// Requests (methods) and Events (types of events).
//
// Objects are open, and what decode accepts beyond this, null for one, is not shown.
func Schema() ([]byte, error) {
	return types().Document(&jsonschema.Schema{
		Title: "Line", Description: "A line of loaf's RPC mode.",
		Defs: lineDefs(), AnyOf: schema.Refs("Inbound", "Outbound"),
	})
}

func types() schema.Types {
	return schema.Types{Structs: allTypes(), Words: wordTypes.Get(), Amend: amend}
}

// lineWith returns an object that begins as all lines do.
func lineWith(members ...any) *jsonschema.Schema {
	return schema.Object(append([]any{"jsonrpc", schema.Const("2.0")}, members...)...)
}

// amend adds what a Go type does not contain.
func amend(of schema.Type, s *jsonschema.Schema) {
	schema.Each(s, func(_ string, within *jsonschema.Schema) {
		if within.Type == "integer" {
			within.Minimum = new(0.0) // they are counts
		}
	})
	for _, m := range schema.Members(of.Is) {
		property := s.Properties[m.Name]
		switch {
		case m.Optional:
		case m.Type.Kind() == reflect.Pointer:
			s.Properties[m.Name] = schema.OrNull(property)
		case property.Type == "string" && strings.HasSuffix(of.Name(), "Params"):
			property.MinLength = new(1)
		}
	}
	amendOne(of, s)
}

// amendOne puts in what holds for one struct only.
func amendOne(of schema.Type, s *jsonschema.Schema) {
	switch of {
	case schema.Of[NoParams]():
		*s = jsonschema.Schema{Description: "Ignored, whatever it is.", Type: "object"}
	case schema.Of[HandshakeParams]():
		s.Properties["client_name"], s.Properties["client_version"] = schema.Anything(), schema.Anything() // may be anything
		s.PropertyOrder = append([]string{"client_name", "client_version"}, s.PropertyOrder[1:]...)
	case schema.Of[HistoryListParams]():
		s.Required = nil
		s.Properties["limit"], s.Properties["cursor"] = schema.Kind("number"), schema.Kind("number")
	case schema.Of[ImageInput]():
		s.Required = nil // on the way in
	case schema.Of[ErrorData]():
		s.Properties["reason"] = schema.Enum(errorReasons...)
	case schema.Of[HandshakeResult]():
		s.Properties["protocol_version"] = schema.Const(ProtocolVersion)
	case schema.Of[HistoryEntry]():
		s.Properties["role"] = schema.Enum(KindUser, KindAssistant)
	case schema.Of[Segment]():
		s.Properties["kind"] = schema.Enum("thought", "answer")
	case schema.Of[CommandResult]():
		s.Properties["output"] = schema.AnyOf(outputTypes.Get()...)
	case schema.Of[AuthConnectResult](), schema.Of[AuthConnectStarted](), schema.Of[AuthFlowCompleted]():
		s.Properties["login_method"] = schema.Enum(AuthBrowser, AuthDeviceCode)
	case schema.Of[AuthOpenRouterKeyResult]():
		s.Properties["source"] = schema.Enum("remote", "cache", "fallback")
	case schema.Of[SessionState]():
		s.Properties["contextTokenSource"] = schema.Enum("history", "compaction")
	case schema.Of[ContextEstimate]():
		s.Properties["source"] = schema.Enum("history", "compaction")
	case schema.Of[ToolCall](), schema.Of[Executed]():
		s.Properties["input"] = schema.Kind("object")
	case schema.Of[Tool]():
		s.Properties["input_schema"] = schema.Kind("object")
	}
}

// lineDefs returns the definitions of whole lines: one for each method, one for each type of
// event in either format, and the unions of them.
func lineDefs() map[string]*jsonschema.Schema {
	defs := map[string]*jsonschema.Schema{
		"RequestId": {Types: []string{"string", "number", "null"}},
		"Failure":   lineWith("id", schema.Ref("RequestId"), "error", schema.Ref("RpcError")),
		"RpcError":  schema.Object("code", schema.Kind("integer"), "message", schema.Kind("string"), "data", schema.Ref("ErrorData")),
		"Inbound":   {Description: "What a client may say. A line without an id is ignored.", AnyOf: schema.Refs("Request")},
		"Outbound":  {AnyOf: schema.Refs("Result", "Failure", "Event", "EnvelopedEvent")},
	}
	request, result := &jsonschema.Schema{}, &jsonschema.Schema{}
	var byMethod, byType []any
	seen := map[schema.Type]bool{}
	for _, r := range requestTypes.Get() {
		name := lineName(r.method) + "Request"
		params := "params?"
		if demanding(r.method) {
			params = "params"
		}
		defs[name] = lineWith("id", schema.Ref("RequestId"), "method", schema.Const(r.method), params, schema.Ref(r.params.Name()))
		request.AnyOf = append(request.AnyOf, schema.Ref(name))
		for _, n := range r.results {
			if !seen[n] {
				seen[n] = true
				result.AnyOf = append(result.AnyOf, schema.Ref(n.Name()))
			}
		}
		pair := []any{"params", schema.Ref(r.params.Name())}
		if len(r.results) > 0 {
			pair = append(pair, "result", schema.AnyOf(r.results...))
		}
		byMethod = append(byMethod, r.method, schema.Object(pair...))
	}
	event, enveloped := &jsonschema.Schema{}, &jsonschema.Schema{}
	for _, e := range eventTypes.Get() {
		name := lineName(e.event)
		defs[name+"Event"] = lineWith("method", schema.Const(e.event), "params", schema.Ref(e.payload.Name()))
		defs[name+"Envelope"] = schema.Object("type", schema.Const(e.event), "timestamp", schema.Kind("string"), "payload", schema.Ref(e.payload.Name()))
		event.AnyOf = append(event.AnyOf, schema.Ref(name+"Event"))
		enveloped.AnyOf = append(enveloped.AnyOf, schema.Ref(name+"Envelope"))
		byType = append(byType, e.event, schema.Ref(e.payload.Name()))
	}
	defs["Request"], defs["Result"] = request, lineWith("id", schema.Ref("RequestId"), "result", result)
	defs["Event"], defs["EventEnvelope"] = event, enveloped
	defs["EnvelopedEvent"] = lineWith("method", schema.Const(MethodEvent), "params", schema.Ref("EventEnvelope"))
	defs["Requests"], defs["Events"] = schema.Object(byMethod...), schema.Object(byType...)
	return defs
}

// lineName is SessionQueueList for session.queue.list.
func lineName(dotted string) string {
	name := ""
	for word := range strings.FieldsFuncSeq(dotted, func(r rune) bool { return r == '.' || r == '_' }) {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name
}

// demanding reports whether the method has to have params.
func demanding(method string) bool {
	_, refused := decode(frames.AppendRequest(nil, "1", method, nil))
	return refused != nil
}
