package record

// The kinds of records that have a type here, which its Kind method returns.
const (
	KindSessionCreated   = "session_created"
	KindSessionChanged   = "session_changed"
	KindTurnStarted      = "turn_started"
	KindTurnEnded        = "turn_ended"
	KindStepStarted      = "step_started"
	KindStepEnded        = "step_ended"
	KindUserMessage      = "user_message"
	KindAssistantMessage = "assistant_message"
	KindAnswerGrew       = "answer_grew"
	KindRuleViolated     = "objected"
	KindReminded         = "reminded"
	KindHookRan          = "hook_ran"
	KindToolIntended     = "tool_intended"
	KindChangesProposed  = "changes_proposed"
	KindToolStarted      = "tool_started"
	KindToolEnded        = "tool_ended"
	KindApprovalAsked    = "approval_asked"
	KindApprovalAnswered = "approval_answered"
	KindQuestionAsked    = "question_asked"
	KindQuestionAnswered = "question_answered"
	KindCommandStarted   = "command_started"
	KindCommandRan       = "command_ran"
	KindFilesRestored    = "files_restored"
	KindPlanUpdated      = "plan_updated"
	KindQueueChanged     = "queue_changed"
	KindBranched         = "branched"
	KindLabelled         = "labelled"
	KindCompacted        = "compacted"
	KindBackendOpened    = "backend_opened"
	KindBackendAnswered  = "backend_answered"
	KindBudgetWarned     = "budget_warned"
	KindBudgetExceeded   = "budget_exceeded"
	KindSubagentStarted  = "subagent_started"
	KindSubagentEnded    = "subagent_ended"
	KindNotice           = "notice"

	// Transient kinds: they have no number, are not stored, and are sent only to clients that follow a session with them in
	// FollowOptions.Transient.
	KindTextDelta         = "text_delta"
	KindThinkingDelta     = "thinking_delta"
	KindToolInputDelta    = "tool_input_delta"
	KindToolOutput        = "tool_output"
	KindToolProgress      = "tool_progress"
	KindTerminalCreated   = "terminal_created"
	KindCommandOutput     = "command_output"
	KindSubagentRecorded  = "subagent_recorded"
	KindContextEstimated  = "context_estimated"
	KindUsageTicked       = "usage_ticked"
	KindRetryStarted      = "retry_started"
	KindRetryEnded        = "retry_ended"
	KindCompactionStarted = "compaction_started"
	KindStatusChanged     = "status_changed"
)

// kinds read the data of records.
var kinds = map[string]func(Record) (Event, error){
	KindSessionCreated:    decode[SessionCreated],
	KindSessionChanged:    decode[SessionChanged],
	KindTurnStarted:       decode[TurnStarted],
	KindTurnEnded:         decode[TurnEnded],
	KindStepStarted:       decode[StepStarted],
	KindStepEnded:         decode[StepEnded],
	KindUserMessage:       decode[UserMessage],
	KindAssistantMessage:  decode[AssistantMessage],
	KindToolIntended:      decode[ToolIntended],
	KindToolStarted:       decode[ToolStarted],
	KindToolEnded:         decode[ToolEnded],
	KindApprovalAsked:     decode[ApprovalAsked],
	KindApprovalAnswered:  decode[ApprovalAnswered],
	KindQuestionAsked:     decode[QuestionAsked],
	KindQuestionAnswered:  decode[QuestionAnswered],
	KindCommandStarted:    decode[CommandStarted],
	KindCommandRan:        decode[CommandRan],
	KindFilesRestored:     decode[FilesRestored],
	KindPlanUpdated:       decode[PlanUpdated],
	KindQueueChanged:      decode[QueueChanged],
	KindCompacted:         decode[Compacted],
	KindBackendOpened:     decode[BackendOpened],
	KindBackendAnswered:   decode[BackendAnswered],
	KindBudgetWarned:      decode[BudgetWarned],
	KindBudgetExceeded:    decode[BudgetExceeded],
	KindSubagentStarted:   decode[SubagentStarted],
	KindSubagentEnded:     decode[SubagentEnded],
	KindNotice:            decode[Notice],
	KindTextDelta:         decode[TextDelta],
	KindThinkingDelta:     decode[ThinkingDelta],
	KindToolOutput:        decode[ToolOutput],
	KindToolProgress:      decode[ToolProgress],
	KindTerminalCreated:   decode[TerminalCreated],
	KindCommandOutput:     decode[CommandOutput],
	KindUsageTicked:       decode[UsageTicked],
	KindRetryStarted:      decode[RetryStarted],
	KindRetryEnded:        decode[RetryEnded],
	KindCompactionStarted: decode[CompactionStarted],
	KindStatusChanged:     decode[StatusChanged],
	KindContextEstimated:  decode[ContextEstimated],
	KindSubagentRecorded:  decode[SubagentRecorded],
	KindToolInputDelta:    decode[ToolInputDelta],
	KindLabelled:          decode[Labelled],
	KindBranched:          decode[Branched],
	KindChangesProposed:   decode[ChangesProposed],
	KindHookRan:           decode[HookRan],
	KindReminded:          decode[Reminded],
	KindRuleViolated:      decode[RuleViolated],
	KindAnswerGrew:        decode[AnswerGrew],
}
