package codex

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// Flags is the command line.
type Flags struct {
	Model   string // "": the default one
	Cwd     string // absolute, symlinks resolved: where threads work that name no folder
	Asking  approval.Asking
	Sandbox approval.Sandbox
	Source  SessionSource             // of new threads
	Config  map[string]jsontext.Value // of new threads, by dotted keys; CheckConfig finds nothing wrong with it
}

// DefaultFlags are those of an empty command line.
func DefaultFlags() Flags {
	return Flags{
		Asking: approval.AskOnRequest, Sandbox: approval.Sandbox{Kind: approval.SandboxWorkspace}, Source: SessionSource{Word: "vscode"},
	}
}

// The texts for models that the protocol fixes.
const (
	textDenied = "rejected by user"
	textBroken = "approval request failed"
)

// profile is the name of the protocol, as sessions have it that were opened for it.
const profile = "codex"

// Options returns the protocol's options: a second prompt goes into the running turn, calls are asked about together,
// approvals by policy and sandbox, changes shown before they are approved.
func Options() engine.Options {
	o := engine.Defaults()
	o.Profile = profile
	o.SecondPrompt = engine.SteerSecond
	o.Steers = engine.SteerRunningTurn
	o.FollowOthers = true
	o.Calls = engine.ParallelReads
	o.Approvals = engine.ApproveBySandbox{}
	o.Preview = true
	o.Toolset, o.Escalation = toolset.Get(), true
	o.Plugins = []engine.Plugin{goals{newID}}
	retry := engine.DefaultRetries
	retry.RateLimited, retry.Overloaded, retry.Unavailable = retries, retries, retries
	o.Retry = retry
	o.Texts = map[engine.Text]string{
		engine.TextDenied:      textDenied,
		engine.TextInterrupted: "interrupted by user",
	}
	return o
}

// optionsFor returns the options of a thread that was created with these settings.
func optionsFor(s event.Settings) engine.Options {
	o := Options()
	if extraOf(s).NoSearch {
		o.Toolset = slices.DeleteFunc(slices.Clone(o.Toolset), func(b engine.Binding) bool { return b.Tool == toolSearch })
	}
	return o
}

// options returns optionsFor the connection.
func (c *conn) options(s event.Settings) engine.Options {
	o := optionsFor(s)
	if c.cfg.PromptsOnly {
		o.Plugins = nil
	}
	return o
}

// newID returns an id of a thread, a turn or a prompt.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// retries is how often a failed model call is made again.
const retries = 5
