package agentair

import (
	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
)

// Flags is the command line.
type Flags struct {
	Model         string // "": the default one
	Cwd           string // absolute, symlinks resolved: where sessions work that say nothing else
	Policy        Policy
	Extended      bool // messages have the fields of the program too
	RoundComplete bool // each step with tools ends with a Complete of its own
	StepLimit     int  // tool rounds of a turn; 0: any number
}

// Policy is what becomes of requests that no grant covers.
type Policy string

// The policies.
const (
	Interactive Policy = "interactive"  // the client is asked
	AutoApprove Policy = "auto-approve" // they are allowed, and questions are declined
	DenyAll     Policy = "deny-all"     // they are denied
)

// ParsePolicy reads a policy's name.
func ParsePolicy(name string) (Policy, bool) {
	p := Policy(name)
	return p, p == Interactive || p == AutoApprove || p == DenyAll
}

var verdicts = map[Policy]approval.Verdict{Interactive: approval.Ask, AutoApprove: approval.Allow, DenyAll: approval.Deny}

// The words that models are told where the protocol fixes them.
const (
	textDenied    = "Permission denied by user"
	textPolicy    = "Permission denied by policy"
	textCancelled = "Permission request cancelled"
	textDeclined  = "User declined to answer"
)

// queueBound is how many messages of a session may wait.
const queueBound = 500

// options is the protocol's manners: messages wait for turns of their own, calls of a step
// are asked about and run together, an interrupted turn is forgotten.
func options(f Flags) engine.Options {
	o := engine.Defaults()
	o.SecondPrompt = engine.RefuseSecond
	o.Calls = engine.SideBySide
	o.Approvals = engine.ApproveUngranted
	o.Ungranted = verdicts[f.Policy]
	o.FollowUps = engine.FollowUpsNewTurn
	o.TakeSteers = engine.TakeOne
	o.ForgetInterrupted = true
	o.StepLimit = f.StepLimit
	o.Toolset = toolset()
	o.Texts.Denied = textDenied
	o.Texts.Refused = textPolicy
	o.Texts.Interrupted = textCancelled
	o.Texts.ClientGone = textCancelled
	o.Texts.Declined = textDeclined
	o.Texts.UnknownTool = "Tool not found: %s"
	return o
}
