package loaf

import (
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
)

// profile is the name of the protocol, as sessions have it that were opened for it.
const profile = "loaf"

// Flags is how the process was started.
type Flags struct {
	Format  EventFormat // "": flat
	Cwd     string      // absolute, symlinks resolved: where sessions work
	Home    string      // the user's; "": none
	Model   string      // where nothing else names one; "": the configured one
	Sandbox approval.Sandbox
	Confine bool // Sandbox is that of chats which are opened again, too: the command line has a flag for it
}

// Options returns the protocol's options: no user is asked anything, a second prompt is refused or
// waits for a turn of its own, calls run one after another.
func Options() engine.Options {
	o := engine.Defaults()
	o.Profile = profile
	o.SecondPrompt = engine.RefuseSecond
	o.Calls = engine.Sequential
	o.Approvals = engine.ApproveBySandbox{}
	o.NoQuestions = true
	o.FollowUps = engine.FollowUpInNewTurn
	o.Steers = engine.SteerRunningTurn
	o.Toolset = toolset.Get()
	o.ResultLimits.Output = 100 << 10 // the document has up to 300,000 characters of each stream
	o.PersistentShell = true
	// Without Empty: an answer may have no text, answer_length is 0 then.
	o.Retry = engine.Retries{RateLimited: 7, Unavailable: 3, First: 1250 * time.Millisecond, Longest: 20 * time.Second}
	o.Compact = engine.WindowShares{At: highWatermark, Keep: 0.2} // without Drop: clients have no message for it
	o.Texts = map[engine.Text]string{engine.TextUnknownTool: unknownTool}
	return o
}

// options returns the options of the sessions of the connection.
func (c *conn) options() engine.Options {
	o := Options()
	o.Instructions = c.catalogue()
	o.Skills = engine.SkillsUnused // they are in Instructions, and in those of each prompt
	return o
}

const unknownTool = "unknown tool: %s"

// highWatermark and target are parts of a model's window: what starts a compaction, and what
// one is said to aim at.
const (
	highWatermark = 0.82
	target        = 0.74
)
