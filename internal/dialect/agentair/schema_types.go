package agentair

import (
	"slices"

	"parley.dev/parley/internal/dialect/schema"
	"parley.dev/parley/internal/lazy"
)

// This file lists what protocol*.go has, by name, for the schema.

// messageTypes is what goes out, in the order of the source.
var messageTypes = lazy.Value[[]schema.Type]{New: func() []schema.Type {
	return []schema.Type{
		schema.Of[TextChunk](), schema.Of[ToolExecuting](), schema.Of[ToolCompleted](), schema.Of[Complete](),
		schema.Of[PermissionRequired](), schema.Of[BatchPermissionRequired](), schema.Of[UserInteractionRequired](),
		schema.Of[TokenUpdate](), schema.Of[Error](), schema.Of[System](), schema.Of[Display](), schema.Of[CommandComplete](),
	}
}}

// requestTypes is what comes in beside ControllerInput.
var requestTypes = lazy.Value[[]schema.Type]{New: func() []schema.Type {
	return []schema.Type{
		schema.Of[PermissionResponse](), schema.Of[BatchPermissionResponse](), schema.Of[UserInteractionResponse](),
		schema.Of[CancelPermission](), schema.Of[CancelBatchPermission](), schema.Of[CancelUserInteraction](),
		schema.Of[Interrupt](), schema.Of[Clear](), schema.Of[Compact](), schema.Of[Shutdown](), schema.Of[CreateSession](), schema.Of[RemoveSession](),
	}
}}

// inboundTypes is all that comes in, whose Options may be null.
var inboundTypes = lazy.Value[[]schema.Type]{New: func() []schema.Type {
	return append([]schema.Type{
		schema.Of[ControllerInput](), schema.Of[PermissionVote](), schema.Of[Grant](), schema.Of[GrantTarget](), schema.Of[AskUserQuestionsResponse](), schema.Of[Answer](),
	}, requestTypes.Get()...)
}}

// outboundParts are the objects within messages.
var outboundParts = lazy.Value[[]schema.Type]{New: func() []schema.Type {
	return []schema.Type{schema.Of[TurnID](), schema.Of[PermissionRequest](), schema.Of[AskUserQuestionsRequest](), schema.Of[Question]()}
}}

// wordTypes are the texts of which only some are allowed.
var wordTypes = lazy.Value[map[schema.Type][]string]{New: func() map[schema.Type][]string {
	return map[schema.Type][]string{
		schema.Of[Role]():            schema.Words(RoleUser, RoleAssistant),
		schema.Of[StopReason]():      schema.Words(StopEndTurn, StopMaxTokens, StopStopSequence, StopToolUse),
		schema.Of[ToolStatus]():      schema.Words(ToolSuccess, ToolError, ToolTimeout),
		schema.Of[TargetType]():      schema.Words(TargetPath, TargetDomain, TargetCommand),
		schema.Of[PermissionLevel](): schema.Words(LevelNone, LevelRead, LevelWrite, LevelExecute, LevelAdmin),
		schema.Of[QuestionType]():    schema.Words(SingleChoice, MultiChoice, FreeText),
		schema.Of[PermissionScope](): schema.Words(ScopeOnce, ScopeSession),
		schema.Of[GrantTargetType](): schema.Words(GrantPath, GrantDomain, GrantCommand, GrantTool),
	}
}}

// allTypes returns each struct once, but for what --extended adds.
func allTypes() []schema.Type {
	return slices.Concat(messageTypes.Get(), outboundParts.Get(), inboundTypes.Get())
}
