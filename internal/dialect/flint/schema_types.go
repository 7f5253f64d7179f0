package flint

import (
	"parley.dev/parley/internal/dialect/schema"

	"parley.dev/parley/internal/lazy"
)

// This file lists what protocol*.go has, by the document's own names, for the schema.

// A tagged is a type and what its member "type" says.
type tagged struct {
	schema.Type
	tag string
}

// A calling is a method with its params and, of a request, its result.
type calling struct {
	method         string
	params, result schema.Type
}

// What a client asks, in the order of the document.
var clientRequests = lazy.Value[[]calling]{New: func() []calling {
	return []calling{
		{"initialize", schema.Of[InitializeParams](), schema.Of[InitializeResult]()},
		{"thread/start", schema.Of[ThreadStartParams](), schema.Of[ThreadStartResult]()},
		{"thread/resume", schema.Of[ThreadResumeParams](), schema.Of[ThreadResumeResult]()},
		{"thread/list", schema.Of[ThreadListParams](), schema.Of[ThreadListResult]()},
		{"thread/archive", schema.Of[ThreadArchiveParams](), schema.Of[Empty]()},
		{"turn/start", schema.Of[TurnStartParams](), schema.Of[TurnStartResult]()},
		{"turn/interrupt", schema.Of[TurnInterruptParams](), schema.Of[Empty]()},
		{"model/list", schema.Of[ModelListParams](), schema.Of[ModelListResult]()},
		{"config/list", schema.Of[ConfigListParams](), schema.Of[ConfigListResult]()},
		{"config/set", schema.Of[ConfigSetParams](), schema.Of[ConfigSetResult]()},
		{"config/read", schema.Of[ConfigReadParams](), schema.Of[ConfigReadResult]()},
	}
}}

var clientNotifications = lazy.Value[[]calling]{New: func() []calling {
	return []calling{
		{method: "initialized", params: schema.Of[InitializedParams]()},
	}
}}

var agentNotifications = lazy.Value[[]calling]{New: func() []calling {
	return []calling{
		{method: "thread/started", params: schema.Of[ThreadStartedNotification]()},
		{method: "turn/started", params: schema.Of[TurnStartedNotification]()},
		{method: "turn/completed", params: schema.Of[TurnCompletedNotification]()},
		{method: "turn/plan/updated", params: schema.Of[TurnPlanUpdated]()},
		{method: "thread/tokenUsage/updated", params: schema.Of[TokenUsageUpdated]()},
		{method: "item/started", params: schema.Of[ItemStartedNotification]()},
		{method: "item/completed", params: schema.Of[ItemCompletedNotification]()},
		{method: "item/agentMessage/delta", params: schema.As[ItemDelta]("AgentMessageDelta")},
		{method: "item/reasoning/textDelta", params: schema.Of[ReasoningTextDelta]()},
		{method: "item/reasoning/summaryTextDelta", params: schema.Of[ReasoningSummaryTextDelta]()},
		{method: "item/commandExecution/outputDelta", params: schema.As[ItemDelta]("CommandExecutionOutputDelta")},
		{method: "item/fileChange/outputDelta", params: schema.As[ItemDelta]("FileChangeOutputDelta")},
		{method: "item/plan/delta", params: schema.As[ItemDelta]("PlanDelta")},
		{method: "error", params: schema.Of[ErrorNotification]()},
	}
}}

var agentRequests = lazy.Value[[]calling]{New: func() []calling {
	return []calling{
		{"item/commandExecution/requestApproval", schema.Of[CommandExecutionRequestApproval](), schema.As[ApprovalResponse]("CommandExecutionApprovalResponse")},
		{"item/fileChange/requestApproval", schema.Of[FileChangeRequestApproval](), schema.As[ApprovalResponse]("FileChangeApprovalResponse")},
	}
}}

// The unions, by the values of "type".
var (
	inputTypes = lazy.Value[[]tagged]{New: func() []tagged {
		return []tagged{
			{schema.Of[TextInput](), "text"},
			{schema.Of[ImageInput](), "image"},
			{schema.Of[LocalImageInput](), "localImage"},
		}
	}}

	itemTypes = lazy.Value[[]tagged]{New: func() []tagged {
		return []tagged{
			{schema.Of[UserMessageItem](), "userMessage"},
			{schema.Of[AgentMessageItem](), "agentMessage"},
			{schema.Of[ReasoningItem](), "reasoning"},
			{schema.Of[CommandExecutionItem](), "commandExecution"},
			{schema.Of[FileChangeItem](), "fileChange"},
			{schema.Of[McpToolCallItem](), "mcpToolCall"},
			{schema.Of[WebSearchItem](), "webSearch"},
			{schema.Of[PlanItem](), "plan"},
			{schema.Of[DynamicToolCallItem](), "dynamicToolCall"},
			{schema.Of[ContextCompactionItem](), "contextCompaction"},
		}
	}}

	sdkItemTypes = lazy.Value[[]tagged]{New: func() []tagged {
		return []tagged{
			{schema.Of[ReasoningItemSDK](), "reasoning"},
			{schema.Of[FileChangeItemSDK](), "fileChange"},
			{schema.Of[McpToolCallItemSDK](), "mcpToolCall"},
		}
	}}

	otherTypes = lazy.Value[[]tagged]{New: func() []tagged {
		return []tagged{
			{schema.Of[ConfigOption](), "select"},
			{schema.Of[ContentItem](), "inputText"},
		}
	}}
)

// parts are the objects that occur within others.
var parts = lazy.Value[[]schema.Type]{New: func() []schema.Type {
	return []schema.Type{
		schema.Of[ClientInfo](), schema.Of[ClientCapabilities](), schema.Of[AgentInfo](), schema.Of[AgentCapabilities](),
		schema.Of[Thread](), schema.Of[McpServer](), schema.Of[Turn](), schema.Of[TurnError](), schema.Of[TokenUsage](), schema.Of[UsageMeta](),
		schema.Of[FileUpdateChange](), schema.Of[PlanEntry](),
		schema.Of[Model](), schema.Of[ModelMeta](), schema.Of[ConfigSelectOption](),
		schema.Of[FileUpdateChangeSDK](), schema.Of[ChangeKindSDK](), schema.Of[McpToolCallError](), schema.Of[FileChangeRequestApprovalSDK](),
	}
}}

// extensions are the params of notifications under a name of our own.
var extensions = lazy.Value[[]schema.Type]{New: func() []schema.Type {
	return []schema.Type{schema.Of[Warning](), schema.Of[McpServerStatus](), schema.Of[McpToolProgress]()}
}}

// allTypes returns each of the above once.
func allTypes() []schema.Type {
	var all []schema.Type
	seen := map[string]bool{}
	add := func(more ...schema.Type) {
		for _, n := range more {
			if n.Is != nil && !seen[n.Name()] {
				seen[n.Name()] = true
				all = append(all, n)
			}
		}
	}
	for _, calls := range [][]calling{clientRequests.Get(), clientNotifications.Get(), agentNotifications.Get(), agentRequests.Get()} {
		for _, c := range calls {
			add(c.params, c.result)
		}
	}
	for _, union := range [][]tagged{inputTypes.Get(), itemTypes.Get(), sdkItemTypes.Get(), otherTypes.Get()} {
		for _, t := range union {
			add(t.Type)
		}
	}
	add(parts.Get()...)
	add(extensions.Get()...)
	return all
}
