package telemetry

import (
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// agentName is the name of the agent that runs the turns of sessions that work for no tool call.
const agentName = "parley"

// Kinds of spans, from which their ids are computed.
const (
	spanTurn       = "turn"
	spanStep       = "step"
	spanCall       = "call"
	spanApproval   = "approval"
	spanQuestion   = "question"
	spanCompaction = "compaction"
)

// Values of gen_ai.operation.name; the conventions have none for a compaction.
const (
	operationChat    = "chat"
	operationTool    = "execute_tool"
	operationAgent   = "invoke_agent"
	operationCompact = "compact"
)

// Names of attributes that the conventions do not have.
const (
	attrTurn          = "parley.turn.id"
	attrTurnReason    = "parley.turn.reason"
	attrSteps         = "parley.turn.steps"
	attrStep          = "parley.step"
	attrCost          = "parley.cost"
	attrEstimated     = "parley.usage.estimated"
	attrServer        = "parley.tool.server"
	attrConfined      = "parley.tool.confinement"
	attrAllowed       = "parley.approval.allowed"
	attrBy            = "parley.answered.by"
	attrMode          = "parley.approval.mode"
	attrAttempt       = "parley.retry.attempt"
	attrDelay         = "parley.retry.delay"
	attrReason        = "parley.compaction.reason"
	attrTokensBefore  = "parley.compaction.tokens_before"
	attrTokensAfter   = "parley.compaction.tokens_after"
	attrRecovered     = "parley.turn.recovered"
	attrQueue         = "parley.queue"
	attrStatus        = "http.response.status_code"
	attrErrorType     = "error.type"
	attrProvider      = "gen_ai.provider.name"
	attrOperation     = "gen_ai.operation.name"
	attrAgent         = "gen_ai.agent.name"
	attrConversation  = "gen_ai.conversation.id"
	attrRequestModel  = "gen_ai.request.model"
	attrResponseModel = "gen_ai.response.model"
	attrFinish        = "gen_ai.response.finish_reasons"
	attrFirstChunk    = "gen_ai.response.time_to_first_chunk"
	attrInput         = "gen_ai.usage.input_tokens"
	attrOutput        = "gen_ai.usage.output_tokens"
	attrCacheRead     = "gen_ai.usage.cache_read.input_tokens"
	attrCacheWrite    = "gen_ai.usage.cache_creation.input_tokens"
	attrReasoning     = "gen_ai.usage.reasoning.output_tokens"
	attrTokenType     = "gen_ai.token.type"
	attrTool          = "gen_ai.tool.name"
	attrToolType      = "gen_ai.tool.type"
	attrCall          = "gen_ai.tool.call.id"
	attrArguments     = "gen_ai.tool.call.arguments"
	attrResult        = "gen_ai.tool.call.result"
	attrInputText     = "gen_ai.input.messages"
	attrOutputText    = "gen_ai.output.messages"
)

// interrupted is the error.type of what was interrupted; unknownTool the name of tools that there are not, of which models may
// call any number.
const (
	interrupted = "interrupted"
	unknownTool = "unknown"
)

// providers are the names that the conventions have for providers that we have other names for.
var providers = map[string]string{
	"azure": "azure.ai.openai", "bedrock": "aws.bedrock", "gemini": "gcp.gemini", "google": "gcp.gemini", "vertexai": "gcp.vertex_ai",
	"mistral": "mistral_ai", "moonshot": "moonshot_ai", "moonshotai": "moonshot_ai", "xai": "x_ai",
}

// finishReasons are why answers ended, as the conventions name it.
var finishReasons = map[model.Stop]string{
	model.StopEnd: "stop", model.StopSequence: "stop", model.StopTools: "tool_call", model.StopTokens: "length", model.StopRefused: "content_filter",
}

// providerName returns the name of a provider by the conventions; "": it is not known.
func providerName(ours string) string {
	if name := providers[ours]; name != "" {
		return name
	}
	return ours
}

// turnError returns the error.type of a turn; "": it has come to its end.
func turnError(e event.TurnEnded) string {
	switch {
	case e.Failure != nil:
		return e.Failure.Kind
	case e.Reason == event.TurnCompleted || e.Reason == event.TurnStepLimit || e.Reason == event.TurnMaxTokens:
		return ""
	}
	return string(e.Reason)
}

// toolError returns the error.type of a tool call; "": it has succeeded.
func toolError(o event.Outcome) string {
	switch o {
	case event.Succeeded:
		return ""
	case event.Failed:
		return "tool_error"
	case event.Denied, event.Interrupted, event.OutcomeUnknown:
	}
	return string(o)
}
