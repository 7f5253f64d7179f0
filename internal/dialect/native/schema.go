package native

import (
	"maps"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"parley.dev/parley/internal/dialect/schema"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// Schema returns the protocol as one JSON Schema document (draft 2020-12), inferred from protocol*.go and package event; the
// same program gives the same bytes. It has a definition for each type, Inbound and Outbound as the unions of all lines,
// SessionSessionRecord as the union of all records by their kind, and two objects that map methods to types: Requests and Notifications.
//
// Params are closed. Everything else is open: later versions may add members, and kinds of records.
func Schema() ([]byte, error) {
	defs := lineDefs()
	maps.Copy(defs, recordDefs())
	maps.Copy(defs, handmade())
	if err := fromSettings(defs); err != nil {
		return nil, err
	}
	return types().Document(&jsonschema.Schema{
		Title: "Line", Description: "A line of Parley's native protocol.",
		Defs: defs, AnyOf: schema.Refs("Inbound", "Outbound"),
	})
}

func types() schema.Types {
	return schema.Types{Structs: allTypes(), Words: wordTypes.Get(), Forms: forms(), Amend: amend}
}

// forms are the types whose JSON form is not that of their fields.
func forms() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[[]byte]():         {Description: "base64", Type: "string"},
		reflect.TypeFor[event.Duration](): {Description: "nanoseconds", Type: "integer"},
		reflect.TypeFor[event.Kind]():     schema.Ref("Kind"),
	}
}

// lineDefs returns the definitions of whole lines: one for each method, and the unions of them.
func lineDefs() map[string]*jsonschema.Schema {
	defs := map[string]*jsonschema.Schema{
		"RequestId":     {Types: []string{"string", "integer"}},
		"ErrorResponse": lineWith("id", schema.OrNull(schema.Ref("RequestId")), "error", schema.Ref("RpcError")),
		"RpcError":      schema.Object("code", schema.Kind("integer"), "message", schema.Kind("string"), "data", schema.Ref("ErrorData")),
		"Inbound":       {Description: "What a client sends.", AnyOf: schema.Refs("Request")},
		"Outbound":      {Description: "What a client receives.", AnyOf: schema.Refs("Result", "ErrorResponse", "Notification")},
	}
	request, result, notification := &jsonschema.Schema{}, &jsonschema.Schema{}, &jsonschema.Schema{}
	requests, notifications := schema.Kind("object"), schema.Kind("object")
	results := map[string]bool{}
	for _, c := range calls() {
		name, params := lineName(c.method)+"Request", "params"
		if mayBeAbsent(c.params.Is) {
			params = "params?"
		}
		defs[name] = lineWith("id", schema.Ref("RequestId"), "method", schema.Const(c.method), params, schema.Ref(c.params.Name()))
		request.AnyOf = append(request.AnyOf, schema.Ref(name))
		schema.Add(requests, c.method, schema.Object(params, schema.Ref(c.params.Name()), "result", schema.Ref(c.result.Name())))
		if !results[c.result.Name()] {
			results[c.result.Name()] = true
			result.AnyOf = append(result.AnyOf, schema.Ref(c.result.Name()))
		}
	}
	for _, n := range notes.Get() {
		name := lineName(n.method) + "Notification"
		defs[name] = lineWith("method", schema.Const(n.method), "params", schema.Ref(n.params.Name()))
		notification.AnyOf = append(notification.AnyOf, schema.Ref(name))
		schema.Add(notifications, n.method, schema.Ref(n.params.Name()))
	}
	defs["Request"], defs["Notification"] = request, notification
	defs["Result"] = lineWith("id", schema.Ref("RequestId"), "result", result)
	defs["Requests"], defs["Notifications"] = requests, notifications
	return defs
}

// lineWith returns an object that begins as all lines do.
func lineWith(members ...any) *jsonschema.Schema {
	return schema.Object(append([]any{"jsonrpc", schema.Const("2.0")}, members...)...)
}

// lineName returns TurnFollowUp for turn/follow_up.
func lineName(method string) string {
	name := ""
	for word := range strings.FieldsFuncSeq(method, func(r rune) bool { return r == '/' || r == '_' }) {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name
}

// mayBeAbsent reports whether a request may come without params: no member is required.
func mayBeAbsent(params reflect.Type) bool {
	if ofPlace(params) {
		return false
	}
	for _, m := range schema.Members(params) {
		if !m.Optional {
			return false
		}
	}
	return true
}

// ofPlace reports whether params need a session or a workspace.
func ofPlace(params reflect.Type) bool {
	f, embedded := params.FieldByName("PlaceParams")
	return embedded && f.Anonymous
}

// recordDefs returns a definition of the record of each kind, and the unions of them.
func recordDefs() map[string]*jsonschema.Schema {
	stored := &jsonschema.Schema{Description: "A record that is stored, and has a number."}
	passing := &jsonschema.Schema{Description: "A record that is sent and not stored."}
	defs := map[string]*jsonschema.Schema{
		"DurableRecord": stored, "TransientRecord": passing,
		"DurableKind": schema.Enum(kindsThat(event.Kind.Durable)...), "TransientKind": schema.Enum(kindsThat(transient)...),
		"Kind": {AnyOf: schema.Refs("DurableKind", "TransientKind")},
		"SessionRecord": {
			Description: "What has happened in a session, by its kind. Later versions have further kinds: ignore those that you do not know.",
			AnyOf:       schema.Refs("DurableRecord", "TransientRecord"),
		},
	}
	for kind, e := range event.Kinds() {
		data := reflect.TypeOf(e).Name()
		members := []any{"time", dateTime(), "turn?", schema.Kind("string"), "kind", schema.Const(string(kind)), "data", schema.Ref(data)}
		union := passing
		if kind.Durable() {
			seq := &jsonschema.Schema{Type: "integer", Minimum: new(1.0)}
			members = append([]any{"seq", seq}, append(members, "origin?", schema.Anything(), "hash?", schema.Kind("string"))...)
			union = stored
		} else {
			members = append([]any{"seq?", schema.Const(0)}, members...)
		}
		defs[data+"Record"] = schema.Object(members...)
		union.AnyOf = append(union.AnyOf, schema.Ref(data+"Record"))
	}
	return defs
}

func dateTime() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Description: "RFC 3339, UTC", Format: "date-time"}
}

// handmade returns the definitions of what is read or written otherwise than its Go type says.
func handmade() map[string]*jsonschema.Schema {
	image := schema.Object("mime", schema.Enum(imageTypes...), "data?", schema.Kind("string"), "blob?", schema.Kind("string"), "name?", schema.Kind("string"))
	image.Description = "Either data, in base64, or blob, the address that session/put_blob has returned."
	text := schema.Kind("string")
	return map[string]*jsonschema.Schema{
		"PromptBlock": {Description: "A part of a prompt.", AnyOf: []*jsonschema.Schema{
			schema.Object("kind", schema.Const("text"), "text?", text),
			schema.Object("kind", schema.Const("image"), "image", schema.Ref("PromptImage")),
		}},
		"PromptImage": image,
		"Block": {Description: "A part of a message, by its kind.", AnyOf: []*jsonschema.Schema{
			schema.Object("kind", schema.Const(string(model.KindText)), "text?", text),
			schema.Object("kind", schema.Const(string(model.KindThinking)), "text?", text, "signature?", text, "summary?", schema.Kind("boolean")),
			schema.Object("kind", schema.Const(string(model.KindImage)), "image", schema.Ref("Image")),
			schema.Object("kind", schema.Const(string(model.KindToolCall)), "call", schema.Ref("ToolCall")),
			schema.Object("kind", schema.Const(string(model.KindToolResult)), "result", schema.Ref("ToolResult")),
		}},
	}
}

// fromSettings defines SettingsPatch: the members of Settings, of which each may be null.
func fromSettings(defs map[string]*jsonschema.Schema) error {
	patch, err := types().Define(schema.Of[event.Settings]())
	if err != nil {
		return err
	}
	patch.Description = "A merge patch (RFC 7396) of Settings: null removes a member."
	patch.AdditionalProperties = schema.Nothing()
	for name, member := range patch.Properties {
		patch.Properties[name] = schema.OrNull(member)
	}
	defs["SettingsPatch"] = patch
	return nil
}

// amend adds what a Go type does not express.
func amend(of schema.Type, s *jsonschema.Schema) {
	schema.Each(s, func(_ string, within *jsonschema.Schema) {
		within.AdditionalProperties = openOr(within.AdditionalProperties)
	})
	if strings.HasSuffix(of.Name(), "Params") {
		s.AdditionalProperties = schema.Nothing()
	}
	if ofPlace(of.Is) {
		s.Properties["session"].MinLength, s.Properties["workspace"].MinLength = new(1), new(1)
		s.OneOf = []*jsonschema.Schema{
			schema.Object("session", s.Properties["session"]), schema.Object("workspace", s.Properties["workspace"]),
		}
	}
	for _, m := range schema.Members(of.Is) {
		property := s.Properties[m.Name]
		switch words := m.Tag.Get("enum"); {
		case words != "":
			s.Properties[m.Name] = schema.Enum(strings.Split(words, ",")...)
		case property.Type == "integer" && m.Type.Kind() == reflect.Uint64:
			property.Minimum = new(0.0)
		case m.Type == reflect.TypeFor[jsontext.Value]() && m.Name == "settings":
			s.Properties[m.Name] = schema.Ref("SettingsPatch")
		case m.Type == reflect.TypeFor[jsontext.Value]() && m.Name == "blocks":
			s.Properties[m.Name] = &jsonschema.Schema{Type: "array", Items: schema.Ref("PromptBlock"), MinItems: new(1)}
		case m.Type == reflect.TypeFor[*[][]string](), m.Type == reflect.TypeFor[event.Answers]():
			s.Properties[m.Name] = schema.OrNull(property)
		}
	}
	for name, property := range exceptions() {
		if parent, member, _ := strings.Cut(name, "."); parent == of.Name() {
			s.Properties[member] = property
		}
	}
}

// openOr returns the values that an object's further members may have; a struct within a struct is open, as all are.
func openOr(additional *jsonschema.Schema) *jsonschema.Schema {
	if additional != nil && additional.Not != nil {
		return nil
	}
	return additional
}

// exceptions returns the members that a Go type does not describe completely.
func exceptions() map[string]*jsonschema.Schema {
	notEmpty := &jsonschema.Schema{Type: "string", MinLength: new(1)}
	between := func(least, most float64) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "integer", Minimum: &least, Maximum: &most}
	}
	return map[string]*jsonschema.Schema{
		"InitializeParams.client":       closed(schema.Object("name", schema.Kind("string"), "version?", schema.Kind("string"))),
		"SessionsListParams.limit":      between(0, 1000),
		"SessionCreateParams.workspace": notEmpty,
		"SessionCreateParams.servers":   schema.Kind("object"),
		"Server.status":                 schema.Enum(append([]string{""}, wordTypes.Get()[schema.Of[event.ServerStatus]()]...)...),
		"SessionFollowParams.transient": schema.List(schema.Ref("TransientKind")),
		"SessionFollowParams.pace_ms":   between(0, 60_000),
		"SessionRecordsParams.limit":    between(0, 1000),
		"SessionRecordsResult.records":  schema.List(schema.Ref("DurableRecord")),
		"SessionBlobParams.limit":       between(0, BlobLimit),
		"SessionBlobParams.offset":      between(0, 1<<40),
		"TurnPromptParams.id":           notEmpty,
		"TurnSteerParams.id":            notEmpty,
		"RecordNote.record":             schema.Ref("SessionRecord"),
		"SubagentRecorded.record":       schema.Ref("SessionRecord"),
		"Tool.schema":                   schema.Kind("object"),
		"SessionCreated.version":        schema.Const(event.Version),
	}
}

// closed returns an object without further members.
func closed(object *jsonschema.Schema) *jsonschema.Schema {
	object.AdditionalProperties = schema.Nothing()
	return object
}
