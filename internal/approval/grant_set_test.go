package approval

import (
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

func TestGrants(t *testing.T) {
	command := func(line, dir string) Request {
		return Request{Tool: "shell", Level: Execute, Command: line, Dir: dir}
	}
	edit := func(paths ...string) Request {
		r := Request{Tool: "edit", Level: Write}
		for _, p := range paths {
			r.Paths = append(r.Paths, Path{Path: p, Write: true})
		}
		return r
	}
	server := func(server, tool, summary string) Request {
		return Request{Tool: tool, Level: Execute, Server: server, Summary: summary}
	}
	fetch := func(url string) Request { return Request{Tool: "fetch", Level: Execute, URL: url} }
	in := func(r Request, p Path) Request {
		r.Paths = append(append([]Path(nil), r.Paths...), p)
		return r
	}
	state := Path{Path: "/state/x", Protected: true}
	cases := []struct {
		name   string
		added  []Request
		asked  Request
		covers bool
	}{
		{"nothing", nil, command("make", "/w"), false},
		{"the command", []Request{command("make", "/w")}, command("make", "/w"), true},
		{"another command", []Request{command("make", "/w")}, command("make all", "/w"), false},
		{"blanks are part of it", []Request{command("make", "/w")}, command("make ", "/w"), false},
		{"another folder", []Request{command("make", "/w")}, command("make", "/w/a"), false},
		{"no folder", []Request{command("make", "/w")}, command("make", ""), false},
		{"never a folder", []Request{command("make", "")}, command("make", ""), false},
		{"a folder that depends", []Request{command("make", "w")}, command("make", "w"), false},
		{"another tool, the same command", []Request{command("make", "/w")}, Request{Tool: "bash", Level: Execute, Command: "make", Dir: "/w"}, true},
		{"the file", []Request{edit("/w/a")}, edit("/w/a"), true},
		{"the file, said in another way", []Request{edit("/w/a")}, edit("/w/./b/../a"), true},
		{"the file by another tool", []Request{edit("/w/a")}, Request{Tool: "write", Level: Write, Paths: []Path{{Path: "/w/a", Write: true}}}, true},
		{"below the file", []Request{edit("/w/a")}, edit("/w/a/b"), false},
		{"its folder", []Request{edit("/w/a")}, edit("/w"), false},
		{"one of two", []Request{edit("/w/a")}, edit("/w/a", "/w/b"), false},
		{"two of two", []Request{edit("/w/a"), edit("/w/b")}, edit("/w/b", "/w/a"), true},
		{"one of the two", []Request{edit("/w/a", "/w/b")}, edit("/w/b"), true},
		{"a file that is read", []Request{{Level: Read, Paths: []Path{{Path: "/w/a"}}}}, edit("/w/a"), false},
		{"reading a file that was written", []Request{edit("/w/a")}, Request{Level: Read, Paths: []Path{{Path: "/w/a"}}}, false},
		{"a relative file", []Request{edit("a")}, edit("a"), false},
		{"a write of nothing", []Request{edit()}, edit(), false},
		{"the URL", []Request{fetch("https://x/a")}, fetch("https://x/a"), true},
		{"another URL", []Request{fetch("https://x/a")}, fetch("https://x/b"), false},
		{"the host", []Request{fetch("https://x/a")}, fetch("https://x/"), false},
		{"the call", []Request{server("s", "t", "t 1")}, server("s", "t", "t 1"), true},
		{"other arguments", []Request{server("s", "t", "t 1")}, server("s", "t", "t 2"), false},
		{"another tool", []Request{server("s", "t", "1")}, server("s", "u", "1"), false},
		{"another server", []Request{server("s", "t", "1")}, server("r", "t", "1"), false},
		{"a call that is not shown", []Request{server("s", "t", "")}, server("s", "t", ""), false},
		{"a tool without a name", []Request{server("s", "", "1")}, server("s", "", "1"), false},
		{"a command is no call", []Request{server("/w", "t", "make")}, command("make", "/w"), false},
		{"a command that also writes", []Request{command("make", "/w")}, in(command("make", "/w"), Path{Path: "/w/a", Write: true}), false},
		{"all of it", []Request{command("make", "/w"), edit("/w/a")}, in(command("make", "/w"), Path{Path: "/w/a", Write: true}), true},
		{"a fetch that also writes", []Request{fetch("https://x/a")}, in(fetch("https://x/a"), Path{Path: "/w/a", Write: true}), false},
		{"a write that also fetches", []Request{edit("/w/a")}, Request{Level: Write, URL: "https://x", Paths: edit("/w/a").Paths}, false},
		{"a write that also calls", []Request{edit("/w/a")}, Request{Tool: "t", Level: Write, Server: "s", Summary: "1", Paths: edit("/w/a").Paths}, false},
		{"a write that also runs", []Request{edit("/w/a")}, Request{Level: Write, Command: "rm x", Dir: "/w", Paths: edit("/w/a").Paths}, false},
		{"a write that also reads state", []Request{edit("/w/a")}, in(edit("/w/a"), state), false},
		{"reading state", []Request{{Level: Read, Paths: []Path{state}}}, Request{Level: Read, Paths: []Path{state}}, false},
		{"a command in the state", []Request{command("make", "/state/x")}, in(command("make", "/state/x"), state), true},
		{"a command beside the state", []Request{command("make", "/w")}, in(command("make", "/w"), state), false},
		{"no level", []Request{{Command: "make", Dir: "/w"}}, Request{Command: "make", Dir: "/w"}, false},
		{"what may be approved", []Request{{Level: Admin, Command: "make", Dir: "/w"}}, Request{Level: Admin, Command: "make", Dir: "/w"}, false},
	}
	for _, c := range cases {
		var g GrantSet
		for _, r := range c.added {
			g.Add(r)
		}
		if got := g.Covers(c.asked); got != c.covers {
			t.Errorf("%s: covered %t, want %t", c.name, got, c.covers)
		}
	}
	if (*GrantSet)(nil).Covers(command("make", "/w")) {
		t.Error("no grants cover a command")
	}
}

// TestGrantsLaw: whatever was added, what differs from all of it in a command, a folder, a
// file, a URL or a call is not covered; and what was added is.
func TestGrantsLaw(t *testing.T) {
	texts := rapid.SampledFrom([]string{"", "a", "b", "a b", "a ", "A", "/a", "/a/", "/a/b", "/b", "/a/../b", "b/a"})
	requests := rapid.Custom(func(t *rapid.T) Request {
		r := Request{
			Tool: texts.Draw(t, "tool"), Level: rapid.SampledFrom([]Level{Read, Write, Execute}).Draw(t, "level"),
			Command: texts.Draw(t, "command"), Dir: texts.Draw(t, "dir"), URL: texts.Draw(t, "url"),
			Server: texts.Draw(t, "server"), Summary: texts.Draw(t, "summary"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "paths") {
			r.Paths = append(r.Paths, Path{
				Path: texts.Draw(t, "path"), Write: rapid.Bool().Draw(t, "write"), Protected: rapid.Bool().Draw(t, "protected"),
			})
		}
		return r
	})
	rapid.Check(t, func(t *rapid.T) {
		added := rapid.SliceOfN(requests, 0, 4).Draw(t, "added")
		asked := requests.Draw(t, "asked")
		if len(added) > 0 && rapid.Bool().Draw(t, "again") { // or almost never anything is covered
			asked = added[0]
			if rapid.Bool().Draw(t, "elsewhere") {
				asked.Dir = texts.Draw(t, "other dir")
			}
		}
		var g GrantSet
		same := struct{ command, call, url bool }{asked.Command == "", asked.Server == "", asked.URL == ""}
		files := map[string]bool{}
		for _, r := range added {
			g.Add(r)
			same.command = same.command || r.Command == asked.Command && r.Dir == asked.Dir
			same.call = same.call || r.Server == asked.Server && r.Tool == asked.Tool && r.Summary == asked.Summary
			same.url = same.url || r.URL == asked.URL
			for _, p := range r.Paths {
				files[filepath.Clean(p.Path)] = files[filepath.Clean(p.Path)] || p.Write
			}
		}
		all := same.command && same.call && same.url
		for _, p := range asked.Paths {
			all = all && (!p.Write || files[filepath.Clean(p.Path)])
		}
		if g.Covers(asked) && !all {
			t.Fatalf("%+v is covered by %+v", asked, added)
		}
		g.Add(asked)
		known := asked.Command == "" || filepath.IsAbs(asked.Dir)
		known = known && (asked.Server == "" || asked.Tool != "" && asked.Summary != "")
		some := asked.Command != "" || asked.Server != "" || asked.URL != ""
		for _, p := range asked.Paths {
			known = known && (p.Write && filepath.IsAbs(p.Path) || !p.Write && (!p.Protected || p.Path == asked.Dir && asked.Command != ""))
			some = some || p.Write
		}
		if got := g.Covers(asked); got != (known && some) {
			t.Fatalf("%+v was added, and covered is %t", asked, got)
		}
	})
}

// TestAddForTurn: a grant for the turn ends with it, unless the same one is given for the session before or after.
func TestAddForTurn(t *testing.T) {
	grant := Grant{Target: Target{Kind: TargetDomain, Pattern: "example.com"}, Level: Execute, Scope: Session}
	r := Request{Level: Execute, URL: "https://example.com/x"}
	session := func(g *GrantSet) error { _, err := g.AddGrant(grant); return err }
	turn := func(g *GrantSet) error { _, err := g.AddForTurn(grant); return err }
	for name, test := range map[string]struct {
		steps []func(*GrantSet) error
		after bool
	}{
		"turn":              {[]func(*GrantSet) error{turn}, false},
		"twice":             {[]func(*GrantSet) error{turn, turn}, false},
		"session, turn":     {[]func(*GrantSet) error{session, turn}, true},
		"turn, session":     {[]func(*GrantSet) error{turn, session}, true},
		"session, 2 x turn": {[]func(*GrantSet) error{session, turn, turn}, true},
	} {
		var g GrantSet
		for _, step := range test.steps {
			if err := step(&g); err != nil {
				t.Fatal(err)
			}
		}
		if !g.Covers(r) || len(g.List()) != 1 {
			t.Errorf("%s: not granted in the turn", name)
		}
		g.EndTurn()
		if g.Covers(r) != test.after {
			t.Errorf("%s: after the turn %v", name, !test.after)
		}
	}
	if _, err := (&GrantSet{}).AddForTurn(Grant{}); err == nil {
		t.Error("a grant of nothing is stored")
	}
}
