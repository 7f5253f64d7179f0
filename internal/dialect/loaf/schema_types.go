package loaf

import (
	"reflect"
	"slices"
)

// This file lists what protocol*.go has, by name, for the schema.

// A named is a type of protocol*.go under its name.
type named struct {
	name string
	is   reflect.Type
}

func of[T any]() named {
	t := reflect.TypeFor[T]()
	return named{t.Name(), t}
}

// A calling is a method with its params and what may answer it.
type calling struct {
	method  string
	params  named
	results []named
}

// What a client asks, in the order of decode_methods.go.
var requestTypes = []calling{
	{"rpc.handshake", of[HandshakeParams](), []named{of[HandshakeResult]()}},
	{"system.ping", of[NoParams](), []named{of[PingResult]()}},
	{"system.shutdown", of[ShutdownParams](), []named{of[ShutdownResult]()}},
	{"state.get", of[NoParams](), []named{of[State]()}},

	{"session.create", of[SessionCreateParams](), []named{of[SessionCreateResult]()}},
	{"session.get", of[SessionParams](), []named{of[SessionState]()}},
	{"session.send", of[SessionSendParams](), []named{of[SessionSendResult]()}},
	{"session.steer", of[SessionSteerParams](), []named{of[SessionSteerResult]()}},
	{"session.interrupt", of[SessionParams](), []named{of[SessionInterruptResult]()}},
	{"session.queue.list", of[SessionParams](), []named{of[SessionQueueListResult]()}},
	{"session.queue.clear", of[SessionParams](), []named{of[SessionQueueClearResult]()}},
	{"command.execute", of[CommandParams](), []named{of[CommandResult]()}},

	{"auth.status", of[NoParams](), []named{of[AuthStatus]()}},
	{"auth.connect.openai", of[AuthConnectParams](), []named{of[AuthConnectResult](), of[AuthConnectStarted]()}},
	{"auth.connect.antigravity", of[NoParams](), []named{}}, // never succeeds here
	{"auth.set.openrouter_key", of[AuthKeyParams](), []named{of[AuthOpenRouterKeyResult]()}},
	{"auth.set.exa_key", of[AuthKeyParams](), []named{of[AuthExaKeyResult]()}},
	{"onboarding.status", of[NoParams](), []named{of[OnboardingState]()}},
	{"onboarding.complete", of[NoParams](), []named{of[OnboardingState]()}},

	{"model.list", of[ModelListParams](), []named{of[ModelListResult]()}},
	{"model.select", of[ModelSelectParams](), []named{of[ModelSelectResult]()}},
	{"model.openrouter.providers", of[OpenRouterProvidersParams](), []named{of[OpenRouterProvidersResult]()}},
	{"limits.get", of[NoParams](), []named{of[LimitsResult]()}},

	{"history.list", of[HistoryListParams](), []named{of[HistoryListResult]()}},
	{"history.get", of[HistoryGetParams](), []named{of[HistoryGetResult]()}},
	{"history.clear_session", of[SessionParams](), []named{of[HistoryClearResult]()}},
	{"skills.list", of[NoParams](), []named{of[SkillsResult]()}},
	{"tools.list", of[NoParams](), []named{of[ToolsResult]()}},
	{"debug.set", of[DebugParams](), []named{of[DebugResult]()}},
}

// An occurrence is a type of event and its payload.
type occurrence struct {
	event   string
	payload named
}

var eventTypes = []occurrence{
	{EventSessionStatus, of[SessionStatus]()},
	{EventMessageAppended, of[MessageAppended]()},
	{EventStreamChunk, of[StreamChunk]()},
	{EventToolCallStarted, of[ToolCallStarted]()},
	{EventToolCallCompleted, of[ToolCallCompleted]()},
	{EventToolResults, of[ToolResults]()},
	{EventContextEstimate, of[ContextEstimate]()},
	{EventCompleted, of[SessionCompleted]()},
	{EventInterrupted, of[SessionInterrupted]()},
	{EventError, of[SessionError]()},
	{EventDebug, of[SessionDebug]()},
	{EventCompactionStarted, of[CompactionStarted]()},
	{EventCompactionAnchorSelected, of[CompactionAnchorSelected]()},
	{EventCompactionSummaryMerged, of[CompactionSummaryMerged]()},
	{EventCompactionCompleted, of[CompactionCompleted]()},
	{EventCompactionFailed, of[CompactionFailed]()},
	{EventAuthStarted, of[AuthFlowStarted]()},
	{EventAuthURL, of[AuthFlowURL]()},
	{EventAuthDeviceCode, of[AuthFlowDeviceCode]()},
	{EventAuthCompleted, of[AuthFlowCompleted]()},
	{EventAuthFailed, of[AuthFlowFailed]()},
	{EventStateChanged, of[StateChanged]()},
}

// outputTypes is what commands have as output.
var outputTypes = []named{
	of[CommandUnknown](), of[CommandHelp](), of[CommandAuth](), of[CommandModel](), of[CommandResumed](), of[CommandCompressed](), of[CommandCleared](), of[CommandShutdown](),
	of[OnboardingState](), of[LimitsResult](), of[SkillsResult](), of[ToolsResult](), of[HistoryListResult](),
}

// parts are the objects that occur within others.
var parts = []named{
	of[ErrorData](), of[Capabilities](),
	of[StateAuth](), of[StateModel](), of[StateSessions](), of[StateSkills](), of[AntigravityProfile](),
	of[Message](), of[HistoryEntry](), of[Image](), of[ImageInput](), of[QueueItem](), of[ContextBreakdown](), of[CommandInfo](),
	of[Chunk](), of[Segment](), of[ToolStartedData](), of[ToolCall](), of[ToolCompletedData](), of[Executed](), of[ToolResultsData](),
	of[OpenAILimits](), of[OpenAISnapshot](), of[LimitWindow](), of[AntigravityLimits](), of[AntigravitySnapshot](), of[AntigravityQuota](),
	of[Model](), of[Compression](), of[SavedChat](), of[Skill](), of[Tool](),
}

// wordTypes are the texts of which only some are allowed.
var wordTypes = map[named][]string{
	of[EventFormat]():      wordsOf(FormatFlat, FormatEnvelope),
	of[EventScope]():       wordsOf(ScopeTurn, ScopeAll),
	of[Provider]():         wordsOf(ProviderOpenAI, ProviderOpenRouter, ProviderAntigravity),
	of[MessageKind]():      wordsOf(KindUser, KindAssistant, KindSystem),
	of[CompactionReason](): wordsOf(CompactionNone, CompactionAuto, CompactionManual, CompactionProviderSwitch),
	of[AuthMode]():         wordsOf(AuthAuto, AuthBrowser, AuthDeviceCode),
	of[ThinkingLevel]():    wordsOf(ThinkingOff, ThinkingMinimal, ThinkingLow, ThinkingMedium, ThinkingHigh, ThinkingXHigh),
}

func wordsOf[S ~string](values ...S) []string {
	all := make([]string, len(values))
	for i, value := range values {
		all[i] = string(value)
	}
	return all
}

// errorReasons are the reasons of errors.
var errorReasons = []string{
	ReasonParseError, ReasonBatch, ReasonInvalidRequest, ReasonLineTooLong, ReasonMethodNotFound, ReasonInvalidParams, ReasonUnsupportedVersion, ReasonInternalError,
	ReasonShuttingDown, ReasonUnsupportedProvider, ReasonAuthInProgress,
}

// allTypes is each struct of the above once.
func allTypes() []named {
	var all []named
	add := func(more ...named) {
		for _, n := range more {
			if !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
	}
	for _, r := range requestTypes {
		add(r.params)
		add(r.results...)
	}
	for _, e := range eventTypes {
		add(e.payload)
	}
	add(outputTypes...)
	add(parts...)
	return all
}
