package pisces

import (
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/sessionfile"
	"parley.dev/parley/internal/dialect/schema"
)

// Schema returns the protocol as one JSON Schema document (draft 2020-12), inferred from
// protocol*.go, also those of its rooms; the same program gives the same bytes. It has a definition for each type,
// Inbound and Outbound as the unions of all lines, an object Requests that maps commands to
// their data, and FileEntry, a line of a session file.
//
// Objects are open, and what decode accepts beyond this, null for one, is not shown. Nor are
// messages and entries of other programs, which are kept as they are.
func Schema() ([]byte, error) {
	types := schema.Types{Structs: allTypes(), Words: wordTypes.Get(), Forms: forms(), Amend: amend}
	return types.Document(&jsonschema.Schema{
		Title: "Line", Description: "A line of the RPC mode of Pisces.",
		Defs: lineDefs(), AnyOf: schema.Refs("Inbound", "Outbound"),
	})
}

// forms returns the unions that are interfaces in Go.
func forms() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[message.Message]():       schema.Ref("Message"),
		reflect.TypeFor[message.Content]():       schema.Ref("Content"),
		reflect.TypeFor[AssistantMessageEvent](): schema.Ref("AssistantMessageEvent"),
	}
}

// lead puts members before those that an object has.
func lead(s *jsonschema.Schema, members ...any) {
	first := schema.Object(members...)
	for name, member := range first.Properties {
		if s.Properties == nil {
			s.Properties = map[string]*jsonschema.Schema{}
		}
		s.Properties[name] = member
	}
	s.PropertyOrder = append(first.PropertyOrder, s.PropertyOrder...)
	s.Required = append(first.Required, s.Required...)
}

// amend adds what a Go type does not express: what a line says that it is, and words.
func amend(of schema.Type, s *jsonschema.Schema) {
	for name, member := range s.Properties {
		if words := memberWords.Get()[of.Name()+"."+name]; words != nil {
			s.Properties[name] = schema.Enum(words...)
		}
		switch name {
		case "args", "arguments", "parameters":
			s.Properties[name] = schema.Kind("object")
		case "preserveData":
			member.AdditionalProperties = nil
		}
	}
	amendLine(of, s)
	amendPart(of, s)
	amendOne(of, s)
}

// amendLine says of a line what it is.
func amendLine(of schema.Type, s *jsonschema.Schema) {
	for _, c := range commandTypes.Get() {
		if c.params == of {
			lead(s, "id?", schema.Anything(), "type", schema.Const(c.command))
		}
	}
	for _, e := range events.Get() {
		if typeOf(e) == of {
			lead(s, "type", schema.Const(e.EventType()))
		}
	}
	for _, l := range hostLines {
		if l.is == of {
			lead(s, "type", schema.Const(l.kind))
		}
	}
	for _, r := range uiRequests {
		if typeOf(r) == of {
			lead(s, "type", schema.Const(uiRequest), "method", schema.Const(r.UIMethod()))
		}
	}
	for _, e := range sessionfile.Lines {
		if e.Type == of {
			s.Properties["type"] = schema.Const(e.Kind)
		}
	}
}

// amendPart says of a part of a line what it is.
func amendPart(of schema.Type, s *jsonschema.Schema) {
	for _, m := range messageTypes {
		if m.is == of {
			s.Properties["role"] = oneOf(schema.Words(m.roles...))
		}
	}
	for _, c := range contentTypes {
		if c.is == of {
			s.Properties["type"] = schema.Const(c.kind)
		}
	}
	for _, b := range blockTypes {
		if b.is == of {
			s.Properties["type"] = oneOf(b.types)
		}
	}
}

// oneOf returns one of some words.
func oneOf(words []string) *jsonschema.Schema {
	if len(words) == 1 {
		return schema.Const(words[0])
	}
	return schema.Enum(words...)
}

// amendOne puts in what holds for one struct only.
func amendOne(of schema.Type, s *jsonschema.Schema) {
	pictured := schema.List(&jsonschema.Schema{AnyOf: schema.Refs("TextContent", "ImageContent")})
	textOrBlocks := &jsonschema.Schema{AnyOf: []*jsonschema.Schema{schema.Kind("string"), pictured}}
	switch of {
	case schema.As[message.User]("UserMessage"), schema.As[message.Custom]("CustomMessage"):
		s.Properties["content"] = textOrBlocks // relatives of the program write texts
	case schema.Of[HostResult](), schema.As[message.ToolResult]("ToolResultMessage"), schema.As[message.Result]("ToolResult"):
		s.Properties["content"] = pictured
	case schema.As[message.Assistant]("AssistantMessage"):
		s.Properties["content"] = schema.List(&jsonschema.Schema{AnyOf: schema.Refs("TextContent", "ThinkingContent", "RedactedThinkingContent", "ToolCall")})
	case schema.Of[MessageUpdate](), schema.Of[TurnEnd]():
		s.Properties["message"] = schema.Ref("AssistantMessage")
	case schema.Of[SetEventFilter](), schema.Of[EventFilter]():
		s.Properties["events"] = schema.OrNull(schema.List(schema.Kind("string")))
	case schema.Of[Entries](), schema.Of[Tree]():
		s.Properties["leafId"] = schema.OrNull(schema.Kind("string"))
	case schema.Of[PromptResult]():
		s.Properties["id"] = schema.Anything()
	case schema.Of[LastAssistantText]():
		s.Properties["text"] = schema.OrNull(schema.Kind("string"))
	case schema.Of[Model]():
		s.Properties["input"] = schema.List(schema.Enum("text", "image"))
		s.Properties["compat"] = schema.Kind("object")
	case schema.Of[ExtensionUIResponse]():
		*s = *schema.Object(
			"type", schema.Const(TypeUIResponse), "id", schema.Kind("string"), "value?", schema.Kind("string"),
			"confirmed?", schema.Kind("boolean"), "cancelled?", schema.Const(true), "timedOut?", schema.Kind("boolean"),
		)
		s.Description = "It has one of value, confirmed and cancelled."
	}
	for _, e := range sessionfile.Lines {
		if e.Type == of && e.Kind == message.EntryCustomMessage {
			s.Properties["content"] = textOrBlocks
		}
		if parent := s.Properties["parentId"]; e.Type == of && parent != nil {
			s.Properties["parentId"] = schema.OrNull(schema.Kind("string"))
		}
	}
}

// lineDefs returns the definitions of answers, and of the unions.
func lineDefs() map[string]*jsonschema.Schema {
	defs := map[string]*jsonschema.Schema{
		"Inbound":  {Description: "What a client may say.", AnyOf: schema.Refs("Command", "ExtensionUIResponse", "HostToolUpdate", "HostToolResult")},
		"Outbound": {AnyOf: schema.Refs("Response", "Failure", "Event", "ExtensionUIRequest")},
		"Failure":  failure(),
	}
	command, response := &jsonschema.Schema{}, &jsonschema.Schema{}
	var plain []string
	var byCommand []any
	for _, c := range commandTypes.Get() {
		command.AnyOf = append(command.AnyOf, schema.Ref(c.params.Name()))
		pair := []any{"command", schema.Ref(c.params.Name())}
		if c.data.Is == nil {
			plain = append(plain, c.command)
		} else {
			data := schema.Ref(c.data.Name())
			if c.nullable {
				data = schema.OrNull(data)
			}
			pair = append(pair, "data", data)
			name := c.params.Name() + "Response"
			defs[name] = answering(schema.Const(c.command), data)
			response.AnyOf = append(response.AnyOf, schema.Ref(name))
		}
		byCommand = append(byCommand, c.command, schema.Object(pair...))
	}
	defs["Done"] = answering(schema.Enum(plain...), nil)
	response.AnyOf = append(response.AnyOf, schema.Ref("Done"))
	defs["Command"], defs["Response"], defs["Requests"] = command, response, schema.Object(byCommand...)
	defs["Event"], defs["ExtensionUIRequest"] = unionOf(events.Get()), unionOf(uiRequests)
	defs["Content"], defs["Message"], defs["AssistantMessageEvent"] = &jsonschema.Schema{}, &jsonschema.Schema{}, &jsonschema.Schema{}
	for _, c := range contentTypes {
		defs["Content"].AnyOf = append(defs["Content"].AnyOf, schema.Ref(c.is.Name()))
	}
	for _, m := range messageTypes {
		defs["Message"].AnyOf = append(defs["Message"].AnyOf, schema.Ref(m.is.Name()))
	}
	for _, b := range blockTypes {
		defs["AssistantMessageEvent"].AnyOf = append(defs["AssistantMessageEvent"].AnyOf, schema.Ref(b.is.Name()))
	}
	defs["FileEntry"] = &jsonschema.Schema{Description: "A line of a session file; the first is a SessionHeader."}
	for _, e := range sessionfile.Lines {
		defs["FileEntry"].AnyOf = append(defs["FileEntry"].AnyOf, schema.Ref(e.Type.Name()))
	}
	return defs
}

// unionOf returns the types of these values.
func unionOf[T any](values []T) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	for _, value := range values {
		s.AnyOf = append(s.AnyOf, schema.Ref(typeOf(value).Name()))
	}
	return s
}

// answering returns the answer to a command that was done; data is nil if there is none.
func answering(command, data *jsonschema.Schema) *jsonschema.Schema {
	s := schema.Object("type", schema.Const(Response{}.EventType()), "id?", schema.Anything(), "command", command, "success", schema.Const(true))
	if data != nil {
		schema.Add(s, "data", data)
	}
	return s
}

// failure returns the answer to a command that was not done, or to what is none.
func failure() *jsonschema.Schema {
	return schema.Object(
		"type", schema.Const(Response{}.EventType()), "id?", schema.Anything(), "command?", schema.Kind("string"),
		"success", schema.Const(false), "error", schema.Kind("string"), "code?", schema.Enum(codeBusy, codeStale),
	)
}
