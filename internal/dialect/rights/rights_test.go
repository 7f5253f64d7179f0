package rights

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// TestLevels: a client has the level of its role, and an owner is the user unless its token is limited.
func TestLevels(t *testing.T) {
	whole := engine.NewHost(engine.Config{})
	for _, c := range []struct {
		role  string
		host  *engine.Host
		level Level
	}{
		{"viewer", whole, Viewer},
		{"reviewer", whole, Reviewer},
		{"driver", whole, Driver},
		{"owner", whole, User},
		{"king", whole, 0},
		{"user", whole, 0},
		{"", whole, 0},
		{"owner", whole.For(engine.Access{Within: "/w"}), Owner},
		{"owner", whole.For(engine.Access{Sessions: []event.SessionID{"s"}}), Owner},
	} {
		client := New(c.role, c.host, nil)
		for l := Viewer; l <= User; l++ {
			if client.May(l) != (l <= c.level) {
				t.Errorf("%q may %s: %t", c.role, l, client.May(l))
			}
		}
	}
	if !(*Client)(nil).IsUser() || !(*Client)(nil).Covers("/x") || (*Client)(nil).Check("m", Need{Level: User}) != nil {
		t.Error("a client that is not of the network is not the user")
	}
}

// TestCovers: a path is within the folder of a token once its links are resolved, and never if that can change.
func TestCovers(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in := filepath.Join(base, "in")
	for _, dir := range []string{"in/sub", "out/deep", "in-other"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"in/leads-out": "../out/deep", "in/dangling": "../out/new", "in/inside": "sub", "out/back": "../in"} {
		if err := os.Symlink(target, filepath.Join(base, link)); err != nil {
			t.Skip(err)
		}
	}
	client := New("driver", engine.NewHost(engine.Config{}).For(engine.Access{Within: in}), nil)
	for path, want := range map[string]bool{
		"in": true, "in/sub": true, "in/new/file": true, "in/inside/x": true, "out/back/sub": true, "in/sub/..": true,
		"": false, "out": false, "in-other": false, "in/leads-out": false, "in/leads-out/x": false, "in/dangling": false, "in/dangling/x": false,
		"in/..": false, "in/leads-out/../x": false, "in/new/../../out": false,
	} {
		if got := client.Covers(base + "/" + path); got != want {
			t.Errorf("%s: %t", path, got)
		}
	}
	if client.Covers("in") || client.Covers("") {
		t.Error("a relative path is covered")
	}
	one := New("driver", engine.NewHost(engine.Config{}).For(engine.Access{Sessions: []event.SessionID{"s"}, Within: in}), nil)
	if one.Covers(in) {
		t.Error("a client of one session may name a folder")
	}
}

// TestRefusal: a refusal names what lacks the most, and what would allow it.
func TestRefusal(t *testing.T) {
	client := New("driver", engine.NewHost(engine.Config{}).For(engine.Access{Within: "/w"}), nil)
	for _, c := range []struct {
		needs []Need
		want  string
	}{
		{[]Need{{Level: Driver}}, ""},
		{[]Need{{Level: Driver}, {Level: Owner, What: "with end"}}, "m with end needs the role owner"},
		{[]Need{{Level: Owner}, {Level: User, What: "with servers"}}, "m with servers needs a token with the role owner that is not limited to a folder or to sessions"},
		{[]Need{{Path: "/else", What: "with the file /else"}}, "m with the file /else outside the folder of the token needs a token for it, or one that is not limited"},
		{[]Need{{Level: Driver}, {Path: "/else", What: "with the file /else"}, {Level: User, What: "with servers"}}, "m with servers needs a token with the role owner that is not limited to a folder or to sessions"},
		{[]Need{{Level: Owner}, {Path: "/else", What: "with a grant for /else"}}, "m with a grant for /else outside the folder of the token needs a token with the role owner for it, or with that role and not limited"},
		{[]Need{{Level: Driver}, {Path: "/w/file"}}, ""},
		{[]Need{OfFolder("/else")}, "the folder /else is outside of the folder of the token (/w): this needs a token for it, or one that is not limited"},
	} {
		got := ""
		if r := client.Check("m", c.needs...); r != nil {
			got = r.Error()
		}
		if got != c.want {
			t.Errorf("%v: %q", c.needs, got)
		}
	}
}

// TestOfSettings: what no sandbox confines needs the user.
func TestOfSettings(t *testing.T) {
	for _, c := range []struct {
		settings event.Settings
		user     bool
	}{
		{event.Settings{}, false},
		{event.Settings{Mode: "workspace-write", Asking: approval.AskNever, Sandbox: approval.Sandbox{Kind: approval.SandboxWorkspace}}, false},
		{event.Settings{Sandbox: approval.Sandbox{Kind: approval.SandboxReadOnly}}, false},
		{event.Settings{Mode: "danger-full-access"}, true},
		{event.Settings{Sandbox: approval.Sandbox{Kind: approval.SandboxNone}}, true},
		{event.Settings{Sandbox: approval.Sandbox{Kind: approval.SandboxExternal}}, true},
		{event.Settings{Sandbox: approval.Sandbox{Roots: []string{"/w/sub", "/else"}}}, true},
		{event.Settings{Sandbox: approval.Sandbox{Roots: []string{"/w/sub"}}}, false},
	} {
		client := New("driver", engine.NewHost(engine.Config{}).For(engine.Access{Within: "/w"}), nil)
		if got := client.Check("m", OfSettings(c.settings)...) != nil; got != c.user {
			t.Errorf("%+v: %t", c.settings, got)
		}
	}
}

// TestGuard: the messages of a line are handled together or not at all, and what only an owner may do is in the audit log.
func TestGuard(t *testing.T) {
	table := NewTable(Of(Driver, "a"), Of(Owner, "b"), With(Driver, "c", func(p int) []Need {
		if p > 0 {
			return []Need{{Level: User}}
		}
		return nil
	}))
	for _, c := range []struct {
		role     string
		messages []Message
		refused  int
		entries  []string
	}{
		{"driver", []Message{{Method: "a"}, {Method: "unknown"}}, 0, nil},
		{"driver", []Message{{Method: "a"}, {Method: "b"}}, 2, []string{"b", "b"}},
		{"driver", []Message{{Method: "c", Params: 0}}, 0, nil},
		{"driver", []Message{{Method: "c", Params: 1}}, 1, []string{"c"}},
		{"driver", []Message{{Method: "c", Params: "of another type"}}, 1, []string{"c"}},
		{"owner", []Message{{Method: "a"}, {Method: "b"}, {Method: "c", Params: 1}}, 0, []string{"b", "c"}},
	} {
		var entries []string
		refused := 0
		g := Guard{
			Client: New(c.role, engine.NewHost(engine.Config{}), func(e Entry) { entries = append(entries, e.Method) }), Table: table,
			Read: func([]byte) []Message { return c.messages }, Refuse: func(Message, *Refusal) { refused++ },
		}
		if g.Permits(nil) != (c.refused == 0) || refused != c.refused || !slices.Equal(entries, c.entries) {
			t.Errorf("%s %v: refused %d, entries %v", c.role, c.messages, refused, entries)
		}
	}
	if g := (*Guard)(nil); !g.Permits([]byte("x")) {
		t.Error("a connection without a guard refuses a line")
	}
}
