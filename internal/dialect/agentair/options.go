package agentair

import (
	"fmt"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// profile is the name of the protocol, as sessions have it that were opened for it.
const profile = "agentair"

// Flags is the command line.
type Flags struct {
	Model         string // "": the default one
	Cwd           string // absolute, symlinks resolved: where sessions work that say nothing else
	Policy        Policy
	SetPolicy     bool             // Policy and Sandbox are those of the session which is resumed, too: the command line has a flag for them
	Sandbox       approval.Sandbox // of AutoApprove and OnRequest: what commands and file tools may touch
	Extended      bool             // messages have the fields of the program too
	RoundComplete bool             // each step with tools ends with a Complete of its own
	Resume        string           // session to open as the first one: latest, an id, or the beginning of one; "": a new one
	StepLimit     int              // tool rounds of a turn; 0: any number

	SinglePermissions bool // no batches: each request for permission is a message of its own
}

// Policy decides about calls that no grant covers.
type Policy string

// The policies.
const (
	Interactive Policy = "interactive"  // the client is asked
	AutoApprove Policy = "auto-approve" // they are allowed, and questions are declined
	DenyAll     Policy = "deny-all"     // they are denied
	OnRequest   Policy = "on-request"   // commands run in the sandbox; the client is asked about what it does not allow
)

// ParsePolicy reads a policy's name.
func ParsePolicy(name string) (Policy, bool) {
	p := Policy(name)
	return p, p == Interactive || p == AutoApprove || p == DenyAll || p == OnRequest
}

// ParseSandbox reads the word of --sandbox; "" stands for what the policy needs. What a
// client approves runs without a sandbox, so that other policies have no use for one.
func ParseSandbox(word string, p Policy) (approval.Sandbox, error) {
	s := approval.Sandbox{Kind: approval.SandboxKind(word)}
	switch s.Kind {
	case "":
		if s.Kind = approval.SandboxNone; p == OnRequest {
			s.Kind = approval.SandboxWorkspace
		}
		return s, nil
	case approval.SandboxNone, approval.SandboxWorkspace, approval.SandboxReadOnly:
	default:
		return s, fmt.Errorf("--sandbox %q is none of full-access, workspace-write and read-only", word)
	}
	if p != AutoApprove && p != OnRequest {
		return s, fmt.Errorf("--sandbox needs --policy auto-approve or on-request: under %s every command is approved or denied, and what is approved runs without a sandbox", p)
	}
	return s, nil
}

// store makes the policy that of a new session, as every protocol reads it.
func (f Flags) store(s *event.Settings) {
	s.Asking, s.Sandbox = approval.AskAlways, approval.Sandbox{Kind: approval.SandboxNone}
	switch f.Policy {
	case OnRequest:
		s.Asking, s.Sandbox = approval.AskOnRequest, f.Sandbox
	case AutoApprove:
		s.Asking, s.Sandbox = approval.AskNever, f.Sandbox
	case DenyAll:
		s.RefusedApprovals = []approval.Subject{approval.SubjectHook, approval.SubjectNetwork, approval.SubjectSandbox, approval.SubjectServer}
	}
}

// sandboxed reports whether the sandbox decides about calls.
func (f Flags) sandboxed() bool {
	return f.Policy == OnRequest || f.Policy == AutoApprove && f.Sandbox.Confining()
}

// The texts for models that the protocol fixes.
const (
	textDenied    = "Permission denied by user"
	textPolicy    = "Permission denied by policy"
	textCancelled = "Permission request cancelled"
	textDeclined  = "User declined to answer"
)

// queueBound is how many messages of a session may wait.
const queueBound = 500

// Options returns the protocol's options: messages wait for turns of their own, calls of a step
// are asked about and run together, an interrupted turn is forgotten.
func Options(f Flags) engine.Options {
	o := engine.Defaults()
	o.Profile = profile
	o.SecondPrompt = engine.RefuseSecond
	o.Calls = engine.Parallel
	o.Approvals = refuseDestructive{approveByPolicy{}}
	o.Plugins = []engine.Plugin{forgetInterrupted{}}
	o.FollowUps = engine.FollowUpInNewTurn
	o.Steers = engine.SteerOneByOne
	o.StepLimit = f.StepLimit
	compact := engine.DefaultCompaction
	compact.Drop = 0 // clients are sent each compaction, and have no message for dropped results
	o.Compact = compact
	o.Toolset = toolset.Get()
	if f.sandboxed() {
		o.Toolset = sandboxedToolset.Get()
	}
	o.Texts = map[engine.Text]string{
		engine.TextDenied:      textDenied,
		engine.TextInterrupted: textCancelled,
		engine.TextClientGone:  textCancelled,
		engine.TextDeclined:    textDeclined,
		engine.TextUnknownTool: "Tool not found: %s",
	}
	return o
}
