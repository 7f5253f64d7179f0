package flint

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"parley.dev/parley/internal/dialect/schema"
)

// Schema returns the protocol as one JSON Schema document (draft 2020-12), inferred from
// protocol*.go; the same program gives the same bytes. It has a definition for each type by
// the document's name, Inbound and Outbound as the unions of all lines, and three objects
// that map methods to their types: ClientRequests, AgentRequests, AgentNotifications.
// Where --shapes sdk differs, a line may have either form; the maps name the document's.
//
// Objects are open, and what decode accepts beyond this, null for one, is not shown.
func Schema() ([]byte, error) {
	defs := lineDefs()
	maps.Copy(defs, handmade())
	return types().Document(&jsonschema.Schema{
		Title: "Message", Description: "A line of the Flint Agent Harness Protocol.",
		Defs: defs, AnyOf: schema.Refs("Inbound", "Outbound"),
	})
}

func types() schema.Types { return schema.Types{Structs: allTypes(), Forms: forms(), Amend: amend} }

// handmade returns the definitions of what is not a struct, or has a form that no Go type says.
func handmade() map[string]*jsonschema.Schema {
	spellings := slices.Sorted(maps.Keys(sandboxTypes))
	policies := []ApprovalPolicy{PolicyNever, PolicyOnRequest, PolicyUnlessTrusted, PolicyAlways}
	accepted := slices.Clone(policies)
	for _, word := range slices.Sorted(maps.Keys(policyAliases)) {
		accepted = append(accepted, ApprovalPolicy(word))
	}
	return map[string]*jsonschema.Schema{
		"RequestId":              {Types: []string{"string", "integer"}},
		"JsonRpcError":           schema.Object("code", schema.Kind("integer"), "message", schema.Kind("string"), "data?", schema.Anything()),
		"ApprovalPolicy":         schema.Enum(policies...),
		"AcceptedApprovalPolicy": schema.Enum(accepted...),
		"SandboxPolicy": {AnyOf: []*jsonschema.Schema{
			schema.Object("type", schema.Const(SandboxFullAccess)),
			schema.Object("type", schema.Const(SandboxReadOnly)),
			schema.Object("type", schema.Const(SandboxWorkspaceWrite), "writableRoots?", schema.List(pathSchema()), "networkAccess?", schema.Kind("boolean")),
			schema.Object("type", schema.Const(SandboxExternal), "networkAccess?", schema.Enum(NetworkRestricted, NetworkEnabled)),
		}},
		"AcceptedSandboxPolicy":  {AnyOf: []*jsonschema.Schema{schema.Ref("SandboxPolicy"), schema.Enum(spellings...)}},
		"TurnStatus":             schema.Enum(TurnInProgress, TurnCompleted, TurnInterrupted, TurnFailed),
		"CommandExecutionStatus": schema.Enum(ItemInProgress, ItemCompleted, ItemFailed, ItemDeclined),
		"FileChangeStatus":       schema.Enum(ItemInProgress, ItemCompleted, ItemFailed, ItemDeclined),
		"UserInput":              {AnyOf: typeRefs(inputTypes.Get())},
		"KnownItem":              {Description: "The items of the document, and ours.", AnyOf: typeRefs(itemTypes.Get())},
		"KnownItemSDK":           {Description: "The items that have another form with --shapes sdk.", AnyOf: typeRefs(sdkItemTypes.Get())},
		"OtherItem":              otherItem(),
		"ThreadItem":             {Description: "The union is open.", AnyOf: schema.Refs("KnownItem", "KnownItemSDK", "OtherItem")},
	}
}

func pathSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", MinLength: new(1)}
}

func typeRefs(union []tagged) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	for _, t := range union {
		all = append(all, schema.Ref(t.Name()))
	}
	return all
}

// otherItem returns what a client has to be ready for: an item of a type that it does not know.
func otherItem() *jsonschema.Schema {
	known := &jsonschema.Schema{}
	for _, t := range itemTypes.Get() {
		known.Enum = append(known.Enum, t.tag)
	}
	return schema.Object("type", &jsonschema.Schema{Type: "string", Not: known}, "id", schema.Kind("string"), "text?", schema.Kind("string"))
}

// forms returns the types that are not structs, or have a form that no Go type says.
func forms() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[AbsolutePath]():   pathSchema(),
		reflect.TypeFor[ThreadConfig]():   schema.Map(schema.Anything()),
		reflect.TypeFor[ThreadItem]():     schema.Ref("ThreadItem"),
		reflect.TypeFor[UserInputs]():     schema.List(schema.Ref("UserInput")),
		reflect.TypeFor[TurnStatus]():     schema.Ref("TurnStatus"),
		reflect.TypeFor[ItemStatus]():     schema.Enum(ItemInProgress, ItemCompleted, ItemFailed),
		reflect.TypeFor[Decision]():       schema.Enum(Accept, AcceptForSession, Decline, Cancel),
		reflect.TypeFor[ApprovalPolicy](): schema.Ref("ApprovalPolicy"),
		reflect.TypeFor[SandboxPolicy]():  schema.Ref("SandboxPolicy"),
	}
}

// amend adds what a Go type does not express.
func amend(of schema.Type, s *jsonschema.Schema) {
	comesIn := strings.HasSuffix(of.Name(), "Params")
	schema.Each(s, func(member string, within *jsonschema.Schema) {
		switch {
		case within.Type == "integer" && member != "exitCode":
			within.Minimum = new(0.0) // they are counts
		case comesIn && within.Ref == schema.Ref("ApprovalPolicy").Ref: // what comes in has more spellings than what goes out
			*within = *schema.Ref("AcceptedApprovalPolicy")
		case comesIn && within.Ref == schema.Ref("SandboxPolicy").Ref:
			*within = *schema.Ref("AcceptedSandboxPolicy")
		}
	})
	for name, property := range exceptions() {
		if parent, member, _ := strings.Cut(name, "."); parent == of.Is.Name() {
			s.Properties[member] = property
		}
	}
	if s.Properties["_meta"] == nil {
		schema.Add(s, "_meta?", schema.Anything())
	}
}

// exceptions returns the members that a Go type does not describe completely.
func exceptions() map[string]*jsonschema.Schema {
	arguments := schema.Map(schema.Anything())
	limit := func(most *float64) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "integer", Minimum: new(1.0), Maximum: most}
	}
	all := map[string]*jsonschema.Schema{
		"ClientInfo.name":               {Type: "string", MinLength: new(1)},
		"Thread.source":                 schema.Const("appServer"),
		"ThreadListParams.limit":        limit(new(float64(threadsMost))),
		"ModelListParams.limit":         limit(nil),
		"McpServer.type":                schema.Enum("stdio", "http", "streamable_http"),
		"TurnStartParams.input":         {Type: "array", Items: schema.Ref("UserInput"), MinItems: new(1)},
		"ImageInput.url":                {Type: "string", Pattern: "^([hH][tT][tT][pP][sS]://|[dD][aA][tT][aA]:[iI][mM][aA][gG][eE]/)"},
		"CommandExecutionItem.status":   schema.Ref("CommandExecutionStatus"),
		"FileChangeItem.status":         schema.Ref("FileChangeStatus"),
		"FileChangeItemSDK.status":      schema.Ref("FileChangeStatus"),
		"FileUpdateChange.kind":         schema.Enum(ChangeAdd, ChangeModify, ChangeDelete),
		"ChangeKindSDK.type":            schema.Enum("add", "delete", "update"),
		"McpToolCallItem.arguments":     arguments,
		"McpToolCallItemSDK.arguments":  arguments,
		"McpToolCallItemSDK.result":     schema.Object("content", schema.List(schema.Anything())),
		"DynamicToolCallItem.arguments": arguments,
		"WebSearchItem.action":          schema.Object("type", schema.Enum("search", "openPage", "findInPage", "other")),
		"PlanEntry.status":              schema.Enum(StepPending, StepInProgress, StepCompleted, StepFailed),
		"ConfigOption.options":          {Type: "array", Items: schema.Ref("ConfigSelectOption"), MinItems: new(1)},
		"McpServerStatus.status":        schema.Enum("starting", "ready", "failed"),
	}
	for _, union := range [][]tagged{inputTypes.Get(), itemTypes.Get(), sdkItemTypes.Get(), otherTypes.Get()} {
		for _, t := range union {
			all[t.Name()+".type"] = schema.Const(t.tag)
		}
	}
	return all
}

// lineDefs returns the definitions of whole lines: one for each method, named like the method, and
// the unions of them.
func lineDefs() map[string]*jsonschema.Schema {
	defs := map[string]*jsonschema.Schema{}
	union := func(name string, calls []calling, hasID bool) {
		u := &jsonschema.Schema{}
		for _, c := range calls {
			line := lineName(c.method)
			defs[line] = c.line(hasID)
			u.AnyOf = append(u.AnyOf, schema.Ref(line))
		}
		defs[name] = u
	}
	union("ClientRequest", clientRequests.Get(), true)
	union("ClientNotification", clientNotifications.Get(), false)
	union("AgentRequest", agentRequests.Get(), true)
	union("AgentNotification", agentNotifications.Get(), false)
	own := []*jsonschema.Schema{schema.Map(schema.Anything())}
	for _, e := range extensions.Get() {
		own = append(own, schema.Ref(e.Name()))
	}
	defs["ExtensionNotification"] = schema.Object(
		"method", &jsonschema.Schema{Type: "string", Pattern: "^[a-z0-9-]+/[a-z0-9_]+$", Not: methodsOf(agentNotifications.Get())},
		"params?", &jsonschema.Schema{AnyOf: own},
	)
	changes := schema.Refs("FileChangeRequestApproval", "FileChangeRequestApprovalSDK")
	defs[lineName("item/fileChange/requestApproval")].Properties["params"] = &jsonschema.Schema{AnyOf: changes}
	defs["AgentResult"] = answerTo(clientRequests.Get())
	defs["ClientResult"] = answerTo(agentRequests.Get())
	defs["Failure"] = schema.Object("id", schema.OrNull(schema.Ref("RequestId")), "error", schema.Ref("JsonRpcError"))
	defs["Inbound"] = &jsonschema.Schema{AnyOf: schema.Refs("ClientRequest", "ClientNotification", "ClientResult", "Failure")}
	defs["Outbound"] = &jsonschema.Schema{AnyOf: schema.Refs("AgentRequest", "AgentNotification", "ExtensionNotification", "AgentResult", "Failure")}
	defs["ClientRequests"] = methodMap(clientRequests.Get())
	defs["AgentRequests"] = methodMap(agentRequests.Get())
	defs["AgentNotifications"] = methodMap(agentNotifications.Get())
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
	if !demanding(c.params.Is) {
		params = "params?"
	}
	if hasID {
		return schema.Object("id", schema.Ref("RequestId"), "method", schema.Const(c.method), params, schema.Ref(c.params.Name()))
	}
	return schema.Object("method", schema.Const(c.method), params, schema.Ref(c.params.Name()))
}

// demanding reports whether the params have a member that may not be missing.
func demanding(params reflect.Type) bool {
	return slices.ContainsFunc(schema.Members(params), func(m schema.Member) bool { return !m.Optional })
}

// answerTo returns the answer to any of these requests. Only its id identifies the request.
func answerTo(calls []calling) *jsonschema.Schema {
	result := &jsonschema.Schema{}
	seen := map[string]bool{}
	for _, c := range calls {
		if !seen[c.result.Name()] {
			seen[c.result.Name()] = true
			result.AnyOf = append(result.AnyOf, schema.Ref(c.result.Name()))
		}
	}
	return schema.Object("id", schema.Ref("RequestId"), "result", result)
}

func methodsOf(calls []calling) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	for _, c := range calls {
		s.Enum = append(s.Enum, c.method)
	}
	return s
}

// methodMap returns an object that has a member for each method.
func methodMap(calls []calling) *jsonschema.Schema {
	var members []any
	for _, c := range calls {
		s := schema.Ref(c.params.Name())
		if c.result.Is != nil {
			s = schema.Object("params", s, "result", schema.Ref(c.result.Name()))
		}
		members = append(members, c.method, s)
	}
	return schema.Object(members...)
}
