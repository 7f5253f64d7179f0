package agentair

import (
	"maps"
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

// messageTypes is what goes out, in the order of the source.
var messageTypes = []named{
	of[TextChunk](), of[ToolExecuting](), of[ToolCompleted](), of[Complete](),
	of[PermissionRequired](), of[BatchPermissionRequired](), of[UserInteractionRequired](),
	of[TokenUpdate](), of[Error](), of[System](), of[Display](), of[CommandComplete](),
}

// requestTypes is what comes in beside ControllerInput.
var requestTypes = []named{
	of[PermissionResponse](), of[BatchPermissionResponse](), of[UserInteractionResponse](),
	of[CancelPermission](), of[CancelBatchPermission](), of[CancelUserInteraction](),
	of[Interrupt](), of[Clear](), of[Compact](), of[Shutdown](), of[CreateSession](), of[RemoveSession](),
}

// inboundTypes is all that comes in, whose Options may be null.
var inboundTypes = append([]named{
	of[ControllerInput](), of[PermissionVote](), of[Grant](), of[GrantTarget](), of[AskUserQuestionsResponse](), of[Answer](),
}, requestTypes...)

// outboundParts are the objects within messages.
var outboundParts = []named{of[TurnID](), of[PermissionRequest](), of[AskUserQuestionsRequest](), of[Question]()}

// wordTypes are the texts of which only some are allowed.
var wordTypes = map[named][]string{
	of[Role]():            wordsOf(RoleUser, RoleAssistant),
	of[StopReason]():      wordsOf(StopEndTurn, StopMaxTokens, StopStopSequence, StopToolUse),
	of[ToolStatus]():      wordsOf(ToolSuccess, ToolError, ToolTimeout),
	of[TargetType]():      wordsOf(TargetPath, TargetDomain, TargetCommand),
	of[PermissionLevel](): wordsOf(LevelNone, LevelRead, LevelWrite, LevelExecute, LevelAdmin),
	of[QuestionType]():    wordsOf(SingleChoice, MultiChoice, FreeText),
	of[PermissionScope](): wordsOf(ScopeOnce, ScopeSession),
	of[GrantTargetType](): wordsOf(GrantPath, GrantDomain, GrantCommand, GrantTool),
}

func wordsOf[S ~string](values ...S) []string {
	all := make([]string, len(values))
	for i, value := range values {
		all[i] = string(value)
	}
	return all
}

func wordNames() []named { return slices.Collect(maps.Keys(wordTypes)) }

// allTypes is each struct once, but for what --extended adds.
func allTypes() []named { return slices.Concat(messageTypes, outboundParts, inboundTypes) }
