package event

// This file lists every type of event once: its name in the JSON form, and how it is read.

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The kinds. Those of the second group are transient.
const (
	KindSessionCreated   Kind = "session_created"
	KindSessionChanged   Kind = "session_changed"
	KindTurnStarted      Kind = "turn_started"
	KindTurnEnded        Kind = "turn_ended"
	KindReminded         Kind = "reminded"
	KindObjected         Kind = "objected"
	KindStepStarted      Kind = "step_started"
	KindStepEnded        Kind = "step_ended"
	KindUserMessage      Kind = "user_message"
	KindAssistantMessage Kind = "assistant_message"
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
	KindBranched         Kind = "branched"
	KindLabelled         Kind = "labelled"
	KindCommandRan       Kind = "command_ran"
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
	KindToolProgress      Kind = "tool_progress"
	KindTasksProgressed   Kind = "tasks_progressed"
	KindServerChanged     Kind = "server_changed"
	KindContextEstimated  Kind = "context_estimated"
	KindUsageTicked       Kind = "usage_ticked"
	KindRetryStarted      Kind = "retry_started"
	KindRetryEnded        Kind = "retry_ended"
	KindCompactionStarted Kind = "compaction_started"
	KindStatusChanged     Kind = "status_changed"
)

var transientKinds = map[Kind]bool{
	KindTextDelta:         true,
	KindThinkingDelta:     true,
	KindToolInputDelta:    true,
	KindToolOutput:        true,
	KindToolProgress:      true,
	KindTasksProgressed:   true,
	KindServerChanged:     true,
	KindContextEstimated:  true,
	KindUsageTicked:       true,
	KindRetryStarted:      true,
	KindRetryEnded:        true,
	KindCompactionStarted: true,
	KindStatusChanged:     true,
}

var readers = map[Kind]func(*jsontext.Decoder) (Event, error){
	KindSessionCreated:    read[SessionCreated],
	KindSessionChanged:    read[SessionChanged],
	KindTurnStarted:       read[TurnStarted],
	KindTurnEnded:         read[TurnEnded],
	KindReminded:          read[Reminded],
	KindObjected:          read[Objected],
	KindStepStarted:       read[StepStarted],
	KindStepEnded:         read[StepEnded],
	KindUserMessage:       read[UserMessage],
	KindAssistantMessage:  read[AssistantMessage],
	KindToolIntended:      read[ToolIntended],
	KindChangesProposed:   read[ChangesProposed],
	KindToolStarted:       read[ToolStarted],
	KindToolEnded:         read[ToolEnded],
	KindApprovalAsked:     read[ApprovalAsked],
	KindApprovalAnswered:  read[ApprovalAnswered],
	KindQuestionAsked:     read[QuestionAsked],
	KindQuestionAnswered:  read[QuestionAnswered],
	KindPlanUpdated:       read[PlanUpdated],
	KindQueueChanged:      read[QueueChanged],
	KindCompacted:         read[Compacted],
	KindBranched:          read[Branched],
	KindLabelled:          read[Labelled],
	KindCommandRan:        read[CommandRan],
	KindForeign:           read[Foreign],
	KindHookRan:           read[HookRan],
	KindBudgetWarned:      read[BudgetWarned],
	KindBudgetExceeded:    read[BudgetExceeded],
	KindNotice:            read[Notice],
	KindTextDelta:         read[TextDelta],
	KindThinkingDelta:     read[ThinkingDelta],
	KindToolInputDelta:    read[ToolInputDelta],
	KindToolOutput:        read[ToolOutput],
	KindToolProgress:      read[ToolProgress],
	KindTasksProgressed:   read[TasksProgressed],
	KindServerChanged:     read[ServerChanged],
	KindContextEstimated:  read[ContextEstimated],
	KindUsageTicked:       read[UsageTicked],
	KindRetryStarted:      read[RetryStarted],
	KindRetryEnded:        read[RetryEnded],
	KindCompactionStarted: read[CompactionStarted],
	KindStatusChanged:     read[StatusChanged],

	KindSubagentStarted:            read[SubagentStarted],
	KindSubagentEnded:              read[SubagentEnded],
	KindVerificationStarted:        read[VerificationStarted],
	KindVerificationCommandStarted: read[VerificationCommandStarted],
	KindVerificationCommandEnded:   read[VerificationCommandEnded],
	KindVerificationEnded:          read[VerificationEnded],
}

func read[E Event](dec *jsontext.Decoder) (Event, error) {
	var e E
	err := json.UnmarshalDecode(dec, &e)
	return e, err
}

// Kind is the name in the JSON form.
func (SessionCreated) Kind() Kind { return KindSessionCreated }

// Kind is the name in the JSON form.
func (SessionChanged) Kind() Kind { return KindSessionChanged }

// Kind is the name in the JSON form.
func (TurnStarted) Kind() Kind { return KindTurnStarted }

// Kind is the name in the JSON form.
func (TurnEnded) Kind() Kind { return KindTurnEnded }

// Kind is the name in the JSON form.
func (Reminded) Kind() Kind { return KindReminded }

// Kind is the name in the JSON form.
func (Objected) Kind() Kind { return KindObjected }

// Kind is the name in the JSON form.
func (StepStarted) Kind() Kind { return KindStepStarted }

// Kind is the name in the JSON form.
func (StepEnded) Kind() Kind { return KindStepEnded }

// Kind is the name in the JSON form.
func (UserMessage) Kind() Kind { return KindUserMessage }

// Kind is the name in the JSON form.
func (AssistantMessage) Kind() Kind { return KindAssistantMessage }

// Kind is the name in the JSON form.
func (ToolIntended) Kind() Kind { return KindToolIntended }

// Kind is the name in the JSON form.
func (ChangesProposed) Kind() Kind { return KindChangesProposed }

// Kind is the name in the JSON form.
func (ToolStarted) Kind() Kind { return KindToolStarted }

// Kind is the name in the JSON form.
func (ToolEnded) Kind() Kind { return KindToolEnded }

// Kind is the name in the JSON form.
func (ApprovalAsked) Kind() Kind { return KindApprovalAsked }

// Kind is the name in the JSON form.
func (ApprovalAnswered) Kind() Kind { return KindApprovalAnswered }

// Kind is the name in the JSON form.
func (QuestionAsked) Kind() Kind { return KindQuestionAsked }

// Kind is the name in the JSON form.
func (QuestionAnswered) Kind() Kind { return KindQuestionAnswered }

// Kind is the name in the JSON form.
func (PlanUpdated) Kind() Kind { return KindPlanUpdated }

// Kind is the name in the JSON form.
func (QueueChanged) Kind() Kind { return KindQueueChanged }

// Kind is the name in the JSON form.
func (Compacted) Kind() Kind { return KindCompacted }

// Kind is the name in the JSON form.
func (Branched) Kind() Kind { return KindBranched }

// Kind is the name in the JSON form.
func (Labelled) Kind() Kind { return KindLabelled }

// Kind is the name in the JSON form.
func (CommandRan) Kind() Kind { return KindCommandRan }

// Kind is the name in the JSON form.
func (Foreign) Kind() Kind { return KindForeign }

// Kind is the name in the JSON form.
func (HookRan) Kind() Kind { return KindHookRan }

// Kind is the name in the JSON form.
func (BudgetWarned) Kind() Kind { return KindBudgetWarned }

// Kind is the name in the JSON form.
func (BudgetExceeded) Kind() Kind { return KindBudgetExceeded }

// Kind is the name in the JSON form.
func (Notice) Kind() Kind { return KindNotice }

// Kind is the name in the JSON form.
func (TextDelta) Kind() Kind { return KindTextDelta }

// Kind is the name in the JSON form.
func (ThinkingDelta) Kind() Kind { return KindThinkingDelta }

// Kind is the name in the JSON form.
func (ToolInputDelta) Kind() Kind { return KindToolInputDelta }

// Kind is the name in the JSON form.
func (ToolOutput) Kind() Kind { return KindToolOutput }

// Kind is the name in the JSON form.
func (ToolProgress) Kind() Kind { return KindToolProgress }

// Kind is the name in the JSON form.
func (ServerChanged) Kind() Kind { return KindServerChanged }

// Kind is the name in the JSON form.
func (ContextEstimated) Kind() Kind { return KindContextEstimated }

// Kind is the name in the JSON form.
func (UsageTicked) Kind() Kind { return KindUsageTicked }

// Kind is the name in the JSON form.
func (RetryStarted) Kind() Kind { return KindRetryStarted }

// Kind is the name in the JSON form.
func (RetryEnded) Kind() Kind { return KindRetryEnded }

// Kind is the name in the JSON form.
func (CompactionStarted) Kind() Kind { return KindCompactionStarted }

// Kind is the name in the JSON form.
func (StatusChanged) Kind() Kind { return KindStatusChanged }

// Kind is the name in the JSON form.
func (SubagentStarted) Kind() Kind { return KindSubagentStarted }

// Kind is the name in the JSON form.
func (SubagentEnded) Kind() Kind { return KindSubagentEnded }

// Kind is the name in the JSON form.
func (VerificationStarted) Kind() Kind { return KindVerificationStarted }

// Kind is the name in the JSON form.
func (VerificationCommandStarted) Kind() Kind { return KindVerificationCommandStarted }

// Kind is the name in the JSON form.
func (VerificationCommandEnded) Kind() Kind { return KindVerificationCommandEnded }

// Kind is the name in the JSON form.
func (VerificationEnded) Kind() Kind { return KindVerificationEnded }

// Kind is the name in the JSON form.
func (TasksProgressed) Kind() Kind { return KindTasksProgressed }

// Kind is the name that was read.
func (u Unknown) Kind() Kind { return u.Name }
