package flint

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
// protocol*.go; the same program gives the same bytes. It has a definition for each type by
// the document's name, Inbound and Outbound as the unions of all lines, and three objects
// that map methods to their types: ClientRequests, AgentRequests, AgentNotifications.
// Where --shapes sdk differs, a line may have either form; the maps name the document's.
//
// Objects are open, and what decode accepts beyond this, null for one, is not shown.
func Schema() ([]byte, error) {
	doc := &jsonschema.Schema{
		Schema: "https://json-schema.org/draft/2020-12/schema",
		Title:  "Message", Description: "A line of the Flint Agent Harness Protocol.",
		Defs:  handmade(),
		AnyOf: []*jsonschema.Schema{refTo("Inbound"), refTo("Outbound")},
	}
	for _, n := range allTypes() {
		s, err := n.schema()
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", n.name, err)
		}
		doc.Defs[n.name] = s
	}
	maps.Copy(doc.Defs, lineDefs())
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

func enumOf[S ~string](values ...S) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, value := range values {
		s.Enum = append(s.Enum, string(value))
	}
	return s
}

func anyValue() *jsonschema.Schema { return &jsonschema.Schema{} }

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

// handmade is the definitions of what is not a struct, or has a form that no Go type says.
func handmade() map[string]*jsonschema.Schema {
	spellings := slices.Sorted(maps.Keys(sandboxTypes))
	policies := []ApprovalPolicy{PolicyNever, PolicyUnlessTrusted, PolicyAlways}
	accepted := slices.Clone(policies)
	for _, word := range slices.Sorted(maps.Keys(policyAliases)) {
		accepted = append(accepted, ApprovalPolicy(word))
	}
	return map[string]*jsonschema.Schema{
		"RequestId":              {Types: []string{"string", "integer"}},
		"JsonRpcError":           objectWith("code", &jsonschema.Schema{Type: "integer"}, "message", &jsonschema.Schema{Type: "string"}, "data?", anyValue()),
		"ApprovalPolicy":         enumOf(policies...),
		"AcceptedApprovalPolicy": enumOf(accepted...),
		"SandboxPolicy": {AnyOf: []*jsonschema.Schema{
			objectWith("type", constOf(SandboxFullAccess)),
			objectWith("type", constOf(SandboxReadOnly)),
			objectWith("type", constOf(SandboxWorkspaceWrite), "writableRoots?", &jsonschema.Schema{Type: "array", Items: pathSchema()}, "networkAccess?", &jsonschema.Schema{Type: "boolean"}),
			objectWith("type", constOf(SandboxExternal), "networkAccess?", enumOf(NetworkRestricted, NetworkEnabled)),
		}},
		"AcceptedSandboxPolicy":  {AnyOf: []*jsonschema.Schema{refTo("SandboxPolicy"), enumOf(spellings...)}},
		"TurnStatus":             enumOf(TurnInProgress, TurnCompleted, TurnInterrupted, TurnFailed),
		"CommandExecutionStatus": enumOf(ItemInProgress, ItemCompleted, ItemFailed, ItemDeclined),
		"FileChangeStatus":       enumOf(ItemInProgress, ItemCompleted, ItemFailed, ItemDeclined),
		"UserInput":              {AnyOf: typeRefs(inputTypes)},
		"KnownItem":              {Description: "The items of the document, and ours.", AnyOf: typeRefs(itemTypes)},
		"KnownItemSDK":           {Description: "The items that have another form with --shapes sdk.", AnyOf: typeRefs(sdkItemTypes)},
		"OtherItem":              otherItem(),
		"ThreadItem":             {Description: "The union is open.", AnyOf: refsTo("KnownItem", "KnownItemSDK", "OtherItem")},
	}
}

func pathSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", MinLength: jsonschema.Ptr(1)}
}

func typeRefs(union []tagged) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	for _, t := range union {
		all = append(all, refTo(t.name))
	}
	return all
}

// otherItem is what a client has to be ready for: an item of a type that it does not know.
func otherItem() *jsonschema.Schema {
	known := &jsonschema.Schema{}
	for _, t := range itemTypes {
		known.Enum = append(known.Enum, t.tag)
	}
	return objectWith("type", &jsonschema.Schema{Type: "string", Not: known}, "id", &jsonschema.Schema{Type: "string"}, "text?", &jsonschema.Schema{Type: "string"})
}

// schema is the definition of one struct. The structs in it are references.
func (n named) schema() (*jsonschema.Schema, error) {
	known := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[jsontext.Value]():   anyValue(),
		reflect.TypeFor[AbsolutePath]():     pathSchema(),
		reflect.TypeFor[ThreadConfig]():     {Type: "object", AdditionalProperties: anyValue()},
		reflect.TypeFor[ThreadItem]():       refTo("ThreadItem"),
		reflect.TypeFor[UserInputs]():       {Type: "array", Items: refTo("UserInput")},
		reflect.TypeFor[TurnStatus]():       refTo("TurnStatus"),
		reflect.TypeFor[ItemStatus]():       enumOf(ItemInProgress, ItemCompleted, ItemFailed),
		reflect.TypeFor[Decision]():         enumOf(Accept, AcceptForSession, Decline, Cancel),
		reflect.TypeFor[ApprovalPolicy]():   refTo("ApprovalPolicy"),
		reflect.TypeFor[SandboxPolicy]():    refTo("SandboxPolicy"),
		reflect.TypeFor[*SandboxPolicy]():   refTo("SandboxPolicy"),
		reflect.TypeFor[ContentItem]():      refTo("ContentItem"),
		reflect.TypeFor[ConfigOption]():     refTo("ConfigOption"),
		reflect.TypeFor[FileUpdateChange](): refTo("FileUpdateChange"),
	}
	for _, part := range parts {
		known[part.is] = refTo(part.name)
	}
	if strings.HasSuffix(n.name, "Params") { // what comes in has more spellings than what goes out
		known[reflect.TypeFor[ApprovalPolicy]()] = refTo("AcceptedApprovalPolicy")
		known[reflect.TypeFor[SandboxPolicy]()] = refTo("AcceptedSandboxPolicy")
	}
	delete(known, n.is)
	s, err := jsonschema.ForType(n.is, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		return nil, err
	}
	narrow("", s)
	s.AdditionalProperties = nil // open
	for name, property := range exceptions() {
		if parent, member, _ := strings.Cut(name, "."); parent == n.is.Name() {
			s.Properties[member] = property
		}
	}
	if _, has := s.Properties["_meta"]; !has {
		if s.Properties == nil {
			s.Properties = map[string]*jsonschema.Schema{}
		}
		s.Properties["_meta"] = anyValue()
		s.PropertyOrder = append(s.PropertyOrder, "_meta")
	}
	return s, nil
}

// narrow takes out what holds for Go values and not on the wire: null for what is absent,
// and counts below zero.
func narrow(field string, s *jsonschema.Schema) {
	s.Types = slices.DeleteFunc(s.Types, func(t string) bool { return t == "null" })
	switch len(s.Types) {
	case 0:
		s.Types = nil
	case 1:
		s.Type, s.Types = s.Types[0], nil
	}
	if s.Type == "integer" && field != "exitCode" {
		s.Minimum = jsonschema.Ptr(0.0)
	}
	for name, property := range s.Properties {
		narrow(name, property)
	}
	if s.Items != nil {
		narrow("", s.Items)
	}
}

// exceptions is the members of which a Go type does not tell all.
func exceptions() map[string]*jsonschema.Schema {
	arguments := &jsonschema.Schema{Type: "object", AdditionalProperties: anyValue()}
	limit := func(most *float64) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(1.0), Maximum: most}
	}
	all := map[string]*jsonschema.Schema{
		"ClientInfo.name":               {Type: "string", MinLength: jsonschema.Ptr(1)},
		"Thread.source":                 constOf("appServer"),
		"ThreadListParams.limit":        limit(jsonschema.Ptr(float64(threadsMost))),
		"ModelListParams.limit":         limit(nil),
		"McpServer.type":                enumOf("stdio", "http", "streamable_http"),
		"TurnStartParams.input":         {Type: "array", Items: refTo("UserInput"), MinItems: jsonschema.Ptr(1)},
		"ImageInput.url":                {Type: "string", Pattern: "^([hH][tT][tT][pP][sS]://|[dD][aA][tT][aA]:[iI][mM][aA][gG][eE]/)"},
		"CommandExecutionItem.status":   refTo("CommandExecutionStatus"),
		"FileChangeItem.status":         refTo("FileChangeStatus"),
		"FileChangeItemSDK.status":      refTo("FileChangeStatus"),
		"FileUpdateChange.kind":         enumOf(ChangeAdd, ChangeModify, ChangeDelete),
		"ChangeKindSDK.type":            enumOf("add", "delete", "update"),
		"McpToolCallItem.arguments":     arguments,
		"McpToolCallItemSDK.arguments":  arguments,
		"McpToolCallItemSDK.result":     objectWith("content", &jsonschema.Schema{Type: "array", Items: anyValue()}),
		"DynamicToolCallItem.arguments": arguments,
		"WebSearchItem.action":          objectWith("type", enumOf("search", "openPage", "findInPage", "other")),
		"PlanEntry.status":              enumOf(StepPending, StepInProgress, StepCompleted, StepFailed),
		"ConfigOption.options":          {Type: "array", Items: refTo("ConfigSelectOption"), MinItems: jsonschema.Ptr(1)},
		"McpServerStatus.status":        enumOf("starting", "ready", "failed"),
	}
	for _, union := range [][]tagged{inputTypes, itemTypes, sdkItemTypes, otherTypes} {
		for _, t := range union {
			all[t.name+".type"] = constOf(t.tag)
		}
	}
	return all
}

// lineDefs is the definitions of whole lines: one for each method, named like the method, and
// the unions of them.
func lineDefs() map[string]*jsonschema.Schema {
	defs := map[string]*jsonschema.Schema{}
	union := func(name string, calls []calling, hasID bool) {
		u := &jsonschema.Schema{}
		for _, c := range calls {
			line := lineName(c.method)
			defs[line] = c.line(hasID)
			u.AnyOf = append(u.AnyOf, refTo(line))
		}
		defs[name] = u
	}
	union("ClientRequest", clientRequests, true)
	union("ClientNotification", clientNotifications, false)
	union("AgentRequest", agentRequests, true)
	union("AgentNotification", agentNotifications, false)
	own := []*jsonschema.Schema{{Type: "object", AdditionalProperties: anyValue()}}
	for _, e := range extensions {
		own = append(own, refTo(e.name))
	}
	defs["ExtensionNotification"] = objectWith(
		"method", &jsonschema.Schema{Type: "string", Pattern: "^[a-z0-9-]+/[a-z0-9_]+$", Not: methodsOf(agentNotifications)},
		"params?", &jsonschema.Schema{AnyOf: own},
	)
	changes := refsTo("FileChangeRequestApproval", "FileChangeRequestApprovalSDK")
	defs[lineName("item/fileChange/requestApproval")].Properties["params"] = &jsonschema.Schema{AnyOf: changes}
	defs["AgentResult"] = answerTo(clientRequests)
	defs["ClientResult"] = answerTo(agentRequests)
	defs["Failure"] = objectWith("id", &jsonschema.Schema{AnyOf: []*jsonschema.Schema{refTo("RequestId"), {Type: "null"}}}, "error", refTo("JsonRpcError"))
	defs["Inbound"] = &jsonschema.Schema{AnyOf: refsTo("ClientRequest", "ClientNotification", "ClientResult", "Failure")}
	defs["Outbound"] = &jsonschema.Schema{AnyOf: refsTo("AgentRequest", "AgentNotification", "ExtensionNotification", "AgentResult", "Failure")}
	defs["ClientRequests"] = methodMap(clientRequests)
	defs["AgentRequests"] = methodMap(agentRequests)
	defs["AgentNotifications"] = methodMap(agentNotifications)
	return defs
}

// lineName is ThreadStartLine for thread/start.
func lineName(method string) string {
	name := ""
	for word := range strings.SplitSeq(method, "/") {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name + "Line"
}

func (c calling) line(hasID bool) *jsonschema.Schema {
	params := "params"
	if !demanding(c.params.is) {
		params = "params?"
	}
	if hasID {
		return objectWith("id", refTo("RequestId"), "method", constOf(c.method), params, refTo(c.params.name))
	}
	return objectWith("method", constOf(c.method), params, refTo(c.params.name))
}

// demanding reports whether the params have a member that may not be missing.
func demanding(params reflect.Type) bool {
	return slices.ContainsFunc(reflect.VisibleFields(params), func(f reflect.StructField) bool {
		return !f.Anonymous && !strings.Contains(f.Tag.Get("json"), "omitzero")
	})
}

// answerTo is the answer to any of these requests. Which, only its id tells.
func answerTo(calls []calling) *jsonschema.Schema {
	result := &jsonschema.Schema{}
	seen := map[string]bool{}
	for _, c := range calls {
		if !seen[c.result.name] {
			seen[c.result.name] = true
			result.AnyOf = append(result.AnyOf, refTo(c.result.name))
		}
	}
	return objectWith("id", refTo("RequestId"), "result", result)
}

func methodsOf(calls []calling) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	for _, c := range calls {
		s.Enum = append(s.Enum, c.method)
	}
	return s
}

// methodMap is an object that has a member for each method.
func methodMap(calls []calling) *jsonschema.Schema {
	var members []any
	for _, c := range calls {
		s := refTo(c.params.name)
		if c.result.is != nil {
			s = objectWith("params", s, "result", refTo(c.result.name))
		}
		members = append(members, c.method, s)
	}
	return objectWith(members...)
}
