package scaiflux

import (
	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
)

// The reasons that the protocol fixes word for word.
const (
	textUnknownTool = "unknown tool: %s"
	textDenied      = "denied by remote controller"
	textInterrupted = "interrupted by controller"
	textGone        = "controller disconnected before responding"
)

// profile is the name of the protocol, as sessions have it that were opened for it.
const profile = "scaiflux"

// Flags is the command line of serve.
type Flags struct {
	Model         string
	MaxTokens     int // 0: derived from the context window
	Workspace     string
	Mode          approval.Mode
	SetMode       bool // Mode is that of the session which is resumed, too: the command line has a flag for it
	MaxIterations int
	Resume        string // "", latest, or a session id or its unique beginning
}

// Options returns the protocol's options: one prompt at a time, every call is asked about, calls
// run one after another because a permission request carries no call id.
func Options(f Flags) engine.Options {
	o := engine.Defaults()
	o.Profile = profile
	o.SecondPrompt = engine.RefuseSecond
	o.Calls = engine.Sequential
	o.Approvals = engine.ApproveEveryCall{}
	o.NoQuestions = true
	o.StepLimit = f.MaxIterations
	o.MaxTokens = f.MaxTokens
	o.Toolset = toolset.Get()
	o.ZeroOffsets = true
	o.ResultLimits = engine.ResultLimits{Output: 100 << 10, Read: 100 << 10}
	o.ContextFiles = []string{"AGENTS.md", "SCAIFLUX.md"}
	o.Texts = map[engine.Text]string{
		engine.TextUnknownTool: textUnknownTool,
		engine.TextDenied:      textDenied,
		engine.TextInterrupted: textInterrupted,
		engine.TextClientGone:  textGone,
	}
	return o
}
