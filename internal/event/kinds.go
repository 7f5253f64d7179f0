package event

import (
	"iter"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/lazy"
)

// The kinds. A new one also needs an entry in kinds and a Kind method.
const (
	KindSessionCreated   Kind = "session_created"
	KindSessionChanged   Kind = "session_changed"
	KindBackendOpened    Kind = "backend_opened"
	KindBackendAnswered  Kind = "backend_answered"
	KindTurnStarted      Kind = "turn_started"
	KindTurnEnded        Kind = "turn_ended"
	KindReminded         Kind = "reminded"
	KindContextNote      Kind = "context_note"
	KindRuleViolated     Kind = "objected"
	KindStepStarted      Kind = "step_started"
	KindStepEnded        Kind = "step_ended"
	KindUserMessage      Kind = "user_message"
	KindAssistantMessage Kind = "assistant_message"
	KindAnswerGrew       Kind = "answer_grew"
	KindToolIntended     Kind = "tool_intended"
	KindChangesProposed  Kind = "changes_proposed"
	KindToolStarted      Kind = "tool_started"
	KindToolEnded        Kind = "tool_ended"
	KindApprovalAsked    Kind = "approval_asked"
	KindApprovalAnswered Kind = "approval_answered"
	KindQuestionAsked    Kind = "question_asked"
	KindQuestionAnswered Kind = "question_answered"
	KindPlanUpdated      Kind = "plan_updated"
	KindQueueChanged     Kind = "queue_changed"
	KindCompacted        Kind = "compacted"
	KindResultsCut       Kind = "results_cut"
	KindToolsFound       Kind = "tools_found"
	KindSampled          Kind = "sampled"
	KindPicturesRefused  Kind = "pictures_refused"
	KindTextRefused      Kind = "text_refused"
	KindBranched         Kind = "branched"
	KindLabelled         Kind = "labelled"
	KindCommandStarted   Kind = "command_started"
	KindCommandRan       Kind = "command_ran"
	KindFilesRestored    Kind = "files_restored"
	KindForeign          Kind = "foreign"
	KindHookRan          Kind = "hook_ran"
	KindBudgetWarned     Kind = "budget_warned"
	KindBudgetExceeded   Kind = "budget_exceeded"
	KindNotice           Kind = "notice"

	KindSubagentStarted            Kind = "subagent_started"
	KindSubagentEnded              Kind = "subagent_ended"
	KindVerificationStarted        Kind = "verification_started"
	KindVerificationCommandStarted Kind = "verification_command_started"
	KindVerificationCommandEnded   Kind = "verification_command_ended"
	KindVerificationEnded          Kind = "verification_ended"

	KindTextDelta         Kind = "text_delta"
	KindThinkingDelta     Kind = "thinking_delta"
	KindToolInputDelta    Kind = "tool_input_delta"
	KindToolOutput        Kind = "tool_output"
	KindCommandOutput     Kind = "command_output"
	KindToolProgress      Kind = "tool_progress"
	KindTerminalCreated   Kind = "terminal_created"
	KindTasksProgressed   Kind = "tasks_progressed"
	KindSubagentRecorded  Kind = "subagent_recorded"
	KindServerChanged     Kind = "server_changed"
	KindContextEstimated  Kind = "context_estimated"
	KindUsageTicked       Kind = "usage_ticked"
	KindRequestCounted    Kind = "request_counted"
	KindRetryStarted      Kind = "retry_started"
	KindRetryEnded        Kind = "retry_ended"
	KindCompactionStarted Kind = "compaction_started"
	KindStatusChanged     Kind = "status_changed"
	KindSyncStarted       Kind = "sync_started"
	KindSyncEnded         Kind = "sync_ended"
	KindHandedOver        Kind = "handed_over"
	KindClientJoined      Kind = "client_joined"
	KindClientLeft        Kind = "client_left"
)

// kinds has one registration for each kind of event.
var kinds = lazy.Value[map[Kind]registration]{New: func() map[Kind]registration {
	return map[Kind]registration{
		KindSessionCreated:   durable[SessionCreated](),
		KindSessionChanged:   durable[SessionChanged](),
		KindBackendOpened:    durable[BackendOpened](),
		KindBackendAnswered:  durable[BackendAnswered](),
		KindTurnStarted:      durable[TurnStarted](),
		KindTurnEnded:        durable[TurnEnded](),
		KindReminded:         durable[Reminded](),
		KindContextNote:      durable[ContextNote](),
		KindRuleViolated:     durable[RuleViolated](),
		KindStepStarted:      durable[StepStarted](),
		KindStepEnded:        durable[StepEnded](),
		KindUserMessage:      durable[UserMessage](),
		KindAssistantMessage: durable[AssistantMessage](),
		KindAnswerGrew:       durable[AnswerGrew](),
		KindToolIntended:     durable[ToolIntended](),
		KindChangesProposed:  durable[ChangesProposed](),
		KindToolStarted:      durable[ToolStarted](),
		KindToolEnded:        durable[ToolEnded](),
		KindApprovalAsked:    durable[ApprovalAsked](),
		KindApprovalAnswered: durable[ApprovalAnswered](),
		KindQuestionAsked:    durable[QuestionAsked](),
		KindQuestionAnswered: durable[QuestionAnswered](),
		KindPlanUpdated:      durable[PlanUpdated](),
		KindQueueChanged:     durable[QueueChanged](),
		KindCompacted:        durable[Compacted](),
		KindResultsCut:       durable[ResultsCut](),
		KindToolsFound:       durable[ToolsFound](),
		KindSampled:          durable[Sampled](),
		KindPicturesRefused:  durable[PicturesRefused](),
		KindTextRefused:      durable[TextRefused](),
		KindBranched:         durable[Branched](),
		KindLabelled:         durable[Labelled](),
		KindCommandStarted:   durable[CommandStarted](),
		KindCommandRan:       durable[CommandRan](),
		KindFilesRestored:    durable[FilesRestored](),
		KindForeign:          durable[Foreign](),
		KindHookRan:          durable[HookRan](),
		KindBudgetWarned:     durable[BudgetWarned](),
		KindBudgetExceeded:   durable[BudgetExceeded](),
		KindNotice:           durable[Notice](),

		KindSubagentStarted:            durable[SubagentStarted](),
		KindSubagentEnded:              durable[SubagentEnded](),
		KindVerificationStarted:        durable[VerificationStarted](),
		KindVerificationCommandStarted: durable[VerificationCommandStarted](),
		KindVerificationCommandEnded:   durable[VerificationCommandEnded](),
		KindVerificationEnded:          durable[VerificationEnded](),

		KindTextDelta:         transient[TextDelta](),
		KindThinkingDelta:     transient[ThinkingDelta](),
		KindToolInputDelta:    transient[ToolInputDelta](),
		KindToolOutput:        transient[ToolOutput](),
		KindCommandOutput:     transient[CommandOutput](),
		KindToolProgress:      transient[ToolProgress](),
		KindTerminalCreated:   transient[TerminalCreated](),
		KindTasksProgressed:   transient[TasksProgressed](),
		KindSubagentRecorded:  transient[SubagentRecorded](),
		KindServerChanged:     transient[ServerChanged](),
		KindContextEstimated:  transient[ContextEstimated](),
		KindUsageTicked:       transient[UsageTicked](),
		KindRequestCounted:    transient[RequestCounted](),
		KindRetryStarted:      transient[RetryStarted](),
		KindRetryEnded:        transient[RetryEnded](),
		KindCompactionStarted: transient[CompactionStarted](),
		KindStatusChanged:     transient[StatusChanged](),
		KindSyncStarted:       transient[SyncStarted](),
		KindSyncEnded:         transient[SyncEnded](),
		KindHandedOver:        transient[HandedOver](),
		KindClientJoined:      transient[ClientJoined](),
		KindClientLeft:        transient[ClientLeft](),
	}
}}

// A registration is how events of one kind are stored and read.
type registration struct {
	transient bool
	zero      Event
	read      func(*jsontext.Decoder) (Event, error)
}

func durable[E Event]() registration { return registration{zero: *new(E), read: read[E]} }

func transient[E Event]() registration {
	return registration{zero: *new(E), read: read[E], transient: true}
}

// Kinds yields every kind, in alphabetical order, and a zero event of it.
func Kinds() iter.Seq2[Kind, Event] {
	return func(yield func(Kind, Event) bool) {
		for _, kind := range slices.Sorted(maps.Keys(kinds.Get())) {
			if !yield(kind, kinds.Get()[kind].zero) {
				return
			}
		}
	}
}

func read[E Event](dec *jsontext.Decoder) (Event, error) {
	var e E
	err := json.UnmarshalDecode(dec, &e)
	return e, err
}

func (SessionCreated) Kind() Kind   { return KindSessionCreated }
func (SessionChanged) Kind() Kind   { return KindSessionChanged }
func (BackendOpened) Kind() Kind    { return KindBackendOpened }
func (BackendAnswered) Kind() Kind  { return KindBackendAnswered }
func (TurnStarted) Kind() Kind      { return KindTurnStarted }
func (TurnEnded) Kind() Kind        { return KindTurnEnded }
func (Reminded) Kind() Kind         { return KindReminded }
func (ContextNote) Kind() Kind      { return KindContextNote }
func (RuleViolated) Kind() Kind     { return KindRuleViolated }
func (StepStarted) Kind() Kind      { return KindStepStarted }
func (StepEnded) Kind() Kind        { return KindStepEnded }
func (UserMessage) Kind() Kind      { return KindUserMessage }
func (AssistantMessage) Kind() Kind { return KindAssistantMessage }
func (AnswerGrew) Kind() Kind       { return KindAnswerGrew }
func (ToolIntended) Kind() Kind     { return KindToolIntended }
func (ChangesProposed) Kind() Kind  { return KindChangesProposed }
func (ToolStarted) Kind() Kind      { return KindToolStarted }
func (ToolEnded) Kind() Kind        { return KindToolEnded }
func (ApprovalAsked) Kind() Kind    { return KindApprovalAsked }
func (ApprovalAnswered) Kind() Kind { return KindApprovalAnswered }
func (QuestionAsked) Kind() Kind    { return KindQuestionAsked }
func (QuestionAnswered) Kind() Kind { return KindQuestionAnswered }
func (PlanUpdated) Kind() Kind      { return KindPlanUpdated }
func (QueueChanged) Kind() Kind     { return KindQueueChanged }
func (Compacted) Kind() Kind        { return KindCompacted }
func (ResultsCut) Kind() Kind       { return KindResultsCut }

// Kind returns the name in the JSON form.
func (ToolsFound) Kind() Kind                 { return KindToolsFound }
func (Sampled) Kind() Kind                    { return KindSampled }
func (PicturesRefused) Kind() Kind            { return KindPicturesRefused }
func (TextRefused) Kind() Kind                { return KindTextRefused }
func (Branched) Kind() Kind                   { return KindBranched }
func (Labelled) Kind() Kind                   { return KindLabelled }
func (CommandStarted) Kind() Kind             { return KindCommandStarted }
func (CommandRan) Kind() Kind                 { return KindCommandRan }
func (FilesRestored) Kind() Kind              { return KindFilesRestored }
func (Foreign) Kind() Kind                    { return KindForeign }
func (HookRan) Kind() Kind                    { return KindHookRan }
func (BudgetWarned) Kind() Kind               { return KindBudgetWarned }
func (BudgetExceeded) Kind() Kind             { return KindBudgetExceeded }
func (Notice) Kind() Kind                     { return KindNotice }
func (SubagentStarted) Kind() Kind            { return KindSubagentStarted }
func (SubagentEnded) Kind() Kind              { return KindSubagentEnded }
func (VerificationStarted) Kind() Kind        { return KindVerificationStarted }
func (VerificationCommandStarted) Kind() Kind { return KindVerificationCommandStarted }
func (VerificationCommandEnded) Kind() Kind   { return KindVerificationCommandEnded }
func (VerificationEnded) Kind() Kind          { return KindVerificationEnded }
func (TextDelta) Kind() Kind                  { return KindTextDelta }
func (ThinkingDelta) Kind() Kind              { return KindThinkingDelta }
func (ToolInputDelta) Kind() Kind             { return KindToolInputDelta }
func (ToolOutput) Kind() Kind                 { return KindToolOutput }
func (CommandOutput) Kind() Kind              { return KindCommandOutput }
func (ToolProgress) Kind() Kind               { return KindToolProgress }
func (TerminalCreated) Kind() Kind            { return KindTerminalCreated }
func (TasksProgressed) Kind() Kind            { return KindTasksProgressed }
func (SubagentRecorded) Kind() Kind           { return KindSubagentRecorded }
func (ServerChanged) Kind() Kind              { return KindServerChanged }
func (ContextEstimated) Kind() Kind           { return KindContextEstimated }
func (UsageTicked) Kind() Kind                { return KindUsageTicked }
func (RequestCounted) Kind() Kind             { return KindRequestCounted }
func (RetryStarted) Kind() Kind               { return KindRetryStarted }
func (RetryEnded) Kind() Kind                 { return KindRetryEnded }
func (CompactionStarted) Kind() Kind          { return KindCompactionStarted }
func (StatusChanged) Kind() Kind              { return KindStatusChanged }
func (SyncStarted) Kind() Kind                { return KindSyncStarted }
func (SyncEnded) Kind() Kind                  { return KindSyncEnded }
func (HandedOver) Kind() Kind                 { return KindHandedOver }
func (ClientJoined) Kind() Kind               { return KindClientJoined }
func (ClientLeft) Kind() Kind                 { return KindClientLeft }

// Kind returns the name that was read.
func (u Unknown) Kind() Kind { return u.Name }
