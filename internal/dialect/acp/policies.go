package acp

import (
	"slices"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// A permissionMode is a mode of sessions: what runs without an approval, and how commands are confined.
type permissionMode struct {
	id, name, description string

	sandbox   approval.SandboxKind   // the one that the mode brings
	sandboxes []approval.SandboxKind // those that fit it, the strictest first

	asking approval.Asking // which calls need an approval; with AskNever the user is asked nothing
	edits  bool            // changes of files in the roots need none
	plans  bool            // only looking in the roots is allowed
}

// The modes.
const (
	modePlan       = string(approval.Plan)
	modeAsk        = "ask"
	modeAutoEdit   = "auto-edit"
	modeAuto       = "auto"
	modeFullAccess = "full-access"
)

// permissionModes are the modes in the order in which clients are offered them, the strictest first.
var permissionModes = []permissionMode{
	{
		id: modePlan, name: "Plan", description: "Reads and searches the workspace, and makes a plan. Everything else is refused.",
		sandbox: approval.SandboxReadOnly, sandboxes: sandboxKinds[:1], asking: approval.AskNever, plans: true,
	},
	{
		id: modeAsk, name: "Ask", description: "Asks before it changes files, and before commands that are not known to be harmless.",
		sandbox: approval.SandboxWorkspace, sandboxes: sandboxKinds, asking: approval.AskUnlessTrusted,
	},
	{
		id: modeAutoEdit, name: "Accept edits", description: "Changes files in the workspace without asking, and asks before commands.",
		sandbox: approval.SandboxWorkspace, sandboxes: sandboxKinds, asking: approval.AskUnlessTrusted, edits: true,
	},
	{
		id: modeAuto, name: "Auto", description: "Also runs commands, confined to the workspace and without the network. Asks for what the sandbox forbids.",
		sandbox: approval.SandboxWorkspace, sandboxes: sandboxKinds[:2], asking: approval.AskOnRequest, edits: true,
	},
	{
		id: modeFullAccess, name: "Full access", description: "Runs everything without asking and without a sandbox.",
		sandbox: approval.SandboxNone, sandboxes: sandboxKinds[2:], asking: approval.AskNever,
	},
}

// sandboxKinds are the sandboxes that sessions can have, the strictest first.
var sandboxKinds = []approval.SandboxKind{approval.SandboxReadOnly, approval.SandboxWorkspace, approval.SandboxNone}

// A sandboxChoice is a sandbox as clients see it.
type sandboxChoice struct {
	id, name, description string
	kind                  approval.SandboxKind
}

// sandboxChoices are the sandboxes in the order of sandboxKinds.
var sandboxChoices = []sandboxChoice{
	{"read-only", "Read only", "Commands read files and change none, without the network.", approval.SandboxReadOnly},
	{"workspace-write", "Workspace", "Commands change files in the workspace only, without the network.", approval.SandboxWorkspace},
	{"full", "Full", "Commands are not confined.", approval.SandboxNone},
}

// findPermissionMode returns the mode of that id.
func findPermissionMode(id string) (permissionMode, bool) {
	i := slices.IndexFunc(permissionModes, func(m permissionMode) bool { return m.id == id })
	if i < 0 {
		return permissionMode{}, false
	}
	return permissionModes[i], true
}

// permissionModeOf returns the mode of a session: that of its settings, or the one that clients are shown if they have none of ours,
// such as those of a session that another protocol has made or changed.
func permissionModeOf(settings event.Settings) permissionMode {
	m, ok := ownMode(settings)
	if !ok {
		m, _ = findPermissionMode(fittingMode(settings))
	}
	return m
}

// ownMode returns the mode that decides about a session; false: none of ours does. In "plan" the sandbox does not matter.
func ownMode(settings event.Settings) (permissionMode, bool) {
	m, ok := findPermissionMode(settings.Mode)
	return m, ok && settings.Asking == m.asking && (m.plans || m.fits(settings.Sandbox))
}

// fits reports whether a session in mode m can have the sandbox.
func (m permissionMode) fits(s approval.Sandbox) bool {
	return slices.Contains(m.sandboxes, s.Kind) && !s.Network
}

// set makes m the mode of a session, with the sandbox that it brings. Asking is set for other protocols, which decide by it.
func (m permissionMode) set(settings *event.Settings) {
	settings.Mode, settings.Asking, settings.Sandbox, settings.RefusedApprovals = m.id, m.asking, approval.Sandbox{Kind: m.sandbox}, nil
}

// adopt makes settings such that every client can be shown them, or change them: one of our modes, and a sandbox that fits it.
func adopt(settings *event.Settings) {
	m := permissionModeOf(*settings)
	settings.Mode, settings.Asking, settings.RefusedApprovals = m.id, m.asking, nil
	settings.Sandbox.Network = false // no mode of ours has it
	if !m.fits(settings.Sandbox) {
		settings.Sandbox = approval.Sandbox{Kind: m.sandbox}
	}
}

// The reasons of decisions, for models and users.
const (
	reasonPlanning = "plan mode is on: reading and searching in the workspace is all that is allowed. " +
		"Make a plan, and call " + toolLeavePlan + " with it when it is complete"
	reasonOutside = "outside the workspace: "
)

// approveByMode decides by the mode of a session, and by its sandbox.
type approveByMode struct{}

var _ engine.ApprovalPolicy = approveByMode{}

// Decide implements engine.ApprovalPolicy.
func (approveByMode) Decide(c engine.Proposed) approval.Decision {
	m := permissionModeOf(c.Settings)
	switch {
	case c.Request.Level == approval.Admin: // to leave the mode "plan"
		return approval.Decision{Verdict: approval.Ask}
	case m.plans && !looks(c.Request):
		return approval.Decision{Verdict: approval.Deny, Reason: reasonPlanning}
	}
	c.Settings.Asking = m.asking
	if m.edits && changesFiles(c.Request) {
		c.Settings.Asking = approval.AskOnRequest
	}
	d := engine.ApproveBySandbox{}.Decide(c)
	if path, outside := c.Request.Outside(); outside && d.Verdict == approval.Allow && !d.Lifted && m.asks() {
		return approval.Decision{Verdict: approval.Ask, Reason: reasonOutside + path.Path}
	}
	return d
}

// Fits implements engine.ApprovalPolicy.
func (approveByMode) Fits(settings event.Settings) bool {
	_, own := ownMode(settings)
	return own
}

// Asks implements engine.ApprovalPolicy.
func (approveByMode) Asks(settings event.Settings) bool { return permissionModeOf(settings).asks() }

// Confines implements engine.ApprovalPolicy.
func (approveByMode) Confines(event.Settings) bool { return true }

// Unconfines implements engine.ApprovalPolicy.
func (approveByMode) Unconfines(settings event.Settings) bool {
	return permissionModeOf(settings).asking == approval.AskOnRequest
}

// Describe implements engine.ApprovalPolicy.
func (approveByMode) Describe(settings event.Settings, needs string) string {
	m := permissionModeOf(settings)
	switch {
	case m.plans:
		return "Plan mode: read and search the workspace, and make a plan. Everything else is refused until the user leaves this mode. " +
			"When the plan is complete, call " + toolLeavePlan + " with it; do not write it as your answer, and do not ask in words whether you may begin."
	case !m.asks():
		return "Permissions: every call is allowed."
	}
	settings.Asking = m.asking
	text := engine.ApproveBySandbox{}.Describe(settings, needs)
	if m.edits && settings.Sandbox.Kind != approval.SandboxReadOnly {
		text = "You may change files in the workspace. " + text
	}
	return text + " Files outside the workspace" + needs
}

// asks reports whether the user is asked about calls.
func (m permissionMode) asks() bool { return m.asking != approval.AskNever }

// looks reports whether a call only reads or searches in the roots, or changes nothing but what the session knows for itself.
func looks(r approval.Request) bool {
	_, outside := r.Outside()
	named := r.Server != "" || r.Command != "" || r.URL != ""
	return !outside && !named && (r.Level == approval.Read || r.Level == approval.Write && len(r.Paths) == 0)
}

// changesFiles reports whether a call does nothing but change files in the roots.
func changesFiles(r approval.Request) bool {
	_, outside := r.Outside()
	return !outside && r.Level == approval.Write && r.Server == "" && r.Command == "" && r.URL == ""
}
