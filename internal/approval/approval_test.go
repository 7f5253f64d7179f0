package approval

import "testing"

func TestModes(t *testing.T) {
	outside := []Path{{Path: "/etc/passwd", Outside: true}}
	requests := map[string]Request{
		"read":          {Level: Read},
		"write":         {Level: Write},
		"execute":       {Level: Execute, Command: "ls"},
		"no level":      {},
		"network":       {Level: Read, URL: "https://example.com"},
		"read outside":  {Level: Read, Paths: outside},
		"write outside": {Level: Write, Paths: outside},
	}
	covered := map[Mode][]string{
		ReadOnly:       {"read"},
		Plan:           {"read"},
		WorkspaceWrite: {"read", "write"},
		Prompt:         {},
		FullAccess:     {"read", "write", "execute", "no level", "network", "read outside", "write outside"},
		"unheard-of":   {},
		"":             {},
	}
	for mode, names := range covered {
		want := map[string]bool{}
		for _, name := range names {
			want[name] = true
		}
		for name, r := range requests {
			if got := mode.Covers(r); got != want[name] {
				t.Errorf("%q covers %s = %t", mode, name, got)
			}
			verdict, reason := Policy{Mode: mode}.Decide(r)
			if (verdict == Allow) != want[name] {
				t.Errorf("%q decides %s: %v, %s", mode, name, verdict, reason)
			}
		}
	}
}

func TestParseMode(t *testing.T) {
	for _, m := range Modes {
		if got, err := ParseMode(string(m)); got != m || err != nil {
			t.Errorf("ParseMode(%q) = %q, %v", m, got, err)
		}
	}
	for _, bad := range []string{"", "Read-Only", "all"} {
		if _, err := ParseMode(bad); err == nil {
			t.Errorf("ParseMode(%q) has no error", bad)
		}
	}
}

func TestLack(t *testing.T) {
	cases := []struct {
		mode Mode
		r    Request
		want string
	}{
		{ReadOnly, Request{Tool: "write_file", Level: Write}, "write_file needs workspace-write; active mode is read-only"},
		{WorkspaceWrite, Request{Tool: "bash", Level: Execute}, "bash needs danger-full-access; active mode is workspace-write"},
		{WorkspaceWrite, Request{Tool: "read", Level: Read, Paths: []Path{{Path: "/x", Outside: true}}}, "path is outside the workspace: /x"},
		{Prompt, Request{Tool: "bash", Level: Execute}, ""},
		{FullAccess, Request{Tool: "bash", Level: Execute}, ""},
	}
	for _, c := range cases {
		if got := c.mode.Lack(c.r); got != c.want {
			t.Errorf("%s lacks %q, want %q", c.mode, got, c.want)
		}
	}
}

// TestRules: an allowing rule has to cover everything in a line, a denying one needs one hit.
func TestRules(t *testing.T) {
	bash := func(command string) Request { return Request{Tool: "bash", Level: Execute, Command: command} }
	cases := []struct {
		rule        string
		r           Request
		allow, deny bool
	}{
		{"bash", bash("anything"), true, true},
		{"bash:git status", bash("git status"), true, true},
		{"bash:git status", bash("git  'status'"), true, true},
		{"bash:git status", bash("git status -s"), false, false},
		{"bash:git *", bash("git log"), true, true},
		{"bash:git *", bash("git log; rm -rf /"), false, true},
		{"bash:rm *", bash("git log && rm -rf /"), false, true},
		{"bash:rm *", bash("echo $(rm -rf /)"), false, true},
		{"bash:rm *", bash("echo `rm x`"), false, true},
		{"bash:rm *", bash("echo hi | xargs rm"), false, false},
		{"bash:echo *", bash("echo $HOME"), false, true},
		{"bash:echo *", bash("echo x > /etc/passwd"), false, true},
		{"bash:echo *", bash("PATH=/evil echo x"), false, true},
		{"bash:echo *", bash("echo 'unclosed"), false, true},
		{"bash:rm *", bash("r'm' x"), true, true},
		{"bash:*", bash(""), false, false},
		{"read*:/etc/*", Request{Tool: "read_file", Paths: []Path{{Path: "/etc/passwd", Shown: "../etc/passwd"}}}, true, true},
		{"write:a/*", Request{Tool: "write", Paths: []Path{{Path: "/w/a/x", Shown: "a/x"}, {Path: "/w/b", Shown: "b"}}}, false, true},
		{"WebFetch:https://example.com/*", Request{Tool: "WebFetch", URL: "https://example.com/x"}, true, true},
		{"WebFetch:https://example.com/*", Request{Tool: "WebFetch", URL: "https://example.community/"}, false, false},
		{"*", Request{Tool: "x"}, true, true},
		{"*:x", Request{Tool: "plan"}, false, false},
	}
	for _, c := range cases {
		for verdict, want := range map[Verdict]bool{Allow: c.allow, Deny: c.deny} {
			rule, err := ParseRule(verdict, c.rule)
			if err != nil {
				t.Fatal(err)
			}
			if got := rule.Matches(c.r); got != want {
				t.Errorf("rule %s (verdict %d) matches %+v = %t", rule, verdict, c.r, got)
			}
		}
	}
}

func TestParseRuleRefuses(t *testing.T) {
	for _, bad := range []string{"", ":x", " :x", "bash:", "bash: "} {
		if _, err := ParseRule(Deny, bad); err == nil {
			t.Errorf("rule %q has no error", bad)
		}
	}
}

// TestPrecedence: a denial beats everything, whatever the order of the rules.
func TestPrecedence(t *testing.T) {
	rules := []Rule{{Allow, "bash", ""}, {Ask, "bash", "git *"}, {Deny, "bash", "rm *"}}
	for command, want := range map[string]Verdict{"ls": Allow, "git push": Ask, "rm x": Deny, "git x; rm x": Deny} {
		got, _ := Policy{Mode: ReadOnly, Rules: rules}.Decide(Request{Tool: "bash", Level: Execute, Command: command})
		if got != want {
			t.Errorf("%s: %d, want %d", command, got, want)
		}
	}
}

func TestLevelText(t *testing.T) {
	for _, l := range []Level{Read, Write, Execute, Admin} {
		text, _ := l.MarshalText()
		var back Level
		if err := back.UnmarshalText(text); err != nil || back != l {
			t.Errorf("%s came back as %s, %v", text, back, err)
		}
	}
	var l Level
	if err := l.UnmarshalText([]byte("root")); err == nil {
		t.Error("an unknown level has no error")
	}
}

// FuzzRule: no allowing rule but one for everything lets a line through that holds a second
// command its pattern does not cover.
func FuzzRule(f *testing.F) {
	f.Add("git status", "rm -rf /")
	f.Add("git log -p", "$(rm x)")
	rule := Rule{Allow, "bash", "git *"}
	f.Fuzz(func(t *testing.T, line, more string) {
		if rule.Matches(Request{Tool: "bash", Command: line + "\nrm " + more}) {
			commands, err := simpleCommands(line + "\nrm " + more)
			for _, c := range commands {
				if !wild("git *", c) {
					t.Errorf("%q is let through with %q, %v", line, c, err)
				}
			}
		}
	})
}
