package hook

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
)

func TestMatch(t *testing.T) {
	for text, names := range map[string][2]string{ // that match, that do not
		"":                    {"shell bash mcp__a__b", ""},
		"*":                   {"shell bash", ""},
		"shell":               {"shell", "bash shells myshell"},
		"shell|write":         {"shell write", "edit shell|write"},
		"mcp__*":              {"mcp__a__b mcp__", "mcp"},
		"?ash":                {"bash dash", "ash"},
		"/bash|sh(ell)?/":     {"bash sh shell", "shells rebash"},
		"/mcp__.*/":           {"mcp__a", "xmcp__a"},
		"/(?i)BASH/":          {"bash", "shell"},
		"files/read":          {"files/read", "read"},
		"web-fetch|web.fetch": {"web-fetch web.fetch", "webxfetch"},
		"mcp__.*":             {"mcp__a__b", "mcp"},
		"^Notebook":           {"NotebookEdit", "MyNotebook"},
		"(Bash|Write)":        {"Bash Write BashOutput", "Edit"},
		"mcp__.*__write.*":    {"mcp__a__write_file", "mcp__a__read"},
	} {
		match, err := matcher(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		for _, name := range strings.Fields(names[0]) {
			if !match(name) {
				t.Errorf("%q does not match %s", text, name)
			}
		}
		for _, name := range strings.Fields(names[1]) {
			if match(name) {
				t.Errorf("%q matches %s", text, name)
			}
		}
	}
}

// TestMatchRefuses: what would silently match nothing is an error.
func TestMatchRefuses(t *testing.T) {
	for _, text := range []string{"(bash", "[a-z", "(?!bash)", "bash |write", "bash||write", "|", " ", "//", "/", "/bash", "/(/", `b\u`} {
		if _, err := matcher(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		moment event.HookMoment
		hook   Hook
	}{
		"hooks.before_tool[1]: there is no command":                 {event.BeforeTool, Hook{Command: " \n"}},
		"hooks.after_tool[1]: the timeout is negative":              {event.AfterTool, Hook{Command: "x", Limit: -1}},
		"hooks.after_tool[1]: on_failure: unknown value":            {event.AfterTool, Hook{Command: "x", OnFailure: "ignore"}},
		"hooks.turn_end[1]: on_failure: the end of a turn":          {event.AtTurnEnd, Hook{Command: "x", OnFailure: FailureDenies}},
		"hooks.turn_end[1]: match: there is no tool to match":       {event.AtTurnEnd, Hook{Command: "x", Match: "*"}},
		"hooks.prompt[1]: match: there is no tool to match":         {event.AtPrompt, Hook{Command: "x", Match: "bash"}},
		`hooks.before_tool[1]: match: "(a" is neither a glob nor a`: {event.BeforeTool, Hook{Command: "x", Match: "(a"}},
		"hooks.session_end[1]: on_failure: a hook of session_end":   {event.AtSessionEnd, Hook{Command: "x", OnFailure: FailureDenies}},
	} {
		_, err := New(Options{Hooks: map[event.HookMoment][]Hook{c.moment: {{Command: "true"}, c.hook}}})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestNames: a name is a program or a position, never a part of a command that may be secret.
func TestNames(t *testing.T) {
	for command, want := range map[string]string{
		"/opt/hooks/guard.sh --strict":     "guard.sh",
		"jq -e .input":                     "jq",
		"KEY=hunter2 guard":                "before_tool 3",
		"$HOME/bin/x":                      "before_tool 3",
		`"/my hooks/x"`:                    "before_tool 3",
		"(cd /; ls)":                       "before_tool 3",
		"! grep -q rm":                     "before_tool 3",
		"curl -H 'Authorization: hunter2'": "curl",
	} {
		if got := nameOf(event.BeforeTool, 2, command); got != want {
			t.Errorf("%s is called %s, not %s", command, got, want)
		}
	}
}
