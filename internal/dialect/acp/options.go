package acp

import (
	"parley.dev/parley/internal/engine"
)

// profile is the name of the protocol, as sessions have it that were opened for it.
const profile = "acp"

// Flags is the command line.
type Flags struct {
	Model      string // of new sessions; "": the default one
	Mode       string // of new sessions
	Unstable   bool   // the unstable part of version 1 is there
	V2         bool   // version 2 is spoken with clients that ask for it
	NoFiles    bool   // the files of clients are not used
	NoTerminal bool   // the terminals of clients are not used
}

// queueBound is how many prompts of a session may wait.
const queueBound = 32

// textWithdrawn is what models and clients read of a call that was cancelled before it ran.
const textWithdrawn = "cancelled before it ran"

// Options returns the protocol's options: prompts wait for turns of their own, calls of a step are asked about together,
// and changes are shown before they are approved.
func Options() engine.Options {
	o := engine.Defaults()
	o.Profile = profile
	o.SecondPrompt = engine.QueueSecond
	o.FollowUps = engine.FollowUpInNewTurn
	o.Calls = engine.ParallelReads
	o.Approvals = approveByMode{}
	o.Preview = true
	o.SwitchInTurn = true
	o.Plugins = []engine.Plugin{engine.ForgetRefused{}}
	o.Toolset = toolset.Get()
	o.Texts = map[engine.Text]string{
		engine.TextInterrupted: textWithdrawn,
		engine.TextDeclined:    "the user did not answer",
	}
	return o
}
