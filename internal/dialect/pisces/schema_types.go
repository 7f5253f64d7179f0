package pisces

import (
	"reflect"
	"slices"

	"parley.dev/parley/internal/dialect/schema"
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
var commandTypes = []asking{
	{command: CommandPrompt, params: schema.Of[Prompt]()},
	{command: CommandSteer, params: schema.Of[Steer]()},
	{command: CommandFollowUp, params: schema.Of[FollowUp]()},
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

	{command: CommandCompact, params: schema.Of[Compact](), data: schema.Of[CompactionResult]()},
	{command: CommandSetAutoCompaction, params: schema.Of[SetAutoCompaction]()},

	{command: CommandSetAutoRetry, params: schema.Of[SetAutoRetry]()},
	{command: CommandAbortRetry, params: schema.Of[AbortRetry]()},

	{command: CommandBash, params: schema.Of[Bash](), data: schema.Of[BashResult]()},
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
}

// What is told, but for answers and what extensions ask.
var events = []Event{
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
}

// What extensions ask.
var uiRequests = []ExtensionUIRequest{
	UISelect{}, UIConfirm{}, UIInput{}, UIEditor{}, UICancel{}, UINotify{}, UISetStatus{}, UISetWidget{}, UISetTitle{}, UISetEditorText{},
}

// messageTypes is the kinds of messages by their roles.
var messageTypes = []struct {
	is    schema.Type
	roles []Role
}{
	{schema.Of[UserMessage](), []Role{RoleUser, RoleDeveloper}},
	{schema.Of[AssistantMessage](), []Role{RoleAssistant}},
	{schema.Of[ToolResultMessage](), []Role{RoleToolResult}},
	{schema.Of[BashExecutionMessage](), []Role{RoleBashExecution}},
	{schema.Of[CustomMessage](), []Role{RoleCustom}},
	{schema.Of[FileMentionMessage](), []Role{RoleFileMention}},
	{schema.Of[BranchSummaryMessage](), []Role{RoleBranchSummary}},
	{schema.Of[CompactionSummaryMessage](), []Role{RoleCompactionSummary}},
}

// contentTypes is the pieces of messages.
var contentTypes = []struct {
	is   schema.Type
	kind string
}{
	{schema.Of[TextContent](), contentText},
	{schema.Of[ThinkingContent](), contentThinking},
	{schema.Of[RedactedThinkingContent](), contentRedacted},
	{schema.Of[ImageContent](), contentImage},
	{schema.Of[ToolCall](), contentCall},
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
var parts = []schema.Type{
	schema.Of[Usage](), schema.Of[Cost](), schema.Of[MentionedFile](), schema.Of[ToolResult](),
	schema.Of[ModelThinking](), schema.Of[ModelCost](), schema.Of[StatsTokens](), schema.Of[CompactionDetails](),
	schema.Of[BranchMessage](), schema.Of[SlashCommand](),
	schema.Of[Rule](), schema.Of[RuleSource](), schema.Of[Todo](),
	schema.Of[VerificationResult](), schema.Of[VerificationAttempt](), schema.Of[VerificationCommandResult](), schema.Of[BudgetSnapshot](),
}

// An entryType is a line of a session file, under its name in the schema.
type entryType struct {
	is   schema.Type
	kind string // its type
}

// entryTypes is the lines of a session file by their types.
var entryTypes = []entryType{
	{schema.As[fileHeader]("SessionHeader"), entryHeader},
	{schema.As[messageEntry]("MessageEntry"), entryMessage},
	{schema.As[modelEntry]("ModelChangeEntry"), entryModel},
	{schema.As[thinkingEntry]("ThinkingLevelChangeEntry"), entryThinking},
	{schema.As[compactionEntry]("CompactionEntry"), entryCompaction},
	{schema.As[branchSummaryEntry]("BranchSummaryEntry"), entryBranchSummary},
	{schema.As[customMessageEntry]("CustomMessageEntry"), entryCustomMessage},
	{schema.As[labelEntry]("LabelEntry"), entryLabel},
	{schema.As[nameEntry]("SessionInfoEntry"), entryName},
}

// wordTypes are the texts of which only some are allowed.
var wordTypes = map[schema.Type][]string{
	schema.Of[StreamingBehavior]():  schema.Words(BehaviorSteer, BehaviorFollowUp),
	schema.Of[ThinkingLevel]():      schema.Words(ThinkingOff, ThinkingMinimal, ThinkingLow, ThinkingMedium, ThinkingHigh, ThinkingXHigh),
	schema.Of[QueueMode]():          schema.Words(QueueAll, QueueOne),
	schema.Of[InterruptMode]():      schema.Words(InterruptImmediate, InterruptWait),
	schema.Of[Role]():               schema.Words(RoleUser, RoleDeveloper, RoleAssistant, RoleToolResult, RoleBashExecution, RoleCustom, RoleFileMention, RoleBranchSummary, RoleCompactionSummary),
	schema.Of[StopReason]():         schema.Words(StopStop, StopLength, StopToolUse, StopError, StopAborted),
	schema.Of[CompactionReason]():   schema.Words(CompactionThreshold, CompactionOverflow, CompactionIdle),
	schema.Of[VerificationStatus](): schema.Words(VerificationNotRequested, VerificationPassed, VerificationFailed, VerificationSkipped, VerificationRetriedPassed, VerificationBudgetExceeded),
}

// memberWords is the words of members that are texts in Go.
var memberWords = map[string][]string{
	"AutoCompactionStart.action":   {ActionContextFull, "handoff"},
	"AutoCompactionEnd.action":     {ActionContextFull, "handoff"},
	"ModelThinking.mode":           {"effort", "budget", "google-level", "anthropic-adaptive", "anthropic-budget-effort"},
	"SlashCommand.source":          {"extension", "prompt", "skill"},
	"RuleSource.level":             {"project", "user"},
	"Todo.status":                  {"pending", "in_progress", "completed", "abandoned"},
	"UINotify.notifyType":          {"info", "warning", "error"},
	"UISetWidget.widgetPlacement":  {"aboveEditor", "belowEditor"},
	"VerificationResult.mode":      {"none", "command"},
	"VerificationResult.onFailure": {"return_failure", "retry_once", "discard_patch"},
	"BudgetWarning.scope":          {"session", "task", "subagent"},
	"BudgetExceeded.scope":         {"session", "task", "subagent"},
	"BudgetSnapshot.status":        {"ok", "warning", "exceeded"},
	"BudgetSnapshot.reason":        {"wall_time", "input_tokens", "output_tokens", "total_tokens", "cost", "tool_calls", "subagents"},
	"UserMessage.attribution":      {"user", "agent"},
	"CustomMessage.attribution":    {"user", "agent"},
}

// typeOf is the type of a value under its own name.
func typeOf(value any) schema.Type {
	t := reflect.TypeOf(value)
	return schema.Type{Name: t.Name(), Is: t}
}

// allTypes is each struct of the above once.
func allTypes() []schema.Type {
	var all []schema.Type
	add := func(t schema.Type) {
		if t.Is != nil && !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	for _, c := range commandTypes {
		add(c.params)
		add(c.data)
	}
	add(schema.Of[ExtensionUIResponse]())
	for _, e := range events {
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
	for _, p := range parts {
		add(p)
	}
	for _, e := range entryTypes {
		add(e.is)
	}
	return all
}
