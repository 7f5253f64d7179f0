package acp

import (
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// The kinds of calls that the modes distinguish.
var proposedCalls = map[string]approval.Request{
	"read":              {Tool: "read", Level: approval.Read, Paths: []approval.Path{{Path: "/w/a"}}},
	"read outside":      {Tool: "read", Level: approval.Read, Paths: []approval.Path{{Path: "/etc/a", Outside: true}}},
	"read protected":    {Tool: "read", Level: approval.Read, Paths: []approval.Path{{Path: "/state/a", Outside: true, Protected: true}}},
	"search the web":    {Tool: "search", Level: approval.Read, Summary: "search x"},
	"notes":             {Tool: "plan", Level: approval.Write},
	"edit":              {Tool: "edit", Level: approval.Write, Paths: []approval.Path{{Path: "/w/a", Write: true}}},
	"edit in a root":    {Tool: "edit", Level: approval.Write, Paths: []approval.Path{{Path: "/more/a", Write: true}}},
	"edit outside":      {Tool: "edit", Level: approval.Write, Paths: []approval.Path{{Path: "/w/a", Write: true}, {Path: "/etc/a", Write: true, Outside: true}}},
	"edit temporary":    {Tool: "edit", Level: approval.Write, Paths: []approval.Path{{Path: "/tmp/a", Write: true, Outside: true}}},
	"edit protected":    {Tool: "edit", Level: approval.Write, Paths: []approval.Path{{Path: "/w/.git/config", Write: true, Outside: true, Protected: true}}},
	"trusted command":   {Tool: "shell", Level: approval.Execute, Command: "ls -l | head", Dir: "/w"},
	"command":           {Tool: "shell", Level: approval.Execute, Command: "make", Dir: "/w"},
	"command elsewhere": {Tool: "background", Level: approval.Execute, Command: "make", Dir: "/etc", Paths: []approval.Path{{Path: "/etc", Outside: true}}},
	"fetch":             {Tool: "fetch", Level: approval.Execute, URL: "https://example.com/"},
	"MCP tool looks":    {Tool: "mcp__docs__find", Level: approval.Read, Server: "docs", Summary: `find {"q":"x"}`},
	"MCP tool acts":     {Tool: "mcp__docs__add", Level: approval.Execute, Server: "docs", Summary: `add {"q":"x"}`},
	"unknown":           {Tool: "x", Level: approval.Execute},
	"leave the plan":    {Tool: toolLeavePlan, Level: approval.Admin},
}

// modeTable is the decision about each kind of call in each mode, and the sandbox that the mode brings.
const modeTable = `
call              | plan    | ask | auto-edit | auto | full-access
read              | run     | run | run       | run  | run
read outside      | refuse  | ask | ask       | ask  | run
read protected    | refuse  | ask | ask       | ask  | run
search the web    | run     | run | run       | run  | run
notes             | run     | run | run       | run  | run
edit              | refuse  | ask | run       | run  | run
edit in a root    | refuse  | ask | run       | run  | run
edit outside      | refuse  | ask | ask       | ask  | run
edit temporary    | refuse  | ask | ask       | ask  | run
edit protected    | refuse  | ask | ask       | ask  | run
trusted command   | refuse  | run | run       | run  | run
command           | refuse  | ask | ask       | run  | run
command elsewhere | refuse  | ask | ask       | ask  | run
fetch             | refuse  | ask | ask       | ask  | run
MCP tool looks    | refuse  | run | run       | run  | run
MCP tool acts     | refuse  | ask | ask       | ask  | run
unknown           | refuse  | ask | ask       | ask  | run
leave the plan    | ask     | ask | ask       | ask  | ask
`

var verdictWords = map[approval.Verdict]string{approval.Allow: "run", approval.Ask: "ask", approval.Deny: "refuse"}

// proposed returns a call in a session with these settings, on a machine that can confine commands.
func proposed(settings event.Settings, r approval.Request) engine.Proposed {
	settings.Sandbox.Roots = []string{"/more"}
	return engine.Proposed{
		Settings: settings, Request: r, Grants: &approval.GrantSet{}, Dir: "/w", Home: "/home/u", Shell: "shell",
		Confined: r.Command != "", Trusted: approval.Trusted(r.Command),
	}
}

func settingsIn(t *testing.T, mode string) (settings event.Settings) {
	t.Helper()
	m, ok := findPermissionMode(mode)
	if !ok {
		t.Fatalf("no mode %s", mode)
	}
	m.set(&settings)
	return settings
}

// cells returns the rows of a table.
func cells(table string) (rows [][]string) {
	for line := range strings.Lines(strings.TrimSpace(table)) {
		var row []string
		for cell := range strings.SplitSeq(line, "|") {
			row = append(row, strings.TrimSpace(cell))
		}
		rows = append(rows, row)
	}
	return rows
}

func TestModes(t *testing.T) {
	rows := cells(modeTable)
	if len(rows) != len(proposedCalls)+1 {
		t.Errorf("%d rows for %d calls", len(rows)-1, len(proposedCalls))
	}
	for _, row := range rows[1:] {
		request, ok := proposedCalls[row[0]]
		if !ok {
			t.Fatalf("no call %s", row[0])
		}
		for i, mode := range rows[0][1:] {
			d := approveByMode{}.Decide(proposed(settingsIn(t, mode), request))
			if got := verdictWords[d.Verdict]; got != row[i+1] {
				t.Errorf("%s, %s: %s (%s), want %s", mode, row[0], got, d.Reason, row[i+1])
			}
			if d.Verdict == approval.Deny && !strings.Contains(d.Reason, toolLeavePlan) {
				t.Errorf("%s, %s is refused without a way on: %s", mode, row[0], d.Reason)
			}
			if d.Lifted {
				t.Errorf("%s, %s: the sandbox does not hold", mode, row[0])
			}
		}
	}
}

// TestModesInSandboxes: another sandbox that fits changes what is asked.
func TestModesInSandboxes(t *testing.T) {
	for _, row := range cells(`
		auto-edit | read-only       | edit            | ask
		auto-edit | full-access     | edit            | run
		auto-edit | full-access     | edit outside    | ask
		auto-edit | full-access     | command         | ask
		ask       | full-access     | edit            | ask
		ask       | full-access     | read outside    | ask
		ask       | read-only       | trusted command | run
		auto      | read-only       | edit            | ask
		auto      | read-only       | command         | run
		plan      | full-access     | command         | refuse
		plan      | workspace-write | edit            | refuse
	`) {
		settings := settingsIn(t, row[0])
		settings.Sandbox = approval.Sandbox{Kind: approval.SandboxKind(row[1])}
		if !(approveByMode{}).Fits(settings) {
			t.Errorf("%q: it does not decide", row)
		}
		d := approveByMode{}.Decide(proposed(settings, proposedCalls[row[2]]))
		if got := verdictWords[d.Verdict]; got != row[3] {
			t.Errorf("%s: %s (%s)", strings.Join(row, " "), got, d.Reason)
		}
	}
	for _, row := range cells(`
		auto            | on-request | full-access
		auto            | on-request | external
		auto            | never      | workspace-write
		full-access     | never      | workspace-write
		ask             | always     | workspace-write
		workspace-write |            | workspace-write
		plan            |            |
		never-was       | never      | full-access
	`) {
		settings := event.Settings{Mode: row[0], Asking: approval.Asking(row[1]), Sandbox: approval.Sandbox{Kind: approval.SandboxKind(row[2])}}
		if (approveByMode{}).Fits(settings) {
			t.Errorf("%q: it decides about what another protocol has set", row)
		}
	}
	open := settingsIn(t, modeAuto)
	open.Sandbox.Network = true
	if (approveByMode{}).Fits(open) {
		t.Error("it decides about a session with the network")
	}
	unconfined := proposed(settingsIn(t, modeAuto), proposedCalls["command"])
	unconfined.Confined = false
	if d := (approveByMode{}).Decide(unconfined); d.Verdict != approval.Ask {
		t.Errorf("auto on a machine that cannot confine: %+v", d)
	}
	foreign := proposed(settingsIn(t, modeAsk), proposedCalls["trusted command"])
	foreign.Trusted = false
	if d := (approveByMode{}).Decide(foreign); d.Verdict != approval.Ask {
		t.Errorf("a program of the project: %+v", d)
	}
}

// TestModesWithGrants: what a grant covers is not asked and runs without the sandbox; in the mode "plan" it stays refused, and no grant
// leaves that mode.
func TestModesWithGrants(t *testing.T) {
	grants := &approval.GrantSet{}
	for _, r := range proposedCalls {
		grants.Add(r)
	}
	for _, target := range []approval.Target{
		{Kind: approval.TargetPath, Path: "/", Recursive: true},
		{Kind: approval.TargetPath, Path: "/state/a"},
		{Kind: approval.TargetPath, Path: "/w/.git/config"},
		{Kind: approval.TargetTool, Server: "*", Tool: toolLeavePlan},
	} {
		if _, err := grants.AddGrant(approval.Grant{Target: target, Level: approval.Admin, Scope: approval.Session}); err != nil {
			t.Fatal(err)
		}
	}
	for name, r := range proposedCalls {
		for _, m := range permissionModes {
			c := proposed(settingsIn(t, m.id), r)
			alone := approveByMode{}.Decide(c)
			c.Grants = grants
			d := approveByMode{}.Decide(c)
			switch covered := grants.Covers(r); {
			case name == "leave the plan", m.id == modePlan, !covered:
				if d.Verdict != alone.Verdict || d.Lifted {
					t.Errorf("%s, %s: %+v", m.id, name, d)
				}
			case m.asks() && (d.Verdict != approval.Allow || !d.Lifted):
				t.Errorf("%s, %s: %+v", m.id, name, d)
			}
		}
	}
}

// TestPermissionModes: the modes as clients see them, and the sandboxes that fit.
func TestPermissionModes(t *testing.T) {
	var got []string
	for _, m := range permissionModes {
		settings := settingsIn(t, m.id)
		if now := permissionModeOf(settings); now.id != m.id || !m.fits(settings.Sandbox) || m.name == "" || !strings.HasSuffix(m.description, ".") {
			t.Errorf("%+v", m)
		}
		line := m.id + " brings " + string(m.sandbox) + ":"
		for _, kind := range m.sandboxes {
			line += " " + string(kind)
		}
		got = append(got, line)
	}
	want := []string{
		"plan brings read-only: read-only",
		"ask brings workspace-write: read-only workspace-write full-access",
		"auto-edit brings workspace-write: read-only workspace-write full-access",
		"auto brings workspace-write: read-only workspace-write",
		"full-access brings full-access: full-access",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for i, c := range sandboxChoices {
		if c.kind != sandboxKinds[i] || c.name == "" {
			t.Errorf("%+v", c)
		}
	}
}

// TestAdopt: settings that other protocols left become such that clients can be shown them, and never allow more.
func TestAdopt(t *testing.T) {
	for _, row := range cells(`
		plan               |                 | plan        | read-only
		auto               | read-only       | auto        | read-only
		auto               | full-access     | auto        | workspace-write
		full-access        | workspace-write | auto        | workspace-write
		danger-full-access |                 | full-access | full-access
		                   | external        | ask         | workspace-write
		full-access        | full-access     | full-access | full-access
	`) {
		settings := event.Settings{Model: "m", Mode: row[0], Sandbox: approval.Sandbox{Kind: approval.SandboxKind(row[1])}}
		if own, ok := findPermissionMode(row[0]); ok {
			settings.Asking = own.asking
		}
		adopt(&settings)
		if m := permissionModeOf(settings); settings.Mode != row[2] || string(settings.Sandbox.Kind) != row[3] || m.id != row[2] || settings.Asking != m.asking || settings.Model != "m" {
			t.Errorf("%q: %+v", row, settings)
		}
	}
}

// TestModesAsPolicies: what the engine and the model learn of the modes.
func TestModesAsPolicies(t *testing.T) {
	const needs = " need the user's approval."
	for mode, test := range map[string]struct {
		asks, unconfines bool
		text             []string
	}{
		modePlan:       {false, false, []string{"Plan mode:", toolLeavePlan}},
		modeAsk:        {true, false, []string{"Calls that are not known to be harmless" + needs, "Files outside the workspace" + needs}},
		modeAutoEdit:   {true, false, []string{"You may change files in the workspace.", "Calls that are not known to be harmless" + needs}},
		modeAuto:       {true, true, []string{"You may change files in the workspace.", "Calls beyond that" + needs}},
		modeFullAccess: {false, false, []string{"every call is allowed"}},
	} {
		settings, p := settingsIn(t, mode), approveByMode{}
		if p.Asks(settings) != test.asks || p.Unconfines(settings) != test.unconfines || !p.Confines(settings) {
			t.Errorf("%s: asks %v, unconfines %v", mode, p.Asks(settings), p.Unconfines(settings))
		}
		for _, want := range test.text {
			if got := p.Describe(settings, needs); !strings.Contains(got, want) {
				t.Errorf("%s: %q", mode, got)
			}
		}
	}
	locked := settingsIn(t, modeAutoEdit)
	locked.Sandbox.Kind = approval.SandboxReadOnly
	if got := (approveByMode{}).Describe(locked, needs); strings.Contains(got, "You may change") {
		t.Errorf("read-only: %q", got)
	}
}
