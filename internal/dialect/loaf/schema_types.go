package loaf

import (
	"slices"

	"parley.dev/parley/internal/dialect/schema"
	"parley.dev/parley/internal/lazy"
)

// This file lists what protocol*.go has, by name, for the schema.

// A calling is a method with its params and what may answer it.
type calling struct {
	method  string
	params  schema.Type
	results []schema.Type
}

// What a client asks, in the order of decode_methods.go.
var requestTypes = lazy.Value[[]calling]{New: func() []calling {
	return []calling{
		{"rpc.handshake", schema.Of[HandshakeParams](), []schema.Type{schema.Of[HandshakeResult]()}},
		{"system.ping", schema.Of[NoParams](), []schema.Type{schema.Of[PingResult]()}},
		{"system.shutdown", schema.Of[ShutdownParams](), []schema.Type{schema.Of[ShutdownResult]()}},
		{"state.get", schema.Of[NoParams](), []schema.Type{schema.Of[State]()}},

		{"session.create", schema.Of[SessionCreateParams](), []schema.Type{schema.Of[SessionCreateResult]()}},
		{"session.get", schema.Of[SessionParams](), []schema.Type{schema.Of[SessionState]()}},
		{"session.send", schema.Of[SessionSendParams](), []schema.Type{schema.Of[SessionSendResult]()}},
		{"session.steer", schema.Of[SessionSteerParams](), []schema.Type{schema.Of[SessionSteerResult]()}},
		{"session.interrupt", schema.Of[SessionParams](), []schema.Type{schema.Of[SessionInterruptResult]()}},
		{"session.queue.list", schema.Of[SessionParams](), []schema.Type{schema.Of[SessionQueueListResult]()}},
		{"session.queue.clear", schema.Of[SessionParams](), []schema.Type{schema.Of[SessionQueueClearResult]()}},
		{"command.execute", schema.Of[CommandParams](), []schema.Type{schema.Of[CommandResult]()}},

		{"auth.status", schema.Of[NoParams](), []schema.Type{schema.Of[AuthStatus]()}},
		{"auth.connect.openai", schema.Of[AuthConnectParams](), []schema.Type{schema.Of[AuthConnectResult](), schema.Of[AuthConnectStarted]()}},
		{"auth.connect.antigravity", schema.Of[NoParams](), []schema.Type{}}, // never succeeds here
		{"auth.set.openrouter_key", schema.Of[AuthKeyParams](), []schema.Type{schema.Of[AuthOpenRouterKeyResult]()}},
		{"auth.set.exa_key", schema.Of[AuthKeyParams](), []schema.Type{schema.Of[AuthExaKeyResult]()}},
		{"onboarding.status", schema.Of[NoParams](), []schema.Type{schema.Of[OnboardingState]()}},
		{"onboarding.complete", schema.Of[NoParams](), []schema.Type{schema.Of[OnboardingState]()}},

		{"model.list", schema.Of[ModelListParams](), []schema.Type{schema.Of[ModelListResult]()}},
		{"model.select", schema.Of[ModelSelectParams](), []schema.Type{schema.Of[ModelSelectResult]()}},
		{"model.openrouter.providers", schema.Of[OpenRouterProvidersParams](), []schema.Type{schema.Of[OpenRouterProvidersResult]()}},
		{"limits.get", schema.Of[NoParams](), []schema.Type{schema.Of[LimitsResult]()}},

		{"history.list", schema.Of[HistoryListParams](), []schema.Type{schema.Of[HistoryListResult]()}},
		{"history.get", schema.Of[HistoryGetParams](), []schema.Type{schema.Of[HistoryGetResult]()}},
		{"history.clear_session", schema.Of[SessionParams](), []schema.Type{schema.Of[HistoryClearResult]()}},
		{"skills.list", schema.Of[NoParams](), []schema.Type{schema.Of[SkillsResult]()}},
		{"tools.list", schema.Of[NoParams](), []schema.Type{schema.Of[ToolsResult]()}},
		{"debug.set", schema.Of[DebugParams](), []schema.Type{schema.Of[DebugResult]()}},
	}
}}

// An occurrence is a type of event and its payload.
type occurrence struct {
	event   string
	payload schema.Type
}

var eventTypes = lazy.Value[[]occurrence]{New: func() []occurrence {
	return []occurrence{
		{EventSessionStatus, schema.Of[SessionStatus]()},
		{EventMessageAppended, schema.Of[MessageAppended]()},
		{EventStreamChunk, schema.Of[StreamChunk]()},
		{EventToolCallStarted, schema.Of[ToolCallStarted]()},
		{EventToolCallCompleted, schema.Of[ToolCallCompleted]()},
		{EventToolResults, schema.Of[ToolResults]()},
		{EventContextEstimate, schema.Of[ContextEstimate]()},
		{EventCompleted, schema.Of[SessionCompleted]()},
		{EventInterrupted, schema.Of[SessionInterrupted]()},
		{EventError, schema.Of[SessionError]()},
		{EventDebug, schema.Of[SessionDebug]()},
		{EventCompactionStarted, schema.Of[CompactionStarted]()},
		{EventCompactionAnchorSelected, schema.Of[CompactionAnchorSelected]()},
		{EventCompactionSummaryMerged, schema.Of[CompactionSummaryMerged]()},
		{EventCompactionCompleted, schema.Of[CompactionCompleted]()},
		{EventCompactionFailed, schema.Of[CompactionFailed]()},
		{EventAuthStarted, schema.Of[AuthFlowStarted]()},
		{EventAuthURL, schema.Of[AuthFlowURL]()},
		{EventAuthDeviceCode, schema.Of[AuthFlowDeviceCode]()},
		{EventAuthCompleted, schema.Of[AuthFlowCompleted]()},
		{EventAuthFailed, schema.Of[AuthFlowFailed]()},
		{EventStateChanged, schema.Of[StateChanged]()},
	}
}}

// outputTypes is what commands have as output.
var outputTypes = lazy.Value[[]schema.Type]{New: func() []schema.Type {
	return []schema.Type{
		schema.Of[CommandUnknown](), schema.Of[CommandHelp](), schema.Of[CommandAuth](), schema.Of[CommandModel](), schema.Of[CommandResumed](), schema.Of[CommandCompressed](), schema.Of[CommandCleared](), schema.Of[CommandShutdown](),
		schema.Of[OnboardingState](), schema.Of[LimitsResult](), schema.Of[SkillsResult](), schema.Of[ToolsResult](), schema.Of[HistoryListResult](),
	}
}}

// parts are the objects that occur within others.
var parts = lazy.Value[[]schema.Type]{New: func() []schema.Type {
	return []schema.Type{
		schema.Of[ErrorData](), schema.Of[Capabilities](),
		schema.Of[StateAuth](), schema.Of[StateModel](), schema.Of[StateSessions](), schema.Of[StateSkills](), schema.Of[AntigravityProfile](),
		schema.Of[Message](), schema.Of[HistoryEntry](), schema.Of[Image](), schema.Of[ImageInput](), schema.Of[QueueItem](), schema.Of[ContextBreakdown](), schema.Of[CommandInfo](),
		schema.Of[Chunk](), schema.Of[Segment](), schema.Of[ToolStartedData](), schema.Of[ToolCall](), schema.Of[ToolCompletedData](), schema.Of[Executed](), schema.Of[ToolResultsData](),
		schema.Of[OpenAILimits](), schema.Of[OpenAISnapshot](), schema.Of[LimitWindow](), schema.Of[AntigravityLimits](), schema.Of[AntigravitySnapshot](), schema.Of[AntigravityQuota](),
		schema.Of[Model](), schema.Of[Compression](), schema.Of[SavedChat](), schema.Of[Skill](), schema.Of[Tool](),
	}
}}

// wordTypes are the texts of which only some are allowed.
var wordTypes = lazy.Value[map[schema.Type][]string]{New: func() map[schema.Type][]string {
	return map[schema.Type][]string{
		schema.Of[EventFormat]():      schema.Words(FormatFlat, FormatEnvelope),
		schema.Of[EventScope]():       schema.Words(ScopeTurn, ScopeAll),
		schema.Of[Provider]():         schema.Words(ProviderOpenAI, ProviderOpenRouter, ProviderAntigravity),
		schema.Of[MessageKind]():      schema.Words(KindUser, KindAssistant, KindSystem),
		schema.Of[CompactionReason](): schema.Words(CompactionNone, CompactionAuto, CompactionManual, CompactionProviderSwitch),
		schema.Of[AuthMode]():         schema.Words(AuthAuto, AuthBrowser, AuthDeviceCode),
		schema.Of[ThinkingLevel]():    schema.Words(ThinkingOff, ThinkingMinimal, ThinkingLow, ThinkingMedium, ThinkingHigh, ThinkingXHigh),
	}
}}

// errorReasons are the reasons of errors.
var errorReasons = []string{
	ReasonParseError, ReasonBatch, ReasonInvalidRequest, ReasonLineTooLong, ReasonMethodNotFound, ReasonInvalidParams, ReasonUnsupportedVersion, ReasonInternalError,
	ReasonShuttingDown, ReasonUnsupportedProvider, ReasonAuthInProgress, ReasonForbidden,
}

// allTypes returns each struct of the above once.
func allTypes() []schema.Type {
	var all []schema.Type
	add := func(more ...schema.Type) {
		for _, n := range more {
			if !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
	}
	for _, r := range requestTypes.Get() {
		add(r.params)
		add(r.results...)
	}
	for _, e := range eventTypes.Get() {
		add(e.payload)
	}
	add(outputTypes.Get()...)
	add(parts.Get()...)
	return all
}
