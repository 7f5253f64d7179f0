package acp

import (
	"parley.dev/parley/internal/dialect/schema"

	"parley.dev/parley/internal/lazy"
)

// A calling is a message of the protocol: a method, the type of its params and, of a request, that of its result.
type calling struct {
	method         string
	params, result schema.Type
}

var clientRequests = lazy.Value[[]calling]{New: func() []calling {
	return []calling{
		{"initialize", schema.Of[InitializeParams](), schema.Of[InitializeResult]()},
		{"authenticate", schema.Of[AuthenticateParams](), schema.Of[Empty]()},
		{"logout", schema.Of[LogoutParams](), schema.Of[Empty]()},
		{"session/new", schema.Of[NewSessionParams](), schema.Of[NewSessionResult]()},
		{"session/load", schema.Of[LoadSessionParams](), schema.Of[OpenedSession]()},
		{"session/resume", schema.Of[ResumeSessionParams](), schema.Of[OpenedSession]()},
		{"session/list", schema.Of[ListSessionsParams](), schema.Of[ListSessionsResult]()},
		{"session/close", schema.Of[SessionParams](), schema.Of[Empty]()},
		{"session/delete", schema.Of[SessionParams](), schema.Of[Empty]()},
		{"session/fork", schema.Of[ForkSessionParams](), schema.Of[NewSessionResult]()},
		{"session/set_title", schema.Of[SetTitleParams](), schema.Of[SetTitleResult]()},
		{"session/archive", schema.Of[SessionParams](), schema.Of[Empty]()},
		{"session/unarchive", schema.Of[SessionParams](), schema.Of[Empty]()},
		{"session/status", schema.Of[SessionParams](), schema.Of[SessionStatusResult]()},
		{"session/set_mode", schema.Of[SetModeParams](), schema.Of[Empty]()},
		{"session/set_config_option", schema.Of[SetConfigOptionParams](), schema.Of[SetConfigOptionResult]()},
		{"session/prompt", schema.Of[PromptParams](), schema.Of[PromptResult]()},
		{"_session/steering", schema.Of[SteerParams](), schema.Of[SteerResult]()},
	}
}}

var agentRequests = lazy.Value[[]calling]{New: func() []calling {
	return []calling{
		{"session/request_permission", schema.Of[PermissionParams](), schema.Of[PermissionResult]()},
		{"fs/read_text_file", schema.Of[ReadTextFileParams](), schema.Of[ReadTextFileResult]()},
		{"fs/write_text_file", schema.Of[WriteTextFileParams](), schema.Of[Empty]()},
		{"terminal/create", schema.Of[CreateTerminalParams](), schema.Of[CreateTerminalResult]()},
		{"terminal/output", schema.Of[TerminalParams](), schema.Of[TerminalOutputResult]()},
		{"terminal/wait_for_exit", schema.Of[TerminalParams](), schema.Of[ExitStatus]()},
		{"terminal/kill", schema.Of[TerminalParams](), schema.Of[Empty]()},
		{"terminal/release", schema.Of[TerminalParams](), schema.Of[Empty]()},
		{"elicitation/create", schema.Of[ElicitationParams](), schema.Of[ElicitationResult]()},
	}
}}

// Both sides may send the last one.
var (
	clientNotifications = lazy.Value[[]calling]{New: func() []calling {
		return []calling{
			{method: "session/cancel", params: schema.Of[CancelParams]()},
			{method: "$/cancel_request", params: schema.Of[CancelRequestParams]()},
		}
	}}
	agentNotifications = lazy.Value[[]calling]{New: func() []calling {
		return []calling{
			{method: "session/update", params: schema.Of[SessionUpdate]()},
			{method: "elicitation/complete", params: schema.Of[ElicitationCompleteParams]()},
			{method: "$/cancel_request", params: schema.Of[CancelRequestParams]()},
		}
	}}
)

// An updating is a type of updates, and what its member sessionUpdate may be.
type updating struct {
	schema.Type
	kinds []string
}

var updateTypes = lazy.Value[[]updating]{New: func() []updating {
	return []updating{
		{schema.Of[MessageChunk](), []string{"user_message_chunk", "agent_message_chunk", "agent_thought_chunk"}},
		{schema.Of[ToolCall](), []string{"tool_call", "tool_call_update"}},
		{schema.Of[PlanUpdate](), []string{"plan"}},
		{schema.Of[AvailableCommandsUpdate](), []string{"available_commands_update"}},
		{schema.Of[CurrentModeUpdate](), []string{"current_mode_update"}},
		{schema.Of[ConfigOptionUpdate](), []string{"config_option_update"}},
		{schema.Of[SessionInfoUpdate](), []string{"session_info_update"}},
		{schema.Of[UsageUpdate](), []string{"usage_update"}},
		{schema.Of[Notice](), []string{"notice"}},
		{schema.Of[CompactionUpdate](), []string{"compaction_update"}},
	}
}}

// contentTypes are the forms of ToolContent, by their type.
var contentTypes = []struct {
	schema.Type
	tag string
}{
	{schema.Of[ContentOfTool](), "content"},
	{schema.Of[DiffOfTool](), "diff"},
	{schema.Of[TerminalOfTool](), "terminal"},
}

// parts are the objects that occur within others.
var parts = lazy.Value[[]schema.Type]{New: func() []schema.Type {
	return []schema.Type{
		schema.Of[Implementation](), schema.Of[ClientCapabilities](), schema.Of[FileSystemCapabilities](), schema.Of[ClientSessionCapabilities](),
		schema.Of[ConfigOptionCapabilities](), schema.Of[ClientAuthCapabilities](), schema.Of[ElicitationCapabilities](), schema.Of[ClientMeta](),
		schema.Of[Marker](), schema.Of[AgentCapabilities](), schema.Of[PromptCapabilities](), schema.Of[MCPCapabilities](), schema.Of[SessionCapabilities](),
		schema.Of[AgentAuth](), schema.Of[AuthMethod](), schema.Of[AgentMeta](), schema.Of[SteeringSupport](), schema.Of[ParleySupport](),
		schema.Of[MCPServer](), schema.Of[NameAndValue](), schema.Of[Modes](), schema.Of[Mode](), schema.Of[ConfigOption](), schema.Of[ConfigValue](),
		schema.Of[SessionInfo](), schema.Of[ContentBlock](), schema.Of[Resource](), schema.Of[Usage](), schema.Of[PromptMeta](), schema.Of[ParleyPromptMeta](),
		schema.Of[SteerMeta](), schema.Of[SteerOptions](), schema.Of[Location](), schema.Of[RawOutput](), schema.Of[ToolCallMeta](), schema.Of[TerminalInfo](),
		schema.Of[TerminalOutput](), schema.Of[TerminalExit](), schema.Of[ParleyToolCallMeta](), schema.Of[PlanEntry](), schema.Of[Command](), schema.Of[CommandInput](),
		schema.Of[Cost](), schema.Of[PermissionOption](), schema.Of[PermissionOutcome](), schema.Of[FormSchema](), schema.Of[FormField](), schema.Of[FormItems](),
		schema.Of[FormChoice](), schema.Of[ErrorData](),
	}
}}

var wordTypes = lazy.Value[map[schema.Type][]string]{New: func() map[schema.Type][]string {
	return map[schema.Type][]string{
		schema.Of[StopReason]():     schema.Words(StopEndTurn, StopMaxTokens, StopMaxTurnRequests, StopRefusal, StopCancelled),
		schema.Of[ToolKind]():       schema.Words(KindRead, KindEdit, KindDelete, KindMove, KindSearch, KindExecute, KindThink, KindFetch, KindSwitchMode, KindOther),
		schema.Of[ToolStatus]():     schema.Words(ToolPending, ToolInProgress, ToolCompleted, ToolFailed),
		schema.Of[PermissionKind](): schema.Words(AllowOnce, AllowAlways, RejectOnce, RejectAlways),
	}
}}

// allTypes returns each of the above once.
func allTypes() []schema.Type {
	var all []schema.Type
	seen := map[string]bool{}
	add := func(t schema.Type) {
		if t.Is != nil && !seen[t.Name()] {
			seen[t.Name()] = true
			all = append(all, t)
		}
	}
	for _, calls := range [][]calling{clientRequests.Get(), agentRequests.Get(), clientNotifications.Get(), agentNotifications.Get()} {
		for _, c := range calls {
			add(c.params)
			add(c.result)
		}
	}
	for _, u := range updateTypes.Get() {
		add(u.Type)
	}
	for _, c := range contentTypes {
		add(c.Type)
	}
	for _, p := range parts.Get() {
		add(p)
	}
	return all
}
