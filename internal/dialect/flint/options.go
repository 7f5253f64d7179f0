package flint

import (
	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
)

// Flags is the command line.
type Flags struct {
	Model   string // "": the default one
	Cwd     string // absolute, symlinks resolved: where threads work that say nothing else
	Asking  approval.Asking
	Sandbox approval.Sandbox
	Shapes  Shapes
}

// The texts for models that the protocol fixes.
const (
	textDenied = "rejected by user"
	textBroken = "approval request failed"
)

// profile is the name of the protocol, as sessions have it that were opened for it.
const profile = "flint"

// Options returns the protocol's options: one turn at a time in a thread, calls asked about together,
// approvals by policy and sandbox, changes shown before they are approved.
func Options() engine.Options {
	o := engine.Defaults()
	o.Profile = profile
	o.SecondPrompt = engine.RefuseSecond
	o.FollowOthers = true
	o.Calls = engine.ParallelReads
	o.Approvals = engine.ApproveBySandbox{}
	o.NoQuestions = true
	o.Preview = true
	o.Toolset = toolset.Get()
	retry := engine.DefaultRetries
	retry.RateLimited, retry.Overloaded, retry.Unavailable = retries, retries, retries
	o.Retry = retry
	o.Texts = map[engine.Text]string{
		engine.TextDenied:      textDenied,
		engine.TextInterrupted: "interrupted by user",
	}
	return o
}

// retries is how often a failed model call is made again.
const retries = 5

// ParsePolicy reads a policy as requests have it, other names included.
func ParsePolicy(word string) (approval.Asking, bool) {
	policy := ApprovalPolicy(word)
	if alias, ok := policyAliases[word]; ok {
		policy = alias
	}
	asking, ok := askings[policy]
	return asking, ok
}

// ParseSandbox reads a type of sandbox as requests have it, other spellings included.
func ParseSandbox(word string) (approval.Sandbox, bool) {
	name, ok := sandboxTypes[word]
	return SandboxPolicy{Type: name}.settings(), ok
}
