package event

// HookRan tells what a command of the user's, asked at a moment of the session, has decided.
// One that had nothing to say has no record. Before a tool it comes ahead of the call's
// ToolIntended, behind one ahead of its ToolEnded, at the end of a turn ahead of the TurnEnded.
type HookRan struct {
	Moment   HookMoment   `json:"moment"`
	Hook     string       `json:"hook"`          // its name
	Call     CallID       `json:"call,omitzero"` // that it was asked about
	Decision HookDecision `json:"decision"`
	Reason   string       `json:"reason,omitzero"`  // of the decision, as the model is told
	Rewrote  bool         `json:"rewrote,omitzero"` // the input that the model gave is in its message; what runs is in ToolIntended
	Context  string       `json:"context,omitzero"` // told to the model besides
	Ran      Duration     `json:"ran,omitzero"`
}

// HookMoment is when hooks are asked.
type HookMoment string

// The moments.
const (
	BeforeTool HookMoment = "before_tool" // a call is about to be approved and run
	AfterTool  HookMoment = "after_tool"  // a call has run
	AtTurnEnd  HookMoment = "turn_end"    // a turn is about to end, but not by an interrupt
	AtPrompt   HookMoment = "prompt"      // a turn has begun, and the model was not asked yet
)

// HookDecision is what a hook decided.
type HookDecision string

// The decisions.
const (
	HookAllowed   HookDecision = "allow"    // it goes on, with what the hook has changed or said
	HookDenied    HookDecision = "deny"     // the call, its success, or the prompt
	HookContinued HookDecision = "continue" // the turn does not end yet
)
