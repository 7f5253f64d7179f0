package loaf

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is the protocol as one JSON Schema document (draft 2020-12), inferred from
// protocol*.go; the same program gives the same bytes. It has a definition for each type,
// Inbound and Outbound as the unions of all lines, and two objects that map names to types:
// Requests (methods) and Events (types of events).
//
// Objects are open, and what decode accepts beyond this, null for one, is not shown.
func Schema() ([]byte, error) {
	doc := &jsonschema.Schema{
		Schema: "https://json-schema.org/draft/2020-12/schema",
		Title:  "Line", Description: "A line of loaf's RPC mode.",
		Defs:  lineDefs(),
		AnyOf: refsTo("Inbound", "Outbound"),
	}
	for n, allowed := range wordTypes {
		doc.Defs[n.name] = enumOf(allowed...)
	}
	for _, n := range allTypes() {
		s, err := n.schema()
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", n.name, err)
		}
		doc.Defs[n.name] = s
	}
	text, err := json.Marshal(doc, jsontext.WithIndent("  "))
	return append(text, '\n'), err
}

func refTo(name string) *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/$defs/" + name} }

func refsTo(names ...string) []*jsonschema.Schema {
	all := make([]*jsonschema.Schema, len(names))
	for i, name := range names {
		all[i] = refTo(name)
	}
	return all
}

// anyOf is one of these types.
func anyOf(types ...named) *jsonschema.Schema {
	if len(types) == 1 {
		return refTo(types[0].name)
	}
	s := &jsonschema.Schema{}
	for _, n := range types {
		s.AnyOf = append(s.AnyOf, refTo(n.name))
	}
	return s
}

func constOf(value any) *jsonschema.Schema { return &jsonschema.Schema{Const: &value} }

func enumOf(values ...string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, value := range values {
		s.Enum = append(s.Enum, value)
	}
	return s
}

func textSchema() *jsonschema.Schema   { return &jsonschema.Schema{Type: "string"} }
func objectSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "object"} }

// objectWith has these members, each a name and its schema; a name that ends in ? is optional.
func objectWith(members ...any) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for i := 0; i < len(members); i += 2 {
		name, optional := strings.CutSuffix(members[i].(string), "?")
		s.Properties[name] = members[i+1].(*jsonschema.Schema)
		s.PropertyOrder = append(s.PropertyOrder, name)
		if !optional {
			s.Required = append(s.Required, name)
		}
	}
	return s
}

// lineWith is an object that begins as all lines do.
func lineWith(members ...any) *jsonschema.Schema {
	return objectWith(append([]any{"jsonrpc", constOf("2.0")}, members...)...)
}

// schema is the definition of one struct. The types that have one of their own are
// references in it.
func (n named) schema() (*jsonschema.Schema, error) {
	known := map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[jsontext.Value](): {}}
	for _, other := range append(allTypes(), slices.Collect(maps.Keys(wordTypes))...) {
		if other != n && other.is != reflect.TypeFor[NoParams]() {
			known[other.is], known[reflect.PointerTo(other.is)] = refTo(other.name), refTo(other.name)
		}
	}
	delete(known, embeddedIn(n.is)) // its members are this one's
	s, err := jsonschema.ForType(n.is, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		return nil, err
	}
	s.AdditionalProperties = nil // open
	for _, f := range reflect.VisibleFields(n.is) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous {
			continue
		}
		property := s.Properties[name]
		narrow(property)
		switch required := options == ""; {
		case required && f.Type.Kind() == reflect.Pointer:
			orNull(property)
		case required && property.Type == "string" && strings.HasSuffix(n.name, "Params"):
			property.MinLength = jsonschema.Ptr(1)
		}
	}
	n.amend(s)
	return s, nil
}

// embeddedIn is the struct that is embedded in t, or nil.
func embeddedIn(t reflect.Type) reflect.Type {
	for f := range t.Fields() {
		if f.Anonymous {
			return f.Type
		}
	}
	return nil
}

// narrow takes out what holds for Go values and not on the wire: null for what is absent,
// and counts below zero.
func narrow(s *jsonschema.Schema) {
	s.Types = slices.DeleteFunc(s.Types, func(t string) bool { return t == "null" })
	switch len(s.Types) {
	case 0:
		s.Types = nil
	case 1:
		s.Type, s.Types = s.Types[0], nil
	}
	if s.Type == "integer" {
		s.Minimum = jsonschema.Ptr(0.0)
	}
	if s.Items != nil {
		narrow(s.Items)
	}
}

// orNull makes a schema that null fits too.
func orNull(s *jsonschema.Schema) {
	if s.Ref != "" {
		*s = jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Ref: s.Ref}, {Type: "null"}}}
		return
	}
	s.Type, s.Types = "", []string{s.Type, "null"}
}

// amend puts in what a Go type does not tell.
func (n named) amend(s *jsonschema.Schema) {
	switch n {
	case of[NoParams]():
		*s = jsonschema.Schema{Description: "Ignored, whatever it is.", Type: "object"}
	case of[HandshakeParams]():
		s.Properties["client_name"], s.Properties["client_version"] = &jsonschema.Schema{}, &jsonschema.Schema{} // ignored, but sent
		s.PropertyOrder = append([]string{"client_name", "client_version"}, s.PropertyOrder...)
	case of[HistoryListParams]():
		s.Required = nil
		s.Properties["limit"], s.Properties["cursor"] = &jsonschema.Schema{Type: "number"}, &jsonschema.Schema{Type: "number"}
	case of[ImageInput]():
		s.Required = nil // on the way in
	case of[ErrorData]():
		s.Properties["reason"] = enumOf(errorReasons...)
	case of[HandshakeResult]():
		s.Properties["protocol_version"] = constOf(ProtocolVersion)
	case of[HistoryEntry]():
		s.Properties["role"] = enumOf(string(KindUser), string(KindAssistant))
	case of[Segment]():
		s.Properties["kind"] = enumOf("thought", "answer")
	case of[CommandResult]():
		s.Properties["output"] = anyOf(outputTypes...)
	case of[AuthConnectResult](), of[AuthConnectStarted](), of[AuthFlowCompleted]():
		s.Properties["login_method"] = enumOf(string(AuthBrowser), string(AuthDeviceCode))
	case of[AuthOpenRouterKeyResult]():
		s.Properties["source"] = enumOf("remote", "cache", "fallback")
	case of[SessionState]():
		s.Properties["contextTokenSource"] = enumOf("history", "compaction")
	case of[ContextEstimate]():
		s.Properties["source"] = enumOf("history", "compaction")
	case of[ToolCall](), of[Executed]():
		s.Properties["input"] = objectSchema()
	case of[Tool]():
		s.Properties["input_schema"] = objectSchema()
	}
}

// lineDefs is the definitions of whole lines: one for each method, one for each type of
// event in either format, and the unions of them.
func lineDefs() map[string]*jsonschema.Schema {
	defs := map[string]*jsonschema.Schema{
		"RequestId": {Types: []string{"string", "number", "null"}},
		"Failure":   lineWith("id", refTo("RequestId"), "error", refTo("RpcError")),
		"RpcError":  objectWith("code", &jsonschema.Schema{Type: "integer"}, "message", textSchema(), "data", refTo("ErrorData")),
		"Inbound":   {Description: "What a client may say. A line without an id is ignored.", AnyOf: refsTo("Request")},
		"Outbound":  {AnyOf: refsTo("Result", "Failure", "Event", "EnvelopedEvent")},
	}
	request, result := &jsonschema.Schema{}, &jsonschema.Schema{}
	var byMethod, byType []any
	seen := map[named]bool{}
	for _, r := range requestTypes {
		name := lineName(r.method) + "Request"
		params := "params?"
		if demanding(r.method) {
			params = "params"
		}
		defs[name] = lineWith("id", refTo("RequestId"), "method", constOf(r.method), params, refTo(r.params.name))
		request.AnyOf = append(request.AnyOf, refTo(name))
		for _, n := range r.results {
			if !seen[n] {
				seen[n] = true
				result.AnyOf = append(result.AnyOf, refTo(n.name))
			}
		}
		pair := []any{"params", refTo(r.params.name)}
		if len(r.results) > 0 {
			pair = append(pair, "result", anyOf(r.results...))
		}
		byMethod = append(byMethod, r.method, objectWith(pair...))
	}
	event, enveloped := &jsonschema.Schema{}, &jsonschema.Schema{}
	for _, e := range eventTypes {
		name := lineName(e.event)
		defs[name+"Event"] = lineWith("method", constOf(e.event), "params", refTo(e.payload.name))
		defs[name+"Envelope"] = objectWith("type", constOf(e.event), "timestamp", textSchema(), "payload", refTo(e.payload.name))
		event.AnyOf = append(event.AnyOf, refTo(name+"Event"))
		enveloped.AnyOf = append(enveloped.AnyOf, refTo(name+"Envelope"))
		byType = append(byType, e.event, refTo(e.payload.name))
	}
	defs["Request"], defs["Result"] = request, lineWith("id", refTo("RequestId"), "result", result)
	defs["Event"], defs["EventEnvelope"] = event, enveloped
	defs["EnvelopedEvent"] = lineWith("method", constOf(MethodEvent), "params", refTo("EventEnvelope"))
	defs["Requests"], defs["Events"] = objectWith(byMethod...), objectWith(byType...)
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
