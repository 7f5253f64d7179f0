package approval

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"
)

// The decisions in a cell of the matrix, besides a refusal.
const (
	run  = "run"
	ask  = "ask"
	lift = "run, lifted"
)

var matrixSandboxes = map[string]Sandbox{
	"read-only":            {Kind: SandboxReadOnly},
	"read-only +net":       {Kind: SandboxReadOnly, Network: true},
	"workspace-write":      {Kind: SandboxWorkspace, Roots: []string{"/more"}},
	"workspace-write +net": {Kind: SandboxWorkspace, Roots: []string{"/more"}, Network: true},
	"external":             {Kind: SandboxExternal},
	"external +net":        {Kind: SandboxExternal, Network: true},
	"full-access":          {Kind: SandboxNone},
	"full-access +net":     {Kind: SandboxNone, Network: true},
}

var matrixOperations = map[string]Request{
	"look":              {Tool: "read_file", Level: Read, Paths: []Path{{Path: "/w/a"}}},
	"look outside":      {Tool: "read_file", Level: Read, Paths: []Path{{Path: "/etc/passwd", Outside: true}}},
	"look at own state": {Tool: "read_file", Level: Read, Paths: []Path{{Path: "/state/x", Outside: true, Protected: true}}},
	"notes":             {Tool: "plan", Level: Write},
	"trusted command":   {Tool: "shell", Level: Execute, Command: "ls -l | head", Dir: "/w"},
	"command":           {Tool: "shell", Level: Execute, Command: "make", Dir: "/w"},
	"command outside":   {Tool: "shell", Level: Execute, Command: "make", Dir: "/etc", Paths: []Path{{Path: "/etc", Outside: true}}},
	"trusted, leaving":  {Tool: "shell", Level: Execute, Command: "ls -l | wc", Dir: "/w", Escalate: true},
	"command, leaving":  {Tool: "shell", Level: Execute, Command: "make all", Dir: "/w", Escalate: true},
	"edit inside":       {Tool: "edit", Level: Write, Paths: []Path{{Path: "/w/a", Write: true}}},
	"edit in a root":    {Tool: "edit", Level: Write, Paths: []Path{{Path: "/more/a", Write: true, Outside: true}}},
	"edit temporary":    {Tool: "edit", Level: Write, Paths: []Path{{Path: "/tmp/a", Write: true, Outside: true}}},
	"edit outside":      {Tool: "edit", Level: Write, Paths: []Path{{Path: "/w/a", Write: true}, {Path: "/etc/a", Write: true, Outside: true}}},
	"edit protected":    {Tool: "edit", Level: Write, Paths: []Path{{Path: "/w/.git/config", Write: true, Outside: true, Protected: true}}},
	"fetch":             {Tool: "fetch", Level: Execute, URL: "https://example.com/a"},
	"server looks":      {Tool: "docs.find", Level: Read, Server: "docs", Summary: `docs.find {"q":"x"}`},
	"server acts":       {Tool: "docs.add", Level: Execute, Server: "docs", Summary: `docs.add {"q":"x"}`},
	"trusted server":    {Tool: "docs.add", Level: Execute, Server: "docs", Trusted: true, Summary: `docs.add {"q":"x"}`},
	"unsaid":            {Tool: "x", Level: Execute},
	"no level":          {Tool: "x", Paths: []Path{{Path: "/w/a"}}},
	"admin":             {Tool: "x", Level: Admin, Command: "ls", Dir: "/w"},
}

// A column is a text for each sandbox in which there is one.
type column map[string]string

// in gives sandboxes their text.
func (c column) in(text string, sandboxes ...string) column {
	for _, name := range sandboxes {
		if _, ok := matrixSandboxes[name]; !ok || c[name] != "" {
			panic("the matrix has no sandbox " + name + ", or has it twice")
		}
		c[name] = text
	}
	return c
}

// readOnly and workspace give the sandboxes of a kind, with and without the network, their text.
func (c column) readOnly(text string) column { return c.in(text, "read-only", "read-only +net") }

func (c column) workspace(text string) column {
	return c.in(text, "workspace-write", "workspace-write +net")
}

func (c column) confining(text string) column { return c.readOnly(text).workspace(text) }

func (c column) offline() column {
	return c.readOnly(noNetwork).in(noNetwork, "workspace-write", "external")
}

const (
	noNetwork = "the sandbox allows no network"
	ownState  = "reading the program's own state"
	unsaid    = "the call does not say what it does"
	outside   = "writing outside the workspace"
	readOnly  = "read-only sandbox"
	leaves    = "the command is to run outside of the sandbox"
	bare      = "this machine cannot confine commands (`parley doctor` says why): choose full access, or let a client approve them"
)

// matrixNever is what AskNever refuses; what is not here runs. matrixBare is what it also
// refuses on a machine that cannot confine.
var (
	matrixNever = map[string]column{
		"look at own state": column{}.confining(ownState),
		"trusted, leaving":  column{}.confining(leaves),
		"command, leaving":  column{}.confining(leaves),
		"edit inside":       column{}.readOnly(readOnly),
		"edit in a root":    column{}.readOnly(readOnly),
		"edit temporary":    column{}.readOnly(readOnly),
		"edit outside":      column{}.readOnly(readOnly).workspace(outside),
		"edit protected":    column{}.readOnly(readOnly).workspace(outside),
		"fetch":             column{}.offline(),
		"server acts":       column{}.confining(reasonUnconfined),
		"unsaid":            column{}.confining(unsaid),
		"no level":          column{}.confining(unsaid),
		"admin":             column{}.confining(unsaid),
	}
	matrixBare = map[string]column{
		"trusted command": column{}.confining(bare),
		"command":         column{}.confining(bare),
		"command outside": column{}.confining(bare),
	}
)

// matrixUnheld is what AskOnRequest asks for, although AskNever runs it: no sandbox holds
// it. matrixUnheldBare is the same on a machine that cannot confine.
var (
	matrixUnheld     = map[string]column{"trusted server": column{}.confining(unsaid)}
	matrixUnheldBare = map[string]column{
		"command":         column{}.confining(unsaid),
		"command outside": column{}.confining(unsaid),
	}
)

// matrixAsking is the other two columns: for whom each operation is asked, and why, in
// whatever sandbox; matrixReasons has the reasons that depend on the sandbox.
var matrixAsking = map[string]struct {
	unlessTrusted, always string // run or ask
	grantable             bool
	reason                string
}{
	"look":              {run, run, false, ""},
	"look outside":      {run, run, false, ""},
	"look at own state": {ask, ask, false, "reads the program's own state: /state/x"},
	"notes":             {run, run, false, ""},
	"trusted command":   {run, ask, true, "commands need approval"},
	"command":           {ask, ask, true, "not a read-only command"},
	"command outside":   {ask, ask, true, "not a read-only command"},
	"trusted, leaving":  {run, ask, true, "commands need approval"}, // where no sandbox holds it; see matrixConfinedAsks
	"command, leaving":  {ask, ask, true, "not a read-only command"},
	"edit inside":       {ask, ask, true, "edit needs approval"},
	"edit in a root":    {ask, ask, true, "edit needs approval"},
	"edit temporary":    {ask, ask, true, "edit needs approval"},
	"edit outside":      {ask, ask, true, "edit needs approval"},
	"edit protected":    {ask, ask, true, "edit needs approval"},
	"fetch":             {ask, ask, true, "fetch needs approval"},
	"server looks":      {run, ask, true, "tools of servers need approval"},
	"server acts":       {ask, ask, true, "the tool of a server may change something"},
	"trusted server":    {ask, ask, true, "the tool of a server may change something"},
	"unsaid":            {ask, ask, false, unsaid},
	"no level":          {ask, ask, false, unsaid},
	"admin":             {ask, ask, false, unsaid},
}

var matrixReasons = map[string]column{
	"trusted, leaving": column{}.confining(leaves),
	"command, leaving": column{}.confining(leaves),
	"edit inside":      column{}.readOnly("the sandbox is read-only"),
	"edit in a root":   column{}.readOnly("the sandbox is read-only"),
	"edit temporary":   column{}.readOnly("the sandbox is read-only"),
	"edit outside":     column{}.readOnly("the sandbox is read-only").workspace("writes outside the workspace: /etc/a"),
	"edit protected":   column{}.readOnly("the sandbox is read-only").workspace("writes outside the workspace: /w/.git/config"),
	"fetch":            column{}.offline(),
}

// matrixConfinedAsks are the operations that AskUnlessTrusted runs, but for confining sandboxes.
var matrixConfinedAsks = map[string]column{"trusted, leaving": column{}.confining(ask)}

// TestMatrix walks over every cell: operation × asking × sandbox × network × a machine that
// can confine × a grant. What a cell has to be is looked up in the tables above.
func TestMatrix(t *testing.T) {
	for _, table := range [][]string{
		slices.Collect(maps.Keys(matrixAsking)),
		slices.Collect(maps.Keys(matrixNever)),
		slices.Collect(maps.Keys(matrixBare)),
		slices.Collect(maps.Keys(matrixReasons)),
	} {
		for _, name := range table {
			if _, ok := matrixOperations[name]; !ok {
				t.Errorf("a table has %q, which is no operation", name)
			}
		}
	}
	cells := 0
	for name, r := range matrixOperations {
		want, ok := matrixAsking[name]
		if !ok {
			t.Errorf("%s has no row", name)
			continue
		}
		for box, sandbox := range matrixSandboxes {
			for _, asking := range []Asking{AskNever, AskOnRequest, AskUnlessTrusted, AskAlways} {
				for _, confines := range []bool{true, false} {
					for _, grant := range []bool{true, false} {
						c := Containment{
							Asking: asking, Sandbox: sandbox, Confines: confines,
							Dir: "/w", Temp: []string{"/tmp"}, Grants: new(GrantSet),
						}
						if grant {
							c.Grants.Add(r)
						}
						verdict, reason := run, ""
						refusal := matrixNever[name][box]
						if refusal == "" && !confines {
							refusal = matrixBare[name][box]
						}
						unconfined := matrixUnheld[name][box] != "" || !confines && matrixUnheldBare[name][box] != ""
						switch {
						case asking == AskNever && refusal != "":
							verdict, reason = "refuse", refusal
						case asking == AskNever:
						case asking == AskOnRequest && (refusal != "" && name != "trusted command" || unconfined) && !(grant && want.grantable):
							verdict = ask
							reason = cmp.Or(matrixReasons[name][box], want.reason)
						case grant && want.grantable:
							verdict = lift
						case asking == AskUnlessTrusted && cmp.Or(matrixConfinedAsks[name][box], want.unlessTrusted) == ask, asking == AskAlways && want.always == ask:
							verdict = ask
							reason = cmp.Or(matrixReasons[name][box], want.reason)
						}
						got := c.Decide(r)
						if said := say(got); said != verdict || got.Reason != reason {
							t.Errorf("%s; %s; %s; confines %t; grant %t: %s, %q; want %s, %q",
								name, asking, box, confines, grant, said, got.Reason, verdict, reason)
						}
						cells++
					}
				}
			}
		}
	}
	if want := 21 * 4 * 8 * 2 * 2; cells != want {
		t.Errorf("%d cells, want %d", cells, want)
	}
}

func say(d Decision) string {
	switch {
	case d.Verdict == Allow && d.Lifted:
		return lift
	case d.Lifted:
		return "lifted, but not allowed"
	case d.Verdict == Allow:
		return run
	case d.Verdict == Ask:
		return ask
	case d.Verdict == Deny:
		return "refuse"
	}
	return fmt.Sprintf("verdict %d", d.Verdict)
}

// TestMatrixCells is the matrix once more as its document has it, by hand: what the tables
// of TestMatrix compute from has to say this.
func TestMatrixCells(t *testing.T) {
	cases := []struct {
		operation, sandbox           string
		confines                     bool
		never, unlessTrusted, always string
	}{
		{"look", "read-only", false, run, run, run},
		{"notes", "read-only", false, run, run, run},
		{"trusted command", "read-only", true, run, run, ask},
		{"trusted command", "read-only", false, "refuse", run, ask},
		{"trusted command", "workspace-write", false, "refuse", run, ask},
		{"trusted command", "full-access", true, run, run, ask},
		{"trusted command", "full-access", false, run, run, ask},
		{"command", "full-access", true, run, ask, ask},
		{"command", "external", true, run, ask, ask},
		{"command", "workspace-write", true, run, ask, ask},
		{"command", "workspace-write", false, "refuse", ask, ask},
		{"command", "external", false, run, ask, ask},
		{"command", "full-access", false, run, ask, ask},
		{"command", "read-only", true, run, ask, ask},
		{"command", "read-only", false, "refuse", ask, ask},
		{"edit inside", "workspace-write", true, run, ask, ask},
		{"edit outside", "workspace-write", true, "refuse", ask, ask},
		{"edit inside", "read-only", true, "refuse", ask, ask},
		{"edit outside", "full-access", true, run, ask, ask},
		{"edit protected", "external", true, run, ask, ask},
		{"fetch", "workspace-write +net", true, run, ask, ask},
		{"fetch", "full-access", true, run, ask, ask},
		{"fetch", "external +net", true, run, ask, ask},
		{"fetch", "workspace-write", true, "refuse", ask, ask},
		{"fetch", "external", true, "refuse", ask, ask},
		{"fetch", "read-only +net", true, "refuse", ask, ask},
		{"server looks", "read-only", true, run, run, ask},
		{"server acts", "read-only", true, "refuse", ask, ask},
		{"server acts", "workspace-write +net", false, "refuse", ask, ask},
		{"server acts", "full-access", true, run, ask, ask},
		{"server acts", "external", true, run, ask, ask},
		{"trusted server", "read-only", true, run, ask, ask},
		{"no level", "external", true, run, ask, ask},
		{"no level", "workspace-write", true, "refuse", ask, ask},
	}
	for _, c := range cases {
		for asking, want := range map[Asking]string{AskNever: c.never, AskUnlessTrusted: c.unlessTrusted, AskAlways: c.always} {
			d := Containment{
				Asking: asking, Sandbox: matrixSandboxes[c.sandbox], Dir: "/w", Temp: []string{"/tmp"}, Confines: c.confines,
			}.Decide(matrixOperations[c.operation])
			if say(d) != want {
				t.Errorf("%s in %s, %s, confines %t: %s, %q; want %s", c.operation, c.sandbox, asking, c.confines, say(d), d.Reason, want)
			}
		}
	}
}

// TestMatrixUnknown: unknown settings refuse everything, with any grant.
func TestMatrixUnknown(t *testing.T) {
	for name, r := range matrixOperations {
		grants := new(GrantSet)
		grants.Add(r)
		for _, c := range []Containment{
			{},
			{Sandbox: Sandbox{Kind: SandboxNone}, Grants: grants},
			{Asking: "on-failure", Sandbox: Sandbox{Kind: SandboxNone}, Grants: grants},
			{Asking: AskUnlessTrusted, Grants: grants},
			{Asking: AskUnlessTrusted, Sandbox: Sandbox{Kind: "none"}, Grants: grants},
		} {
			if d := c.Decide(r); d.Verdict != Deny || d.Lifted || d.Reason == "" {
				t.Errorf("%s with %q, %q: %+v", name, c.Asking, c.Sandbox.Kind, d)
			}
		}
	}
	d := Containment{Asking: "often", Sandbox: Sandbox{Kind: SandboxNone}}.Decide(Request{Level: Read})
	if d.Reason != `unknown way of asking "often"` {
		t.Error(d.Reason)
	}
	d = Containment{Asking: AskNever, Sandbox: Sandbox{Kind: "box"}}.Decide(Request{Level: Read})
	if d.Reason != `unknown kind of sandbox "box"` {
		t.Error(d.Reason)
	}
}

// TestStrictest: a call that does several things is decided by the one that is worst.
func TestStrictest(t *testing.T) {
	edit := Path{Path: "/etc/x", Write: true}
	state := Path{Path: "/state/x", Protected: true}
	cases := map[string]struct {
		r    Request
		want string // of AskNever in workspace-write with the network
	}{
		"fetch into a file outside":      {Request{Level: Execute, URL: "https://x", Paths: []Path{edit}}, "refuse"},
		"trusted command, writes":        {Request{Level: Execute, Command: "ls", Dir: "/w", Paths: []Path{edit}}, "refuse"},
		"server with a file outside":     {Request{Level: Read, Server: "s", Paths: []Path{edit}}, "refuse"},
		"reads that write":               {Request{Level: Read, Paths: []Path{edit}}, "refuse"},
		"write that names no file":       {Request{Level: Write, Paths: []Path{{Path: "/etc/x"}}}, "refuse"},
		"write that reads outside":       {Request{Level: Write, Paths: []Path{{Path: "/w/x", Write: true}, {Path: "/etc/x"}}}, run},
		"write that reads state":         {Request{Level: Write, Paths: []Path{{Path: "/w/x", Write: true}, state}}, "refuse"},
		"trusted command in the state":   {Request{Level: Execute, Command: "ls", Dir: state.Path, Paths: []Path{state}}, "refuse"},
		"command with a URL, no network": {Request{Level: Execute, Command: "ls", Dir: "/w", URL: "https://x"}, run},
	}
	for name, c := range cases {
		containment := Containment{
			Asking: AskNever, Sandbox: Sandbox{Kind: SandboxWorkspace, Network: true}, Dir: "/w", Confines: true,
		}
		if d := containment.Decide(c.r); say(d) != c.want {
			t.Errorf("%s: %s, %q; want %s", name, say(d), d.Reason, c.want)
		}
		containment.Asking = AskUnlessTrusted
		if c.want == "refuse" {
			if d := containment.Decide(c.r); say(d) != ask {
				t.Errorf("%s is not asked for: %s", name, say(d))
			}
		}
	}
	asking := Containment{Asking: AskUnlessTrusted, Sandbox: Sandbox{Kind: SandboxNone}}
	if d := asking.Decide(Request{Level: Execute, Command: "ls", Dir: "/w", URL: "https://x"}); say(d) != ask {
		t.Errorf("a trusted command that also fetches: %s", say(d))
	}
}

// TestRoots: whether a path is below a folder is decided by whole components of cleaned paths.
func TestRoots(t *testing.T) {
	cases := []struct {
		dir, path string
		want      bool
	}{
		{"/w", "/w/a", true},
		{"/w", "/w", true},
		{"/w/", "/w/a", true},
		{"/w", "/w/a/../b", true},
		{"/w", "/w/..a", true},
		{"/", "/etc/passwd", true},
		{"/w", "/wider/a", false},
		{"/w", "/w/../etc/passwd", false},
		{"/w", "/w/..", false},
		{"/w", "/", false},
		{"/w", "w/a", false},
		{"/w", "", false},
		{"", "/w/a", false},
		{"", "w", false},
		{".", "/w/a", false},
		{"w", "w/a", false},
		{"/w/a", "/w", false},
		{"/W", "/w/a", false},
	}
	for _, c := range cases {
		r := Request{Level: Write, Paths: []Path{{Path: c.path, Write: true}}}
		for name, containment := range map[string]Containment{
			"dir":  {Dir: c.dir},
			"root": {Dir: "/elsewhere", Sandbox: Sandbox{Roots: []string{"/other", c.dir}}},
			"temp": {Dir: "/elsewhere", Temp: []string{"/other", c.dir}},
		} {
			containment.Asking, containment.Sandbox.Kind = AskNever, SandboxWorkspace
			if d := containment.Decide(r); (d.Verdict == Allow) != c.want {
				t.Errorf("%s %q, path %q: %+v", name, c.dir, c.path, d)
			}
		}
	}
}

// TestMatrixForeign: a trusted line whose programs are not the system's is any other command.
func TestMatrixForeign(t *testing.T) {
	for _, sandbox := range matrixSandboxes {
		c := Containment{Asking: AskUnlessTrusted, Sandbox: sandbox, Dir: "/w", Confines: true, Foreign: true}
		if d := c.Decide(matrixOperations["trusted command"]); d.Verdict != Ask || d.Reason != "not a read-only command" {
			t.Errorf("%+v: %+v", sandbox, d)
		}
	}
}

// TestUnconfined: a command that its program may run outside of the sandbox is never allowed because of the sandbox.
func TestUnconfined(t *testing.T) {
	for _, c := range []struct {
		asking  Asking
		kind    SandboxKind
		command string
		want    Verdict
	}{
		{AskNever, SandboxWorkspace, "make", Deny},
		{AskNever, SandboxReadOnly, "make", Deny},
		{AskNever, SandboxNone, "make", Allow},
		{AskNever, SandboxExternal, "make", Allow},
		{AskNever, SandboxWorkspace, "ls", Allow},
		{AskOnRequest, SandboxWorkspace, "make", Ask},
		{AskOnRequest, SandboxNone, "make", Allow},
		{AskUnlessTrusted, SandboxWorkspace, "make", Ask},
		{AskAlways, SandboxWorkspace, "ls", Ask},
	} {
		containment := Containment{Asking: c.asking, Sandbox: Sandbox{Kind: c.kind}, Dir: "/w", Confines: true}
		r := Request{Tool: "shell", Level: Execute, Command: c.command, Dir: "/w", AsShell: true, Unconfined: true}
		if d := containment.Decide(r); d.Verdict != c.want {
			t.Errorf("%s, %s, %s: %+v, want verdict %d", c.asking, c.kind, c.command, d, c.want)
		}
	}
}
