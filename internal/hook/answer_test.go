package hook

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/sandbox"
)

func exited(code int, stdout, stderr string) said {
	return said{exit: sandbox.Exit{Code: code}, stdout: []byte(stdout), stderr: []byte(stderr)}
}

// TestRead is the contract of docs/hooks.md, line by line.
func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		moment event.HookMoment
		said   said
		want   answer
		fails  string // part of the error; "": none
	}{
		"nothing":              {event.BeforeTool, exited(0, "", "talk"), answer{}, ""},
		"blank":                {event.BeforeTool, exited(0, " \n\t\n", ""), answer{}, ""},
		"empty object":         {event.BeforeTool, exited(0, "{}\n", ""), answer{}, ""},
		"allow":                {event.BeforeTool, exited(0, `{"decision":"allow"}`, ""), answer{Decision: "allow"}, ""},
		"deny":                 {event.BeforeTool, exited(0, `{"decision":"deny","reason":"no"}`, ""), answer{Decision: "deny", Reason: "no"}, ""},
		"rewrite":              {event.BeforeTool, exited(0, `{"input":{"a":1}}`, ""), answer{Input: jsontext.Value(`{"a":1}`)}, ""},
		"context":              {event.AfterTool, exited(0, `{"context":"lint"}`, ""), answer{Context: "lint"}, ""},
		"continue":             {event.AtTurnEnd, exited(0, `{"decision":"continue","context":"test"}`, ""), answer{Decision: "continue", Context: "test"}, ""},
		"exit 2":               {event.BeforeTool, exited(2, "{}", " no way\n"), answer{Decision: "deny", Reason: "no way"}, ""},
		"exit 2, silent":       {event.AfterTool, exited(2, "", ""), answer{Decision: "deny"}, ""},
		"exit 2 at the end":    {event.AtTurnEnd, exited(2, "", "run the tests"), answer{Decision: "continue", Context: "run the tests"}, ""},
		"exit 2, end, silent":  {event.AtTurnEnd, exited(2, "", " "), answer{}, "did not say"},
		"exit 2, bad text":     {event.AtPrompt, exited(2, "", "\xff"), answer{Decision: "deny", Reason: "\uFFFD"}, ""},
		"exit 126, a reason":   {event.BeforeTool, exited(126, "", "warming up\nsh: ./hook.sh: Permission denied\n"), answer{}, "exit code 126: sh: ./hook.sh: Permission denied"},
		"exit 1":               {event.BeforeTool, exited(1, `{"decision":"allow"}`, ""), answer{}, "exit code 1"},
		"signal":               {event.BeforeTool, said{exit: sandbox.Exit{Code: -1, Signal: "SIGSEGV"}}, answer{}, "SIGSEGV"},
		"killed":               {event.BeforeTool, said{exit: sandbox.Exit{Code: -1, Signal: "SIGKILL", Killed: errors.New("no lease")}}, answer{}, "it was killed: no lease"},
		"timeout":              {event.BeforeTool, said{timedOut: true, stdout: []byte(`{"decision":"allow"}`)}, answer{}, "longer than 3s"},
		"too much":             {event.BeforeTool, said{tooMuch: true, exit: sandbox.Exit{Interrupted: true}}, answer{}, "more than"},
		"interrupted":          {event.BeforeTool, said{exit: sandbox.Exit{Interrupted: true}}, answer{}, "interrupted"},
		"no JSON":              {event.BeforeTool, exited(0, "ok", ""), answer{}, "not a JSON object"},
		"list":                 {event.BeforeTool, exited(0, "[]", ""), answer{}, "not a JSON object"},
		"cut":                  {event.BeforeTool, exited(0, `{"decision":"deny"`, ""), answer{}, "no sense"},
		"wrong type, named":    {event.BeforeTool, exited(0, `{"hookSpecificOutput":{"permissionDecision":7}}`, ""), answer{}, "hookSpecificOutput.permissionDecision: expected a string, found a number"},
		"two objects":          {event.BeforeTool, exited(0, `{} {}`, ""), answer{}, "no sense"},
		"slip in a name":       {event.BeforeTool, exited(0, `{"decides":"deny"}`, ""), answer{}, "no sense"},
		"twice":                {event.BeforeTool, exited(0, `{"decision":"deny","decision":"allow"}`, ""), answer{}, "no sense"},
		"wrong type":           {event.BeforeTool, exited(0, `{"decision":true}`, ""), answer{}, "no sense"},
		"unknown decision":     {event.BeforeTool, exited(0, `{"decision":"refuse"}`, ""), answer{}, "no decision"},
		"continue, not at end": {event.BeforeTool, exited(0, `{"decision":"continue","context":"x"}`, ""), answer{}, "no decision"},
		"deny at the end":      {event.AtTurnEnd, exited(0, `{"decision":"deny"}`, ""), answer{}, "no decision"},
		"continue, with what":  {event.AtTurnEnd, exited(0, `{"decision":"continue"}`, ""), answer{}, "need each other"},
		"context, no receiver": {event.AtTurnEnd, exited(0, `{"context":"x"}`, ""), answer{}, "need each other"},
		"rewrite afterwards":   {event.AfterTool, exited(0, `{"input":{}}`, ""), answer{}, "no input"},
		"rewrite to a list":    {event.BeforeTool, exited(0, `{"input":[]}`, ""), answer{}, "not an object"},
		"rewrite to null":      {event.BeforeTool, exited(0, `{"input":null}`, ""), answer{}, "not an object"},
	} {
		got, err := ready{Hook: Hook{Limit: 3 * time.Second}}.read(c.moment, c.said)
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
			continue
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(answer{})); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

// TestLongReason: a reason is limited, and cut between characters.
func TestLongReason(t *testing.T) {
	got := plain([]byte(strings.Repeat("é", maxReason)))
	if len(got) > maxReason+len(" …") || strings.ContainsRune(got, '\uFFFD') {
		t.Errorf("%d bytes", len(got))
	}
}

// FuzzParse: an answer is a decision of the moment or an error, whatever it is.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"{}", `{"decision":"deny","reason":"x"}`, `{"input":{"a":[1]},"context":"é"}`, `{"decision":"continue","context":"x"}`, "[]", "{", "", `{"hookSpecificOutput":{"permissionDecision":"deny"}}`, `{"continue":false,"stopReason":"x"}`, `{"decision":"block"}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, m := range []event.HookMoment{event.BeforeTool, event.AfterTool, event.AtTurnEnd, event.AtPrompt, event.AtSessionStart, event.AtPermission, event.BeforeCompact} {
			a, err := parse(m, []byte(text))
			if err != nil {
				continue
			}
			if a.Decision != "" && a.Decision != event.HookAllowed && a.Decision != no(m) {
				t.Errorf("%s: decision %q of %q", m, a.Decision, text)
			}
			if a.Input != nil && (m != event.BeforeTool || !a.Input.IsValid()) {
				t.Errorf("%s: input %q of %q", m, a.Input, text)
			}
		}
	})
}
