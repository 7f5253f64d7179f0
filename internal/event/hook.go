package event

// HookRan reports the decision of a hook, a command of the user that runs at a moment of the
// session. A hook without a decision has no record. The record precedes ToolIntended for a hook
// before a call, ToolEnded for one after it, and TurnEnded for one at the end of a turn.
type HookRan struct {
	Moment   HookMoment   `json:"moment"`
	Hook     string       `json:"hook"`          // its name
	Call     CallID       `json:"call,omitzero"` // the call that it ran for
	Decision HookDecision `json:"decision"`
	Reason   string       `json:"reason,omitzero"`  // of the decision, as the model reads it
	Rewrote  bool         `json:"rewrote,omitzero"` // the model's input is in its message; the input that runs is in ToolIntended
	Context  string       `json:"context,omitzero"` // further text for the model
	Ran      Duration     `json:"ran,omitzero"`
}

// A HookMoment is when a hook runs.
type HookMoment string

// The moments.
const (
	BeforeTool HookMoment = "before_tool" // a call is about to be approved and run
	AfterTool  HookMoment = "after_tool"  // a call has run
	AtTurnEnd  HookMoment = "turn_end"    // a turn is about to end, but not by an interrupt
	AtPrompt   HookMoment = "prompt"      // a turn has begun, and the first model call has not

	AtSessionStart HookMoment = "session_start"  // the first turn since the session was created or opened, or after a compaction
	AtSessionEnd   HookMoment = "session_end"    // the session is closed
	BeforeCompact  HookMoment = "before_compact" // the history is about to be summarised
	AtPermission   HookMoment = "permission"     // the user is about to be asked to approve a call
)

// A HookDecision is the decision of a hook.
type HookDecision string

// The decisions.
const (
	HookAllowed   HookDecision = "allow"    // the call or turn continues, with the changes and the context of the hook
	HookDenied    HookDecision = "deny"     // the call, its success, or the prompt
	HookContinued HookDecision = "continue" // the turn does not end yet
)
