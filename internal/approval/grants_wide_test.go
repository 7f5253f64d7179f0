package approval

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func reading(path string) Request {
	return Request{Tool: "read", Level: Read, Paths: []Path{{Path: path}}}
}

func writing(path string) Request {
	return Request{Tool: "write", Level: Write, Paths: []Path{{Path: path, Write: true}}}
}

func searching(path string) Request {
	return Request{Tool: "grep", Level: Read, Paths: []Path{{Path: path, Recursive: true}}}
}

func protecting(r Request) Request {
	r.Paths = slices.Clone(r.Paths)
	for i := range r.Paths {
		r.Paths[i].Protected, r.Paths[i].Outside = true, true
	}
	return r
}

func running(line, dir string) Request {
	return Request{Tool: "shell", Level: Execute, Command: line, Dir: dir}
}

// runningOutside returns how tools ask to run somewhere else: the folder is a path too.
func runningOutside(line, dir string) Request {
	r := running(line, dir)
	r.Paths = []Path{{Path: dir, Outside: true}}
	return r
}

func fetching(address string) Request {
	return Request{Tool: "fetch", Level: Execute, URL: address}
}

func calling(server, tool string, level Level) Request {
	return Request{Tool: tool, Level: level, Server: server, Summary: tool + " 1"}
}

func folder(path string) Target { return Target{Kind: TargetPath, Path: path} }
func tree(path string) Target   { return Target{Kind: TargetPath, Path: path, Recursive: true} }

func TestPathGrants(t *testing.T) {
	for _, c := range []struct {
		target Target
		level  Level
		asked  Request
		covers bool
	}{
		{folder("/w/a"), Read, reading("/w/a"), true},
		{folder("/w"), Read, reading("/w/a"), true}, // what lies directly in it
		{folder("/w"), Read, reading("/w"), true},
		{folder("/w"), Read, reading("/w/a/b"), false},
		{folder("/w/a"), Read, reading("/w"), false},
		{folder("/w/a"), Read, reading("/w/ab"), false},
		{folder("/w/a"), Read, reading("/w/A"), false},
		{folder("/"), Read, reading("/a"), true},
		{folder("/"), Read, reading("/a/b"), false},
		{tree("/w"), Read, reading("/w"), true},
		{tree("/w"), Read, reading("/w/a/b/c"), true},
		{tree("/w"), Read, reading("/wa"), false},
		{tree("/w"), Read, reading("/w-old/a"), false},
		{tree("/w"), Read, reading("/x/w/a"), false},
		{tree("/w/a"), Read, reading("/w"), false},
		{tree("/"), Read, reading("/etc/passwd"), true},
		// not resolved
		{tree("/w"), Read, reading("/w/../etc/passwd"), false},
		{tree("/w"), Read, reading("/w/a/../b"), false},
		{tree("/w"), Read, reading("/w/./a"), false},
		{tree("/w"), Read, reading("/w//a"), false},
		{tree("/w"), Read, reading("/w/a/"), false},
		{tree("/w"), Read, reading("w/a"), false},
		{tree("/w"), Read, reading("../w/a"), false},
		{tree("/w"), Read, reading(""), false},
		{tree("/"), Read, reading("a"), false},
		{tree("/w"), Read, reading(`/w\..\etc`), false},
		{tree("/w"), Read, reading("/w/..."), true},
		{tree("/w"), Read, reading("/w/..a"), true},
		// levels
		{tree("/w"), Read, writing("/w/a"), false},
		{tree("/w"), Write, writing("/w/a"), true},
		{tree("/w"), Write, reading("/w/a"), true},
		{tree("/w"), Execute, writing("/w/a"), true},
		{tree("/w"), Admin, writing("/w/a"), true},
		{folder("/w/a"), Write, writing("/w/a"), true},
		{tree("/w"), Write, Request{Level: Write, Paths: []Path{{Path: "/w/a"}}}, true},
		{tree("/w"), Read, Request{Level: Write, Paths: []Path{{Path: "/w/a"}}}, false},    // something is written
		{tree("/w"), Admin, Request{Level: Execute, Paths: []Path{{Path: "/w/a"}}}, false}, // it does not say what it does
		{tree("/w"), Admin, Request{Level: Admin, Paths: []Path{{Path: "/w/a"}}}, false},
		{tree("/w"), Admin, Request{Paths: []Path{{Path: "/w/a"}}}, false},
		{tree("/w"), Admin, Request{Level: Read}, false},
		// searching goes through all that lies below
		{folder("/w"), Read, searching("/w"), false},
		{folder("/w"), Read, searching("/w/a"), false},
		{tree("/w"), Read, searching("/w"), true},
		{tree("/w"), Read, searching("/w/a/b"), true},
		{tree("/w/a"), Read, searching("/w"), false},
		// protected
		{tree("/w"), Admin, protecting(writing("/w/.git/config")), false},
		{tree("/w/.git"), Admin, protecting(writing("/w/.git/config")), false},
		{folder("/w/.git"), Admin, protecting(writing("/w/.git/config")), false},
		{folder("/w/.git/config"), Write, protecting(writing("/w/.git/config")), true},
		{folder("/w/.git/config"), Read, protecting(writing("/w/.git/config")), false},
		{tree("/"), Admin, protecting(reading("/state/x")), false},
		{tree("/state"), Admin, protecting(reading("/state/x")), false},
		{folder("/state"), Read, protecting(searching("/state")), false},
		{tree("/state"), Read, protecting(searching("/state")), true},
		// other kinds
		{tree("/"), Admin, running("make", "/w"), false},
		{tree("/"), Admin, runningOutside("make", "/x"), false},
		{tree("/"), Admin, fetching("https://x.y/"), false},
		{tree("/"), Admin, calling("s", "t", Read), false},
	} {
		var g GrantSet
		give(t, &g, c.target, c.level)
		if got := g.Covers(c.asked); got != c.covers {
			t.Errorf("%s for %s covers %+v: %t", c.target, c.level, c.asked, got)
		}
	}
}

func TestDomainGrants(t *testing.T) {
	for pattern, addresses := range map[string]string{
		"x.y": `
			+ https://x.y + http://x.y + https://x.y/ + https://x.y/a?b#c + HTTPS://X.Y/ + https://x.Y + https://x.y./
			+ https://x.y:443/ + http://x.y:80/
			- https://x.y:80/ - http://x.y:443/ - https://x.y:8443/ - https://a.x.y/ - https://ax.y/ - https://x.yz/ - https://x.y.z/
			- https://y/ - https://x/ - ftp://x.y/ - file:///x.y - https:x.y - x.y - //x.y/ - https:///x.y - https://
			- https://u@x.y/ - https://u:p@x.y/ - https://x.y@z/ - https://z/x.y - https://z/?https://x.y - https://z#x.y
			- https://x.y%2ez/ - https://x%2ey/ - https://ｘ.y/ - https://x。y/ - https://x..y/ - https://.x.y/ - https://x.y\@z/
			- https://x.y:443x/ - https://x.y../ - javascript:x.y - https://[::1]/`,
		"X.Y":        `+ https://x.y/ - https://z/`,
		"x.y:443":    `+ https://x.y/ + https://x.y:443/ - http://x.y/ + http://x.y:443/`,
		"x.y:8443":   `+ https://x.y:8443/ + http://x.y:8443/ - https://x.y/ - https://x.y:443/ - https://a.x.y:8443/`,
		"*.x.y":      `+ https://x.y/ + https://a.x.y/ + https://b.a.x.y/ - https://ax.y/ - https://x.y.z/ - https://a.x.y:8443/ - https://y/ - https://u@a.x.y/`,
		"*.x.y:3000": `+ http://a.x.y:3000/ - http://a.x.y/`,
		"*":          `+ https://x.y/ + http://x.y:1/ + http://127.0.0.1/ - ftp://x.y/ - https://u@x.y/ - https://ｘ.y/ - x`,
		"localhost":  `+ http://localhost/ - http://localhost:3000/ - http://a.localhost/ - http://localhost.x/`,
		"127.0.0.1":  `+ http://127.0.0.1/ - http://127.1/ - http://2130706433/ - http://127.0.0.1.x/`,
		"[::1]:3000": `+ http://[::1]:3000/ - http://[::1]/ - http://[::2]:3000/ - http://[0:0:0:0:0:0:0:1]:3000/`,
		"::1":        `+ http://[::1]/ - http://[::1]:3000/`,
	} {
		var g GrantSet
		give(t, &g, Target{Kind: TargetDomain, Pattern: pattern}, Execute)
		words := strings.Fields(addresses)
		for i := 0; i < len(words); i += 2 {
			if got := g.Covers(fetching(words[i+1])); got != (words[i] == "+") {
				t.Errorf("%s covers %s: %t", pattern, words[i+1], got)
			}
		}
	}
	for _, pattern := range []string{
		"", " ", ".", "*.", "*x", "x.*", "x.*.y", "**", "*.*", "*.*.x", "https://x.y", "x.y/", "x.y/a", "u@x.y", "x y", "x.y:", "x.y:a", "x..y",
		".x.y", "x.y.", "ｘ.y", "x.y:80:80", "*:80", "[x", "[x]:80", "[*.x]", "fe80::1%eth0", "x:y:z", "[::1]:", "[::1]x",
	} {
		if err := (Target{Kind: TargetDomain, Pattern: pattern}).Validate(); err == nil {
			t.Errorf("%q is a domain", pattern)
		}
	}
	var g GrantSet
	give(t, &g, Target{Kind: TargetDomain, Pattern: "*"}, Read)
	if g.Covers(fetching("https://x.y/")) {
		t.Error("a grant to read covers what needs more")
	}
	if get := fetching("https://x.y/"); !g.Covers(Request{Tool: get.Tool, Level: Read, URL: get.URL}) {
		t.Error("a grant to read does not cover what only reads")
	}
}

func TestToolGrants(t *testing.T) {
	one, all := Target{Kind: TargetTool, Server: "s", Tool: "t"}, Target{Kind: TargetTool, Server: "s", Tool: "*"}
	named := Target{Kind: TargetTool, Server: "*", Tool: "t"}
	for _, c := range []struct {
		target Target
		level  Level
		asked  Request
		covers bool
	}{
		{one, Execute, calling("s", "t", Execute), true},
		{one, Execute, calling("s", "t", Read), true},
		{one, Read, calling("s", "t", Read), true},
		{one, Read, calling("s", "t", Execute), false},
		{one, Write, calling("s", "t", Execute), false},
		{one, Execute, calling("s", "u", Execute), false},
		{one, Execute, calling("r", "t", Execute), false},
		{one, Execute, calling("", "t", Execute), false},
		{all, Execute, calling("s", "u", Execute), true},
		{all, Execute, calling("r", "u", Execute), false},
		{all, Execute, calling("s", "", Execute), false},
		{all, Execute, running("make", "/w"), false},
		{named, Execute, calling("r", "t", Execute), true},
		{named, Execute, calling("r", "u", Execute), false},
		{named, Execute, calling("", "t", Execute), false},
		{one, Execute, Request{Tool: "t", Level: Execute, Server: "s"}, true}, // arguments do not matter
		{one, Execute, Request{Tool: "t", Level: Execute, Server: "s", URL: "https://x.y"}, false},
		{one, Execute, Request{Tool: "t", Level: Execute, Server: "s", Command: "make", Dir: "/w"}, false},
		{one, Execute, Request{Tool: "t", Level: Execute, Server: "s", Paths: []Path{{Path: "/w/a"}}}, false},
	} {
		var g GrantSet
		give(t, &g, c.target, c.level)
		if got := g.Covers(c.asked); got != c.covers {
			t.Errorf("%s for %s covers %+v: %t", c.target, c.level, c.asked, got)
		}
	}
}

// TestEachPart: a request that does several things needs a grant for each.
func TestEachPart(t *testing.T) {
	var g GrantSet
	line := give(t, &g, Target{Kind: TargetCommand, Pattern: "make *"}, Execute)
	files := give(t, &g, tree("/w"), Write)
	web := give(t, &g, Target{Kind: TargetDomain, Pattern: "x.y"}, Execute)
	server := give(t, &g, Target{Kind: TargetTool, Server: "s", Tool: "t"}, Execute)
	there := give(t, &g, tree("/there"), Execute)
	give(t, &g, folder("/here"), Execute)
	give(t, &g, tree("/look"), Write)
	g.Add(Request{Tool: "shell", Level: Execute, Command: "rm x", Dir: "/y"})

	with := func(r Request, paths ...Path) Request { r.Paths = append(slices.Clone(r.Paths), paths...); return r }
	a := Path{Path: "/w/a", Write: true}
	for _, c := range []struct {
		name  string
		asked Request
		by    []Grant // nil: not covered
	}{
		{"a command", running("make all", "/w"), []Grant{line}},
		{"a command without a folder", running("make all", ""), nil},
		{"a command whose folder depends", running("make all", "w"), nil},
		{"and a write", with(running("make all", "/w"), a), []Grant{line, files}},
		{"and a write elsewhere", with(running("make all", "/w"), Path{Path: "/x", Write: true}), nil},
		{"and a read elsewhere", with(running("make all", "/w"), Path{Path: "/x"}), nil},
		{"in another folder", runningOutside("make", "/there"), []Grant{line, there}},
		{"below it", runningOutside("make", "/there/a"), []Grant{line, there}},
		{"in a folder that may be used, but not what is below", runningOutside("make", "/here"), nil},
		{"in a folder that may be changed only", runningOutside("make", "/look"), nil},
		{"in a folder without a grant", runningOutside("make", "/nowhere"), nil},
		{"the very line, in its folder", runningOutside("rm x", "/y"), []Grant{g.List()[7]}},
		{"the very line, and more", with(runningOutside("rm x", "/y"), a), []Grant{g.List()[7], files}},
		{"the very line elsewhere", runningOutside("rm x", "/there"), nil},
		{"a download", with(fetching("https://x.y/"), a), []Grant{web, files}},
		{"a download of another host", with(fetching("https://y/"), a), nil},
		{"a call that fetches", Request{Tool: "t", Level: Execute, Server: "s", URL: "https://x.y/"}, []Grant{server, web}},
		{"two files", with(writing("/w/a"), Path{Path: "/there/b", Write: true}), []Grant{files, there}},
		{"two files of one grant", with(writing("/w/a"), Path{Path: "/w/b", Write: true}), []Grant{files}},
		{"two files, one without a grant", with(writing("/w/a"), Path{Path: "/b", Write: true}), nil},
		{"copying from elsewhere", with(writing("/w/a"), Path{Path: "/b"}), nil},
	} {
		by, ok := g.CoveredBy(c.asked, time.Now())
		if ok != (c.by != nil) || !slices.Equal(by, c.by) {
			t.Errorf("%s: covered %t by %v", c.name, ok, by)
		}
	}
	if _, ok := (*GrantSet)(nil).CoveredBy(reading("/w/a"), time.Now()); ok || (*GrantSet)(nil).List() != nil {
		t.Error("no grants cover a file")
	}
}

func TestExpiry(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	g := GrantSet{Now: func() time.Time { return now }}
	grant := Grant{Target: folder("/w/a"), Level: Read, Scope: Session, Expires: now.Add(time.Minute)}
	first, err := g.AddGrant(grant)
	if err != nil || !first.Given.Equal(now) {
		t.Fatal(first, err)
	}
	covers := func(want bool) {
		t.Helper()
		_, at := g.CoveredBy(reading("/w/a"), now)
		if got := g.Covers(reading("/w/a")); got != want || at != want || (len(g.List()) == 1) != want {
			t.Errorf("at %s covered %t, %t, and there are %v", now, got, at, g.List())
		}
	}
	covers(true)
	now = now.Add(time.Minute - 1)
	covers(true)
	now = now.Add(1)
	covers(false)
	grant.Expires = now.Add(time.Hour)
	again, err := g.AddGrant(grant)
	if err != nil || again.ID != first.ID {
		t.Fatal(again, err)
	}
	covers(true)
}

func TestGrantsList(t *testing.T) {
	var g GrantSet
	add := func(target Target, level Level, scope Scope) Grant {
		t.Helper()
		grant, err := g.AddGrant(Grant{Target: target, Level: level, Scope: scope})
		if err != nil {
			t.Fatal(err)
		}
		return grant
	}
	session, always := add(folder("/a"), Read, Session), add(folder("/a"), Read, Always)
	higher := add(folder("/a"), Write, Session)
	g.Add(running("make", "/w"))
	if ids := len((&wordSet{words: session.ID + " " + always.ID + " " + higher.ID + " " + g.List()[3].ID}).get()); ids != 4 || len(g.List()) != 4 {
		t.Fatalf("%d ids, %v", ids, g.List())
	}
	add(folder("/a"), Read, Session)
	g.Add(running("make", "/w"))
	if len(g.List()) != 4 {
		t.Errorf("given twice, they are %v", g.List())
	}
	line := g.List()[3]
	if !g.Covers(running("make", "/w")) || !g.Revoke(line.ID) || g.Covers(running("make", "/w")) || g.Revoke(line.ID) {
		t.Error("a line that was revoked is covered, or was not there")
	}
	if g.Revoke("") || g.Revoke("x") {
		t.Error("nothing is revoked")
	}

	g.UseAlways([]Grant{
		{Target: folder("/b"), Level: Read, Scope: Always},
		{Target: folder("/c"), Level: Read, Scope: Session},
		{Target: folder("/d"), Level: Read, Scope: Once},
		{Target: folder("e"), Level: Read, Scope: Always},
		{Target: folder("/f"), Scope: Always},
	})
	for path, want := range map[string]bool{"/a": true, "/b": true, "/c": false, "/d": false, "e": false, "/f": false} {
		if got := g.Covers(reading(path)); got != want {
			t.Errorf("%s is covered: %t", path, got)
		}
	}
	g.UseAlways([]Grant{{Target: folder("/c"), Level: Read, Scope: Always}})
	if g.Covers(reading("/b")) || !g.Covers(reading("/c")) {
		t.Error("as many grants for always took the place of none")
	}
	g.UseAlways(nil)
	if g.Covers(reading("/c")) || !g.Covers(reading("/a")) {
		t.Error("grants for always took the place of the wrong ones")
	}
	for _, grant := range []Grant{
		{Target: folder("/a"), Level: Read, Scope: Once},
		{Target: folder("/a"), Level: Read},
		{Target: folder("/a"), Scope: Session},
		{Target: folder("a"), Level: Read, Scope: Session},
	} {
		if _, err := g.AddGrant(grant); err == nil {
			t.Errorf("%+v was kept", grant)
		}
	}
}

// TestContainmentKnowsWideGrants: they lift what the sandbox forbids, except with AskNever, where
// no user can have given any.
func TestContainmentKnowsWideGrants(t *testing.T) {
	var g GrantSet
	give(t, &g, Target{Kind: TargetCommand, Pattern: "git *"}, Execute)
	c := Containment{Asking: AskAlways, Sandbox: Sandbox{Kind: SandboxReadOnly}, Dir: "/w", Confines: true, Grants: &g}
	if d := c.Decide(running("git push", "/w")); d.Verdict != Allow || !d.Lifted {
		t.Errorf("granted: %+v", d)
	}
	if d := c.Decide(running("git push; rm x", "/w")); d.Verdict != Ask {
		t.Errorf("not granted: %+v", d)
	}
	c.Asking = AskNever
	if d := c.Decide(running("git push", "/w")); d.Lifted {
		t.Errorf("granted, and no user is asked: %+v", d)
	}
}

// A grant for a command covers it in the workspace, and elsewhere only together with one for that folder.
func TestCommandGrantsCoverTheWorkspace(t *testing.T) {
	inFolder := func(dir string) Request {
		return Request{Tool: "shell", Level: Execute, Command: "git status", Dir: dir, Workspace: "/w", AsShell: true}
	}
	path := Target{Kind: TargetPath, Path: "/w/sub", Recursive: true}
	for _, c := range []struct {
		pattern string
		more    []Grant
		dir     string
		covers  bool
	}{
		{"git status", nil, "/w", true},
		{"git status", nil, "/w/sub", false},
		{"git *", nil, "/w/sub", false},
		{"git **", nil, "/w/sub", false},
		{"*", nil, "/w/sub", true}, // a line could change the folder as well
		{"git *", []Grant{{Target: path, Level: Execute, Scope: Session}}, "/w/sub", true},
		{"git *", []Grant{{Target: path, Level: Execute, Scope: Session}}, "/w/sub/deep", true},
		{"git *", []Grant{{Target: path, Level: Execute, Scope: Session}}, "/w/other", false},
		{"git *", []Grant{{Target: path, Level: Write, Scope: Session}}, "/w/sub", false},
		{"git *", []Grant{{Target: Target{Kind: TargetPath, Path: "/w/sub"}, Level: Execute, Scope: Session}}, "/w/sub", false},
	} {
		var set GrantSet
		for _, g := range append(c.more, Grant{Target: Target{Kind: TargetCommand, Pattern: c.pattern}, Level: Execute, Scope: Session}) {
			if _, err := set.AddGrant(g); err != nil {
				t.Fatal(err)
			}
		}
		if got := set.Covers(inFolder(c.dir)); got != c.covers {
			t.Errorf("%s in %s with %v: %t", c.pattern, c.dir, c.more, got)
		}
	}
	var exact GrantSet
	exact.Add(inFolder("/w/sub"))
	if !exact.Covers(inFolder("/w/sub")) {
		t.Error("a line that was approved in a folder is not covered there")
	}
	d := Containment{Asking: AskUnlessTrusted, Sandbox: Sandbox{Kind: SandboxNone}, Dir: "/w", Grants: &exact}.Decide(inFolder("/w/sub"))
	if !d.Granted || !d.Lifted {
		t.Errorf("%+v", d)
	}
}
