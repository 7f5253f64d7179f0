package engine

import (
	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

// This file contains the policy of a session, which is stored with it. The options of the process that opens a session have a policy,
// too: it decides only where it fits what is stored. So a session keeps its approvals and its sandbox whichever client opens it, and
// they change only with the settings.

// ApproveStored decides as the settings of a session say: by Asking and Sandbox where Asking is set, else by Mode. Under settings with
// neither, every call needs an approval.
type ApproveStored struct{}

func (ApproveStored) of(settings event.Settings) ApprovalPolicy {
	if settings.Asking == "" {
		return ApproveByMode{}
	}
	return ApproveBySandbox{}
}

// Decide implements ApprovalPolicy.
func (p ApproveStored) Decide(c Proposed) approval.Decision { return p.of(c.Settings).Decide(c) }

// Fits implements ApprovalPolicy.
func (ApproveStored) Fits(event.Settings) bool { return true }

// Asks implements ApprovalPolicy.
func (p ApproveStored) Asks(settings event.Settings) bool { return p.of(settings).Asks(settings) }

// Confines implements ApprovalPolicy.
func (p ApproveStored) Confines(settings event.Settings) bool {
	return p.of(settings).Confines(settings)
}

// Unconfines implements ApprovalPolicy.
func (p ApproveStored) Unconfines(settings event.Settings) bool {
	return p.of(settings).Unconfines(settings)
}

// Describe implements ApprovalPolicy.
func (p ApproveStored) Describe(settings event.Settings, needs string) string {
	return p.of(settings).Describe(settings, needs)
}

// approvals returns the policy of the session. The caller holds the session's lock.
func (s *Session) approvals() ApprovalPolicy {
	settings := s.fold.State.Settings
	var p ApprovalPolicy = ApproveEveryCall{}
	if s.opts.Approvals != nil {
		p = s.opts.Approvals
	}
	if p.Fits(settings) {
		return p
	}
	return ApproveStored{}.of(settings)
}

// confines reports whether the sandbox of the settings holds for commands. The caller holds the session's lock.
func (s *Session) confines() bool { return s.approvals().Confines(s.fold.State.Settings) }

// asksAll reports whether settings are those of a session in which all calls need an approval, and run without limits after it.
func asksAll(settings event.Settings) bool {
	return settings.Asking == approval.AskAlways && settings.Sandbox.Kind == approval.SandboxNone && len(settings.RefusedApprovals) == 0
}

// DecideByMode makes the mode of settings decide about calls, in place of what decided before.
func DecideByMode(settings *event.Settings, mode approval.Mode) {
	settings.Mode, settings.Asking, settings.Sandbox, settings.RefusedApprovals = string(mode), "", approval.Sandbox{}, nil
}

// DecideBySandbox makes Asking and Sandbox of settings decide about calls. Where the mode decided before, they become those
// that allow the same, or less.
func DecideBySandbox(settings *event.Settings) {
	settings.Asking, settings.Sandbox = ContainmentOf(*settings)
	settings.Mode = ""
}

// ContainmentOf returns the Asking and the Sandbox that a session works with. Where its mode decides, they are those that allow the
// same, or less.
func ContainmentOf(settings event.Settings) (approval.Asking, approval.Sandbox) {
	if settings.Asking != "" {
		return settings.Asking, settings.Sandbox
	}
	switch approval.Mode(settings.Mode) {
	case approval.FullAccess:
		return approval.AskNever, approval.Sandbox{Kind: approval.SandboxNone}
	case approval.WorkspaceWrite:
		return approval.AskUnlessTrusted, approval.Sandbox{Kind: approval.SandboxWorkspace}
	case approval.Prompt, "":
		return approval.AskAlways, approval.Sandbox{Kind: approval.SandboxReadOnly}
	}
	return approval.AskUnlessTrusted, approval.Sandbox{Kind: approval.SandboxReadOnly}
}

// ModeOf returns the permission mode that a session works in. Where Asking and Sandbox decide, it is the nearest one.
func ModeOf(settings event.Settings) approval.Mode {
	if settings.Asking == "" {
		return approval.Mode(settings.Mode)
	}
	switch settings.Sandbox.Kind {
	case approval.SandboxReadOnly:
		return approval.ReadOnly
	case approval.SandboxNone, approval.SandboxExternal:
		if settings.Asking == approval.AskNever {
			return approval.FullAccess
		}
		return approval.Prompt
	}
	return approval.WorkspaceWrite
}
