package engine

import (
	"slices"
	"strings"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// An ApprovalPolicy decides which calls need the approval of a user. Many sessions use it at once,
// with their locks held: it must not call them.
type ApprovalPolicy interface {
	// Decide decides about a call.
	Decide(Proposed) approval.Decision
	// Fits reports whether the policy decides about a session with these settings. About all others, such as those of a session
	// that a client of another protocol has made, ApproveStored decides.
	Fits(event.Settings) bool
	// Asks reports whether a user is ever asked.
	Asks(event.Settings) bool
	// Confines reports whether the sandbox of the settings holds for commands.
	Confines(event.Settings) bool
	// Unconfines reports whether a user is asked to let a command that the sandbox refused run again without it.
	Unconfines(event.Settings) bool
	// Describe describes to the model what is allowed. needs ends a sentence about the calls that
	// need an approval.
	Describe(settings event.Settings, needs string) string
}

// A Proposed call is one that is to be decided about.
type Proposed struct {
	Request  approval.Request
	Settings event.Settings
	Grants   *approval.GrantSet // of the session
	Dir      string             // of the workspace
	Home     string             // of the user; "": not known
	Shell    string             // the name of the tool that runs commands; "": there is none
	Confined bool               // its command would run in the sandbox
	Trusted  bool               // its command only reads
}

// ApproveEveryCall asks a user about each call.
type ApproveEveryCall struct{}

// Decide implements ApprovalPolicy.
func (ApproveEveryCall) Decide(Proposed) approval.Decision {
	return approval.Decision{Verdict: approval.Ask}
}

// Fits implements ApprovalPolicy. It is no policy for a session whose calls are confined or refused.
func (ApproveEveryCall) Fits(settings event.Settings) bool {
	return settings.Asking == "" || asksAll(settings)
}

// Asks implements ApprovalPolicy.
func (ApproveEveryCall) Asks(event.Settings) bool { return true }

// Confines implements ApprovalPolicy.
func (ApproveEveryCall) Confines(event.Settings) bool { return false }

// Unconfines implements ApprovalPolicy.
func (ApproveEveryCall) Unconfines(event.Settings) bool { return false }

// Describe implements ApprovalPolicy.
func (ApproveEveryCall) Describe(_ event.Settings, needs string) string {
	return "Permissions: all calls" + needs
}

// ApproveByMode asks a user about the calls that neither the mode of a session, the rules nor a grant
// decides.
type ApproveByMode struct {
	Rules []approval.Rule
}

// Decide implements ApprovalPolicy. A tool that runs a command in a shell needs what the command needs
// as well.
func (p ApproveByMode) Decide(c Proposed) approval.Decision {
	policy, req := approval.Policy{Mode: approval.Mode(c.Settings.Mode), Rules: p.Rules}, c.Request
	verdict, reason := policy.Decide(req)
	if req.AsShell && c.Shell != "" && verdict != approval.Deny {
		inShell := req
		inShell.Tool = c.Shell
		if v, why := policy.Decide(inShell); v != approval.Allow {
			verdict, reason = v, why
		}
	}
	if verdict == approval.Ask && c.Grants.Covers(req) {
		return approval.Decision{Verdict: approval.Allow, Granted: true}
	}
	return approval.Decision{Verdict: verdict, Reason: reason}
}

// Fits implements ApprovalPolicy.
func (ApproveByMode) Fits(settings event.Settings) bool { return settings.Asking == "" }

// Asks implements ApprovalPolicy.
func (ApproveByMode) Asks(event.Settings) bool { return true }

// Confines implements ApprovalPolicy.
func (ApproveByMode) Confines(event.Settings) bool { return false }

// Unconfines implements ApprovalPolicy.
func (ApproveByMode) Unconfines(event.Settings) bool { return false }

// Describe implements ApprovalPolicy.
func (ApproveByMode) Describe(settings event.Settings, needs string) string {
	return modeText(approval.Mode(settings.Mode), needs)
}

// ApproveBySandbox asks a user about the calls that neither Settings.Asking and Settings.Sandbox nor a
// grant decides, but for those that are denied by Settings.RefusedApprovals.
type ApproveBySandbox struct{}

// Decide implements ApprovalPolicy.
func (ApproveBySandbox) Decide(c Proposed) approval.Decision {
	d := approval.Containment{
		Asking: c.Settings.Asking, Sandbox: c.Settings.Sandbox, Dir: c.Dir, Temp: tool.WritableTemp(c.Settings.Sandbox),
		Confines: c.Confined, Foreign: !c.Trusted, Grants: c.Grants,
	}.Decide(c.Request)
	return d.Refuse(approval.Subjects(c.Request), c.Settings.RefusedApprovals)
}

// Fits implements ApprovalPolicy.
func (ApproveBySandbox) Fits(settings event.Settings) bool { return settings.Asking != "" }

// Asks implements ApprovalPolicy.
func (ApproveBySandbox) Asks(settings event.Settings) bool {
	return settings.Asking != approval.AskNever
}

// Confines implements ApprovalPolicy.
func (ApproveBySandbox) Confines(event.Settings) bool { return true }

// Unconfines implements ApprovalPolicy.
func (ApproveBySandbox) Unconfines(settings event.Settings) bool {
	return settings.Asking == approval.AskOnRequest && !slices.Contains(settings.RefusedApprovals, approval.SubjectSandbox)
}

// Describe implements ApprovalPolicy.
func (ApproveBySandbox) Describe(settings event.Settings, needs string) string {
	return strings.TrimSpace(sandboxText(settings.Sandbox) + askingText(settings.Asking, needs) + refusedText(settings.RefusedApprovals))
}

// ApproveUngranted decides with Verdict about the calls that need a grant and have none. The zero value
// asks a user.
type ApproveUngranted struct {
	Verdict approval.Verdict
	Reason  string // of a denial, for the model
}

// Decide implements ApprovalPolicy.
func (p ApproveUngranted) Decide(c Proposed) approval.Decision {
	req := c.Request
	needs := len(req.Paths) > 0 || req.Command != "" || req.URL != "" || req.Server != "" || req.Level >= approval.Execute
	if !needs || c.Grants.Covers(req) {
		return approval.Decision{Verdict: approval.Allow, Granted: needs}
	}
	d := approval.Decision{Verdict: p.Verdict}
	if p.Verdict == approval.Deny {
		d.Reason = p.Reason
	}
	return d
}

// Fits implements ApprovalPolicy.
func (ApproveUngranted) Fits(settings event.Settings) bool { return settings.Asking == "" }

// Asks implements ApprovalPolicy.
func (p ApproveUngranted) Asks(event.Settings) bool { return p.Verdict == approval.Ask }

// Confines implements ApprovalPolicy.
func (ApproveUngranted) Confines(event.Settings) bool { return false }

// Unconfines implements ApprovalPolicy.
func (ApproveUngranted) Unconfines(event.Settings) bool { return false }

// Describe implements ApprovalPolicy.
func (p ApproveUngranted) Describe(_ event.Settings, needs string) string {
	switch p.Verdict {
	case approval.Allow:
		return "Permissions: every call is allowed."
	case approval.Deny:
		return "Permissions: calls that no grant covers are denied."
	}
	return "Permissions: calls that change something and are not granted" + needs
}
