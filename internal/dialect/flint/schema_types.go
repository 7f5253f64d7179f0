package flint

import "reflect"

// This file lists what protocol*.go has, by the document's own names, for the schema.

// A named is a type of protocol*.go under the name that the document gives it.
type named struct {
	name string
	is   reflect.Type
}

func of[T any]() named {
	t := reflect.TypeFor[T]()
	return named{t.Name(), t}
}

// as is for a type that stands for several of the document's.
func as[T any](name string) named { return named{name, reflect.TypeFor[T]()} }

// A tagged is a type and what its member "type" says.
type tagged struct {
	named
	tag string
}

// A calling is a method with its params and, of a request, its result.
type calling struct {
	method         string
	params, result named
}

// What a client asks, in the order of the document.
var clientRequests = []calling{
	{"initialize", of[InitializeParams](), of[InitializeResult]()},
	{"thread/start", of[ThreadStartParams](), of[ThreadStartResult]()},
	{"thread/resume", of[ThreadResumeParams](), of[ThreadResumeResult]()},
	{"thread/list", of[ThreadListParams](), of[ThreadListResult]()},
	{"thread/archive", of[ThreadArchiveParams](), of[Empty]()},
	{"turn/start", of[TurnStartParams](), of[TurnStartResult]()},
	{"turn/interrupt", of[TurnInterruptParams](), of[Empty]()},
	{"model/list", of[ModelListParams](), of[ModelListResult]()},
	{"config/list", of[ConfigListParams](), of[ConfigListResult]()},
	{"config/set", of[ConfigSetParams](), of[ConfigSetResult]()},
	{"config/read", of[ConfigReadParams](), of[ConfigReadResult]()},
}

var clientNotifications = []calling{
	{method: "initialized", params: of[InitializedParams]()},
}

var agentNotifications = []calling{
	{method: "thread/started", params: of[ThreadStartedNotification]()},
	{method: "turn/started", params: of[TurnStartedNotification]()},
	{method: "turn/completed", params: of[TurnCompletedNotification]()},
	{method: "turn/plan/updated", params: of[TurnPlanUpdated]()},
	{method: "thread/tokenUsage/updated", params: of[TokenUsageUpdated]()},
	{method: "item/started", params: of[ItemStartedNotification]()},
	{method: "item/completed", params: of[ItemCompletedNotification]()},
	{method: "item/agentMessage/delta", params: as[ItemDelta]("AgentMessageDelta")},
	{method: "item/reasoning/textDelta", params: of[ReasoningTextDelta]()},
	{method: "item/reasoning/summaryTextDelta", params: of[ReasoningSummaryTextDelta]()},
	{method: "item/commandExecution/outputDelta", params: as[ItemDelta]("CommandExecutionOutputDelta")},
	{method: "item/fileChange/outputDelta", params: as[ItemDelta]("FileChangeOutputDelta")},
	{method: "item/plan/delta", params: as[ItemDelta]("PlanDelta")},
	{method: "error", params: of[ErrorNotification]()},
}

var agentRequests = []calling{
	{"item/commandExecution/requestApproval", of[CommandExecutionRequestApproval](), as[ApprovalResponse]("CommandExecutionApprovalResponse")},
	{"item/fileChange/requestApproval", of[FileChangeRequestApproval](), as[ApprovalResponse]("FileChangeApprovalResponse")},
}

// The unions, by the values of "type".
var (
	inputTypes = []tagged{
		{of[TextInput](), "text"},
		{of[ImageInput](), "image"},
		{of[LocalImageInput](), "localImage"},
	}

	itemTypes = []tagged{
		{of[UserMessageItem](), "userMessage"},
		{of[AgentMessageItem](), "agentMessage"},
		{of[ReasoningItem](), "reasoning"},
		{of[CommandExecutionItem](), "commandExecution"},
		{of[FileChangeItem](), "fileChange"},
		{of[McpToolCallItem](), "mcpToolCall"},
		{of[WebSearchItem](), "webSearch"},
		{of[PlanItem](), "plan"},
		{of[DynamicToolCallItem](), "dynamicToolCall"},
		{of[ContextCompactionItem](), "contextCompaction"},
	}

	sdkItemTypes = []tagged{
		{of[ReasoningItemSDK](), "reasoning"},
		{of[FileChangeItemSDK](), "fileChange"},
		{of[McpToolCallItemSDK](), "mcpToolCall"},
	}

	otherTypes = []tagged{
		{of[ConfigOption](), "select"},
		{of[ContentItem](), "inputText"},
	}
)

// parts are the objects that occur within others.
var parts = []named{
	of[ClientInfo](), of[ClientCapabilities](), of[AgentInfo](), of[AgentCapabilities](),
	of[Thread](), of[McpServer](), of[Turn](), of[TurnError](), of[TokenUsage](), of[UsageMeta](),
	of[FileUpdateChange](), of[PlanEntry](),
	of[Model](), of[ModelMeta](), of[ConfigSelectOption](),
	of[FileUpdateChangeSDK](), of[ChangeKindSDK](), of[McpToolCallError](), of[FileChangeRequestApprovalSDK](),
}

// extensions are the params of notifications under a name of our own.
var extensions = []named{of[Warning](), of[McpServerStatus](), of[McpToolProgress]()}

// allTypes is each of the above once.
func allTypes() []named {
	var all []named
	seen := map[string]bool{}
	add := func(more ...named) {
		for _, n := range more {
			if n.is != nil && !seen[n.name] {
				seen[n.name] = true
				all = append(all, n)
			}
		}
	}
	for _, calls := range [][]calling{clientRequests, clientNotifications, agentNotifications, agentRequests} {
		for _, c := range calls {
			add(c.params, c.result)
		}
	}
	for _, union := range [][]tagged{inputTypes, itemTypes, sdkItemTypes, otherTypes} {
		for _, t := range union {
			add(t.named)
		}
	}
	add(parts...)
	add(extensions...)
	return all
}
