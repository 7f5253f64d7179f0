package agentair

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is the protocol as one JSON Schema document (draft 2020-12), inferred from
// protocol*.go; the same program gives the same bytes. It has a definition for each type, and
// Inbound and Outbound as the unions of all lines.
//
// Objects are open, but for those that only name what is in them. What --extended adds is
// optional. A number such as 1.0 fits an integer here, and is refused by decode.
func Schema() ([]byte, error) {
	doc := &jsonschema.Schema{
		Schema: "https://json-schema.org/draft/2020-12/schema",
		Title:  "Line", Description: "A line of agent-air's server messages.",
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

func constOf(value any) *jsonschema.Schema { return &jsonschema.Schema{Const: &value} }

func enumOf(values ...string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, value := range values {
		s.Enum = append(s.Enum, value)
	}
	return s
}

func typeOf(name string) *jsonschema.Schema { return &jsonschema.Schema{Type: name} }

// anyObject may have members of any name.
func anyObject() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{}}
}

// orNull is a schema that null fits too.
func orNull(s *jsonschema.Schema) *jsonschema.Schema {
	if s.Type == "" || s.Enum != nil {
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{s, typeOf("null")}}
	}
	nullable := *s
	nullable.Type, nullable.Types = "", []string{s.Type, "null"}
	return &nullable
}

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

// tag is the object around a message: its one member says what is in it.
func tag(name string, value *jsonschema.Schema) *jsonschema.Schema {
	s := objectWith(name, value)
	s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	return s
}

// schema is the definition of one struct. The types that have one of their own are
// references in it.
func (n named) schema() (*jsonschema.Schema, error) {
	if written := writtenSchemas[n]; written != nil {
		return written(), nil
	}
	known := map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[jsontext.Value](): anyObject()}
	for _, other := range append(allTypes(), wordNames()...) {
		if other != n {
			known[other.is], known[reflect.PointerTo(other.is)] = refTo(other.name), refTo(other.name)
		}
	}
	s, err := jsonschema.ForType(n.is, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		return nil, err
	}
	s.AdditionalProperties = nil // open
	for _, f := range reflect.VisibleFields(n.is) {
		if f.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		property := s.Properties[name]
		narrow(property)
		if f.Type.Kind() == reflect.Pointer && (options == "" || slices.Contains(inboundTypes, n)) {
			s.Properties[name] = orNull(property)
		}
		if len(f.Index) > 1 { // of a …More
			s.Required = slices.DeleteFunc(s.Required, func(required string) bool { return required == name })
		}
	}
	n.amend(s)
	return s, nil
}

// narrow takes out what holds for Go values and not on the wire: null for what is absent.
func narrow(s *jsonschema.Schema) {
	s.Types = slices.DeleteFunc(s.Types, func(t string) bool { return t == "null" })
	switch len(s.Types) {
	case 0:
		s.Types = nil
	case 1:
		s.Type, s.Types = s.Types[0], nil
	}
	if s.Items != nil {
		narrow(s.Items)
	}
}

// amend puts in what a Go type does not tell.
func (n named) amend(s *jsonschema.Schema) {
	switch n {
	case of[ControllerInput]():
		s.Properties["metadata"] = orNull(anyObject())
		s.Properties["input_type"] = orNull(enumOf("Data"))
		s.PropertyOrder = append([]string{"input_type"}, s.PropertyOrder...)
	case of[PermissionVote]():
		s.Properties["scope"] = orNull(refTo("PermissionScope"))
	}
}

// writtenSchemas are the definitions of types that Go cannot tell.
var writtenSchemas = map[named]func() *jsonschema.Schema{
	of[Grant](): func() *jsonschema.Schema {
		level, expiry := refTo("PermissionLevel"), orNull(&jsonschema.Schema{Type: "integer", Minimum: new(0.0)})
		flat := func(recursive string, targets ...string) *jsonschema.Schema {
			return objectWith("target_type", enumOf(targets...), "target", typeOf("string"), recursive, typeOf("boolean"), "level", level, "expires_in_secs?", expiry)
		}
		return &jsonschema.Schema{
			Description: "With a target of its own, or with the members of a PermissionRequest.",
			AnyOf: []*jsonschema.Schema{
				objectWith("target", refTo("GrantTarget"), "level", level, "expires_in_secs?", expiry),
				flat("recursive", string(TargetPath)),
				flat("recursive?", string(TargetDomain), string(TargetCommand)),
			},
		}
	},
	of[GrantTarget](): func() *jsonschema.Schema {
		text := typeOf("string")
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
			objectWith("type", constOf(string(GrantPath)), "path", text, "recursive", typeOf("boolean")),
			objectWith("type", enumOf(string(GrantDomain), string(GrantCommand)), "pattern", text),
			objectWith("type", constOf(string(GrantTool)), "tool_name", text),
		}}
	},
}

// lineDefs is the definitions of whole lines: one for each type of message, and their unions.
func lineDefs() map[string]*jsonschema.Schema {
	message, request := &jsonschema.Schema{}, &jsonschema.Schema{}
	defs := map[string]*jsonschema.Schema{
		"UiMessage": message, "Request": request,
		"Outbound": {AnyOf: refsTo("UiMessage")},
		"Inbound":  {Description: "What a client may say.", AnyOf: append(refsTo("ControllerInput", "ControlInput", "Request"), constOf("Shutdown"))},
		"ControlInput": objectWith(
			"input_type", constOf("Control"), "session_id", typeOf("integer"), "content?", &jsonschema.Schema{},
			"control_cmd", enumOf("Interrupt", "Shutdown", "Clear", "Compact"), "turn_id?", orNull(refTo("TurnID")),
		),
	}
	for _, n := range messageTypes {
		defs[n.name+"Message"] = tag(n.name, refTo(n.name))
		message.AnyOf = append(message.AnyOf, refTo(n.name+"Message"))
	}
	for _, n := range requestTypes {
		value := refTo(n.name)
		if n == of[Shutdown]() {
			value = orNull(value)
		}
		defs[n.name+"Request"] = tag(n.name, value)
		request.AnyOf = append(request.AnyOf, refTo(n.name+"Request"))
	}
	return defs
}
