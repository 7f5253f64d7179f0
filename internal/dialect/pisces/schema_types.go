package pisces

import (
	"reflect"
	"slices"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/sessionfile"
	"parley.dev/parley/internal/dialect/schema"
	"parley.dev/parley/internal/lazy"
)

// This file lists what the wire has, by name, for the schema.

// An asking is a command with the data of its answer, if that has any.
type asking struct {
	command  string
	params   schema.Type
	data     schema.Type // zero: none
	nullable bool        // the data may be null
}

// What a client asks, in the order of the commands' constants.
var commandTypes = lazy.Value[[]asking]{New: func() []asking {
	return []asking{
		{command: CommandPrompt, params: schema.Of[Prompt](), data: schema.Of[Accepted]()},
		{command: CommandSteer, params: schema.Of[Steer](), data: schema.Of[Accepted]()},
		{command: CommandFollowUp, params: schema.Of[FollowUp](), data: schema.Of[Accepted]()},
		{command: CommandAbort, params: schema.Of[Abort]()},
		{command: CommandAbortAndPrompt, params: schema.Of[AbortAndPrompt]()},
		{command: CommandNewSession, params: schema.Of[NewSession](), data: schema.Of[Cancelled]()},

		{command: CommandGetState, params: schema.Of[GetState](), data: schema.Of[RpcSessionState]()},

		{command: CommandSetModel, params: schema.Of[SetModel](), data: schema.Of[Model]()},
		{command: CommandCycleModel, params: schema.Of[CycleModel](), data: schema.Of[CycledModel](), nullable: true},
		{command: CommandGetAvailableModels, params: schema.Of[GetAvailableModels](), data: schema.Of[AvailableModels]()},

		{command: CommandSetThinkingLevel, params: schema.Of[SetThinkingLevel]()},
		{command: CommandCycleThinkingLevel, params: schema.Of[CycleThinkingLevel](), data: schema.Of[CycledThinkingLevel](), nullable: true},

		{command: CommandSetSteeringMode, params: schema.Of[SetSteeringMode]()},
		{command: CommandSetFollowUpMode, params: schema.Of[SetFollowUpMode]()},
		{command: CommandSetInterruptMode, params: schema.Of[SetInterruptMode]()},

		{command: CommandCompact, params: schema.Of[Compact](), data: schema.Of[message.CompactionResult]()},
		{command: CommandSetAutoCompaction, params: schema.Of[SetAutoCompaction]()},

		{command: CommandSetAutoRetry, params: schema.Of[SetAutoRetry]()},
		{command: CommandAbortRetry, params: schema.Of[AbortRetry]()},

		{command: CommandBash, params: schema.Of[Bash](), data: schema.Of[message.BashResult]()},
		{command: CommandAbortBash, params: schema.Of[AbortBash]()},

		{command: CommandGetSessionStats, params: schema.Of[GetSessionStats](), data: schema.Of[SessionStats]()},
		{command: CommandExportHTML, params: schema.Of[ExportHTML](), data: schema.Of[ExportedHTML]()},
		{command: CommandSwitchSession, params: schema.Of[SwitchSession](), data: schema.Of[Cancelled]()},
		{command: CommandBranch, params: schema.Of[Branch](), data: schema.Of[Branched]()},
		{command: CommandGetBranchMessages, params: schema.Of[GetBranchMessages](), data: schema.Of[BranchMessages]()},
		{command: CommandGetLastAssistantText, params: schema.Of[GetLastAssistantText](), data: schema.Of[LastAssistantText]()},
		{command: CommandSetSessionName, params: schema.Of[SetSessionName]()},

		{command: CommandGetMessages, params: schema.Of[GetMessages](), data: schema.Of[Messages]()},

		{command: CommandFork, params: schema.Of[Fork](), data: schema.Of[Branched]()},
		{command: CommandGetForkMessages, params: schema.Of[GetForkMessages](), data: schema.Of[BranchMessages]()},
		{command: CommandClone, params: schema.Of[Clone](), data: schema.Of[Cancelled]()},
		{command: CommandGetCommands, params: schema.Of[GetCommands](), data: schema.Of[Commands]()},

		{command: CommandClearQueue, params: schema.Of[ClearQueue](), data: schema.Of[ClearedQueue]()},
		{command: CommandGetAvailableThinkingLevels, params: schema.Of[GetAvailableThinkingLevels](), data: schema.Of[ThinkingLevels]()},
		{command: CommandGetEntries, params: schema.Of[GetEntries](), data: schema.Of[Entries]()},
		{command: CommandGetTree, params: schema.Of[GetTree](), data: schema.Of[Tree]()},
		{command: CommandGetAvailableCommands, params: schema.Of[GetAvailableCommands](), data: schema.Of[Commands]()},
		{command: CommandSetEventFilter, params: schema.Of[SetEventFilter](), data: schema.Of[EventFilter]()},
		{command: CommandSetSubagentSubscription, params: schema.Of[SetSubagentSubscription](), data: schema.Of[SubagentSubscription]()},
		{command: CommandGetSubagents, params: schema.Of[GetSubagents](), data: schema.Of[Subagents]()},
		{command: CommandOpenSession, params: schema.Of[OpenSession](), data: schema.Of[OpenedSession]()},
		{command: CommandSetHostTools, params: schema.Of[SetHostTools](), data: schema.Of[HostTools]()},
		{command: CommandSetTodos, params: schema.Of[SetTodos](), data: schema.Of[TodoPhases]()},
		{command: CommandGetMessagesPage, params: schema.Of[GetMessagesPage](), data: schema.Of[MessagesPage]()},
	}
}}

// events is the events, without answers and the requests of extensions.
var events = lazy.Value[[]Event]{New: func() []Event {
	return []Event{
		Ready{},
		AgentStart{},
		AgentEnd{},
		TurnStart{},
		TurnEnd{},
		MessageStart{},
		MessageUpdate{},
		MessageEnd{},
		ToolExecutionStart{},
		ToolExecutionUpdate{},
		ToolExecutionEnd{},
		AutoCompactionStart{},
		AutoCompactionEnd{},
		AutoRetryStart{},
		AutoRetryEnd{},
		RetryFallbackApplied{},
		RetryFallbackSucceeded{},
		TTSRTriggered{},
		TodoReminder{},
		TodoAutoClear{},
		ExtensionError{},
		SubagentStart{},
		SubagentEnd{},
		SubagentVerificationStart{},
		SubagentVerificationCommandStart{},
		SubagentVerificationCommandEnd{},
		SubagentVerificationEnd{},
		BudgetWarning{},
		BudgetExceeded{},
		PromptResult{},
		AgentSettled{},
		SessionSettled{},
		HostToolCall{},
		HostToolCancel{},
	}
}}

// What extensions ask.
var uiRequests = []ExtensionUIRequest{
	UISelect{}, UIConfirm{}, UIInput{}, UIEditor{}, UICancel{}, UINotify{}, UISetStatus{}, UISetWidget{}, UISetTitle{}, UISetEditorText{},
}

// hostLines is what a client says of calls of its tools.
var hostLines = []struct {
	is   schema.Type
	kind string
}{
	{schema.Of[HostToolUpdate](), TypeHostToolUpdate},
	{schema.Of[HostToolResult](), TypeHostToolResult},
}

// messageTypes is the kinds of messages by their roles.
var messageTypes = []struct {
	is    schema.Type
	roles []message.Role
}{
	{schema.As[message.User]("UserMessage"), []message.Role{message.RoleUser, message.RoleDeveloper}},
	{schema.As[message.Assistant]("AssistantMessage"), []message.Role{message.RoleAssistant}},
	{schema.As[message.ToolResult]("ToolResultMessage"), []message.Role{message.RoleToolResult}},
	{schema.As[message.BashExecution]("BashExecutionMessage"), []message.Role{message.RoleBashExecution}},
	{schema.As[message.Custom]("CustomMessage"), []message.Role{message.RoleCustom}},
	{schema.As[message.FileMention]("FileMentionMessage"), []message.Role{message.RoleFileMention}},
	{schema.As[message.BranchSummary]("BranchSummaryMessage"), []message.Role{message.RoleBranchSummary}},
	{schema.As[message.CompactionSummary]("CompactionSummaryMessage"), []message.Role{message.RoleCompactionSummary}},
}

// contentTypes is the pieces of messages.
var contentTypes = []struct {
	is   schema.Type
	kind string
}{
	{schema.As[message.Text]("TextContent"), message.TypeText},
	{schema.As[message.Thinking]("ThinkingContent"), message.TypeThinking},
	{schema.As[message.RedactedThinking]("RedactedThinkingContent"), message.TypeRedacted},
	{schema.As[message.Image]("ImageContent"), message.TypeImage},
	{schema.Of[message.ToolCall](), message.TypeCall},
}

// blockTypes is the events of an answer by their types.
var blockTypes = []struct {
	is    schema.Type
	types []string
}{
	{schema.Of[BlockStart](), []string{TextStart, ThinkingStart, CallStart}},
	{schema.Of[BlockDelta](), []string{TextDelta, ThinkingDelta, CallDelta}},
	{schema.Of[BlockEnd](), []string{TextEnd, ThinkingEnd}},
	{schema.Of[ToolCallEnd](), []string{CallEnd}},
}

// parts are the objects that occur within others.
var parts = lazy.Value[[]schema.Type]{New: func() []schema.Type {
	return []schema.Type{
		schema.Of[message.Usage](), schema.Of[message.Cost](), schema.Of[message.MentionedFile](), schema.As[message.Result]("ToolResult"),
		schema.Of[ModelThinking](), schema.Of[message.ModelCost](), schema.Of[StatsTokens](), schema.Of[message.CompactionDetails](),
		schema.Of[BranchMessage](), schema.Of[SlashCommand](), schema.Of[TreeNode](), schema.Of[Subagent](), schema.Of[PromptError](), schema.Of[HostTool](), schema.Of[HostResult](), schema.Of[TodoPhase](), schema.Of[TodoItem](),
		schema.Of[Rule](), schema.Of[RuleSource](), schema.Of[message.Todo](),
		schema.Of[message.VerificationResult](), schema.Of[message.VerificationAttempt](), schema.Of[message.VerificationCommandResult](), schema.Of[BudgetSnapshot](),
	}
}}

// wordTypes are the texts of which only some are allowed.
var wordTypes = lazy.Value[map[schema.Type][]string]{New: func() map[schema.Type][]string {
	return map[schema.Type][]string{
		schema.Of[StreamingBehavior]():          schema.Words(BehaviorSteer, BehaviorFollowUp),
		schema.Of[message.ThinkingLevel]():      schema.Words(message.ThinkingOff, message.ThinkingMinimal, message.ThinkingLow, message.ThinkingMedium, message.ThinkingHigh, message.ThinkingXHigh),
		schema.Of[Disposition]():                schema.Words(DispositionStarted, DispositionQueued, DispositionHandled),
		schema.Of[QueueMode]():                  schema.Words(QueueAll, QueueOne),
		schema.Of[InterruptMode]():              schema.Words(InterruptImmediate, InterruptWait),
		schema.Of[message.Role]():               schema.Words(message.RoleUser, message.RoleDeveloper, message.RoleAssistant, message.RoleToolResult, message.RoleBashExecution, message.RoleCustom, message.RoleFileMention, message.RoleBranchSummary, message.RoleCompactionSummary),
		schema.Of[message.StopReason]():         schema.Words(message.StopStop, message.StopLength, message.StopToolUse, message.StopError, message.StopAborted),
		schema.Of[CompactionReason]():           schema.Words(CompactionThreshold, CompactionOverflow, CompactionIdle),
		schema.Of[message.VerificationStatus](): schema.Words(message.VerificationNotRequested, message.VerificationPassed, message.VerificationFailed, message.VerificationSkipped, message.VerificationRetriedPassed, message.VerificationBudgetExceeded),
	}
}}

// memberWords is the words of members that are texts in Go.
var memberWords = lazy.Value[map[string][]string]{New: func() map[string][]string {
	return map[string][]string{
		"AutoCompactionStart.action":    {ActionContextFull, "handoff"},
		"AutoCompactionEnd.action":      {ActionContextFull, "handoff"},
		"ModelThinking.mode":            {"effort", "budget", "google-level", "anthropic-adaptive", "anthropic-budget-effort"},
		"SlashCommand.source":           {"extension", "prompt", "skill"},
		"RuleSource.level":              {"project", "user"},
		"TodoItem.status":               {"pending", "in_progress", "completed", "abandoned"},
		"Todo.status":                   {"pending", "in_progress", "completed", "abandoned"},
		"UINotify.notifyType":           {"info", "warning", "error"},
		"UISetWidget.widgetPlacement":   {"aboveEditor", "belowEditor"},
		"VerificationResult.mode":       {"none", "command"},
		"VerificationResult.onFailure":  {"return_failure", "retry_once", "discard_patch"},
		"BudgetWarning.scope":           {"session", "task", "subagent"},
		"BudgetExceeded.scope":          {"session", "task", "subagent"},
		"BudgetSnapshot.status":         {"ok", "warning", "exceeded"},
		"BudgetSnapshot.reason":         {"wall_time", "input_tokens", "output_tokens", "total_tokens", "cost", "tool_calls", "subagents"},
		"UserMessage.attribution":       {"user", "agent"},
		"CustomMessage.attribution":     {"user", "agent"},
		"PromptResult.status":           {PromptCompleted, PromptAborted, PromptFailed},
		"SetSubagentSubscription.level": {"off", "progress", "events"},
		"SubagentSubscription.level":    {"off", "progress", "events"},
		"Subagent.status":               {"pending", "running", "completed", "failed", "aborted"},
		"Subagent.agentSource":          {"bundled", "user", "project"},
	}
}}

// typeOf returns the type of a value under its own name.
func typeOf(value any) schema.Type {
	t := reflect.TypeOf(value)
	return schema.Named(t)
}

// allTypes returns each struct of the above once.
func allTypes() []schema.Type {
	var all []schema.Type
	add := func(t schema.Type) {
		if t.Is != nil && !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	for _, c := range commandTypes.Get() {
		add(c.params)
		add(c.data)
	}
	add(schema.Of[ExtensionUIResponse]())
	for _, l := range hostLines {
		add(l.is)
	}
	for _, e := range events.Get() {
		add(typeOf(e))
	}
	for _, r := range uiRequests {
		add(typeOf(r))
	}
	for _, b := range blockTypes {
		add(b.is)
	}
	for _, m := range messageTypes {
		add(m.is)
	}
	for _, c := range contentTypes {
		add(c.is)
	}
	for _, p := range parts.Get() {
		add(p)
	}
	for _, e := range sessionfile.Lines {
		add(e.Type)
	}
	return all
}
