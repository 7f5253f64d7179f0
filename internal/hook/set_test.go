package hook

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// TestReport: a hook reads one line of JSON, in the session's folder, with the environment it is given.
func TestReport(t *testing.T) {
	code := 3
	call := func(dir string) Report { return reportOf(event.AfterTool, dir) }
	for name, c := range map[string]struct {
		report func(dir string) Report
		want   string
	}{
		"call": {
			func(dir string) Report { return reportOf(event.BeforeTool, dir) },
			`{"event":"before_tool","session":"s1","turn":"t1","cwd":"DIR","call":"c1","tool":"shell","shown":"bash","input":{"command":"ls"},"own_input":{"command":"ls"},"hook_event_name":"PreToolUse","session_id":"s1","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c1"}`,
		},
		"result": {
			func(dir string) Report {
				r := call(dir)
				r.Result = &Result{Outcome: event.Failed, Output: "é", Changes: []event.FileChange{{Path: "a", Op: event.Created}}, ExitCode: &code, RanMS: 7}
				return r
			},
			`{"event":"after_tool","session":"s1","turn":"t1","cwd":"DIR","call":"c1","tool":"shell","shown":"bash","input":{"command":"ls"},"own_input":{"command":"ls"},` +
				`"outcome":"failed","output":"é","changes":[{"path":"a","op":"created","existed":false,"added":0,"removed":0}],"exit_code":3,"ran_ms":7,` +
				`"hook_event_name":"PostToolUseFailure","session_id":"s1","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c1",` +
				`"tool_response":{"stdout":"é","stderr":"","interrupted":false,"isImage":false,"exitCode":3},"error":"é"}`,
		},
		"end": {
			func(dir string) Report {
				r := reportOf(event.AtTurnEnd, dir)
				r.End = &End{Reason: event.TurnCompleted, Usage: model.Usage{Input: 5}, Steps: 2, Answer: "Done.", Continued: 1}
				return r
			},
			`{"event":"turn_end","session":"s1","turn":"t1","cwd":"DIR","reason":"completed","usage":USAGE,"cost":0,"steps":2,"continued":1,` +
				`"hook_event_name":"Stop","session_id":"s1","permission_mode":"default","stop_hook_active":true,"last_assistant_message":"Done."}`,
		},
		"prompt": {
			func(dir string) Report {
				r := reportOf(event.AtPrompt, dir)
				r.Prompt = "Hello"
				return r
			},
			`{"event":"prompt","session":"s1","turn":"t1","cwd":"DIR","prompt":"Hello","hook_event_name":"UserPromptSubmit","session_id":"s1","permission_mode":"default"}`,
		},
	} {
		report := c.report("x")
		s, dir := newSet(t, report.Moment, Hook{Command: `cat >report; pwd >where; env >environ`})
		s.Run(t.Context(), c.report(dir))
		read := func(file string) string {
			data, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
		sent := read("report")
		if i := strings.Index(sent, `"usage":{`); i >= 0 {
			rest := sent[i+len(`"usage":`):]
			sent = sent[:i] + `"usage":USAGE` + rest[strings.Index(rest, "}")+1:]
		}
		if want := strings.ReplaceAll(c.want, "DIR", dir) + "\n"; sent != want {
			t.Errorf("%s: sent %s, want %s", name, sent, want)
		}
		if read("where") != dir+"\n" || !strings.Contains(read("environ"), "GIVEN=yes\n") || strings.Contains(read("environ"), "HOME=") {
			t.Errorf("%s: ran in %s with %s", name, read("where"), read("environ"))
		}
	}
}

// TestChain: hooks are asked in order, each sees what those before it have left, and the
// first no is the last word.
func TestChain(t *testing.T) {
	rewrite := func(to string) Hook { return Hook{Name: to, Command: `echo '{"input":{"command":"` + to + `"}}'`} }
	note := Hook{Name: "note", Command: `echo note >>log; grep -o '"own_input":{[^}]*}' >>log`}
	deny := Hook{Name: "deny", Command: `echo 'not here' >&2; exit 2`}
	say := func(text string) Hook { return Hook{Name: "say " + text, Command: `echo '{"context":"` + text + `"}'`} }
	bad := Hook{Name: "bad", Command: `echo '{"input":{"x":1}}'`}
	lenient := Hook{Name: "lenient", Command: "exit 1", OnFailure: FailureAllows}
	for name, c := range map[string]struct {
		hooks []Hook
		want  Ruling
		log   string
	}{
		"none has anything to say": {[]Hook{note, {Command: "true"}}, Ruling{}, "note\n\"own_input\":{\"command\":\"ls\"}\n"},
		"two rewrites": {
			[]Hook{rewrite("a"), note, rewrite("b"), note},
			Ruling{Input: jsontext.Value(`{"command":"b"}`), Ran: []event.HookRan{
				{Moment: "before_tool", Hook: "a", Call: "c1", Decision: "allow", Rewrote: true},
				{Moment: "before_tool", Hook: "b", Call: "c1", Decision: "allow", Rewrote: true},
			}},
			"note\n\"own_input\":{\"command\":\"a\"}\nnote\n\"own_input\":{\"command\":\"b\"}\n",
		},
		"a denial ends it": {
			[]Hook{say("one"), deny, note, say("two")},
			Ruling{
				Denied: true, Reason: "[hook deny] A hook of the user denied this call: not here", Context: "[hook say one] one",
				Ran: []event.HookRan{
					{Moment: "before_tool", Hook: "say one", Call: "c1", Decision: "allow", Context: "one"},
					{Moment: "before_tool", Hook: "deny", Call: "c1", Decision: "deny", Reason: "not here"},
				},
			},
			"",
		},
		"a rewrite that does not fit": {
			[]Hook{bad, note},
			Ruling{
				Denied: true,
				Reason: "[hook bad] A hook of the user denied this call: it failed, and fails closed: it rewrote the input to one that the tool does not take: invalid argument",
				Failed: []string{`The hook "bad" of before_tool failed: it rewrote the input to one that the tool does not take: invalid argument.`},
				Ran: []event.HookRan{{
					Moment: "before_tool", Hook: "bad", Call: "c1", Decision: "deny",
					Reason: "it failed, and fails closed: it rewrote the input to one that the tool does not take: invalid argument",
				}},
			},
			"",
		},
		"a failure that allows": {
			[]Hook{lenient, note, say("x")},
			Ruling{
				Context: "[hook say x] x", Failed: []string{`The hook "lenient" of before_tool failed: it ended with exit code 1.`},
				Ran: []event.HookRan{{Moment: "before_tool", Hook: "say x", Call: "c1", Decision: "allow", Context: "x"}},
			},
			"note\n\"own_input\":{\"command\":\"ls\"}\n",
		},
		"another tool": {[]Hook{{Command: "exit 2", Match: "write"}, {Command: "exit 2", Match: "/sh/"}}, Ruling{}, ""},
		"shown name": {
			[]Hook{{Name: "x", Command: "exit 2", Match: "bash"}},
			Ruling{Denied: true, Reason: "[hook x] A hook of the user denied this call.", Ran: []event.HookRan{{Moment: "before_tool", Hook: "x", Call: "c1", Decision: "deny"}}},
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := newSet(t, event.BeforeTool, c.hooks...)
			got := s.Run(t.Context(), reportOf(event.BeforeTool, dir))
			if diff := cmp.Diff(c.want, got, cmpopts.IgnoreFields(event.HookRan{}, "Ran")); diff != "" {
				t.Error(diff)
			}
			if log, _ := os.ReadFile(filepath.Join(dir, "log")); string(log) != c.log {
				t.Errorf("the log is %q, not %q", log, c.log)
			}
		})
	}
}

// TestFailures: what fails does so closed before tools and open elsewhere, unless the hook says.
func TestFailures(t *testing.T) {
	for command, want := range map[string]string{
		"exit 7": "exit code 7", "echo []": "not a JSON object", "kill -KILL $$": "SIGKILL", "/nowhere/at/all": "exit code 127",
		"yes": "more than 1048576 bytes", "head -c 1048577 /dev/zero": "more than 1048576 bytes",
	} {
		for m, closed := range map[event.HookMoment]bool{event.BeforeTool: true, event.AfterTool: false, event.AtPrompt: false, event.AtTurnEnd: false} {
			if m == event.AtPrompt && command == "echo []" {
				continue // it is context
			}
			s, dir := newSet(t, m, Hook{Name: "h", Command: command})
			got := s.Run(t.Context(), reportOf(m, dir))
			if got.Denied != closed || len(got.Failed) != 1 || !strings.HasPrefix(got.Failed[0], `The hook "h" of `+string(m)+" failed: ") || !strings.Contains(got.Failed[0], want) {
				t.Errorf("%s at %s: %+v", command, m, got)
			}
		}
	}
	s, dir := newSet(t, event.AfterTool, Hook{Command: "exit 1", OnFailure: FailureDenies})
	if got := s.Run(t.Context(), reportOf(event.AfterTool, dir)); !got.Denied || !strings.Contains(got.Reason, "does not accept") {
		t.Errorf("on_failure deny: %+v", got)
	}
	s, dir = newSet(t, event.BeforeTool, Hook{Command: "true"})
	if got := s.Run(t.Context(), reportOf(event.BeforeTool, filepath.Join(dir, "gone"))); !got.Denied || !strings.Contains(got.Reason, "could not be run") {
		t.Errorf("no folder: %+v", got)
	}
}

// TestOutputAtTheLimit: what fills the limit is not too much.
func TestOutputAtTheLimit(t *testing.T) {
	s, dir := newSet(t, event.BeforeTool, Hook{Command: `printf '%1048576s' '{"context":"x"}'`})
	if got := s.Run(t.Context(), reportOf(event.BeforeTool, dir)); got.Denied || !strings.HasSuffix(got.Context, " x") {
		t.Errorf("%+v", got.Failed)
	}
}

// TestTimeout: a hook that does not end is ended, with everything that it started. On a busy machine
// its processes may not start within the limit: then it gets a longer one.
func TestTimeout(t *testing.T) {
	for limit := 500 * time.Millisecond; ; limit *= 2 {
		s, dir := newSet(t, event.BeforeTool, Hook{
			Name: "slow", Limit: limit,
			Command: `exec 9>held; echo self >&9; sh -c 'echo child >&9; exec sleep 1000' & setsid sh -c 'echo away >&9; exec sleep 1000' & wait`,
		})
		gone := hold(t, dir)
		got := s.Run(t.Context(), reportOf(event.BeforeTool, dir))
		if !got.Denied || !strings.Contains(got.Reason, "longer than "+limit.String()) {
			t.Errorf("%+v", got)
		}
		if n := gone(); n == 3 {
			return
		} else if limit > testLimit/4 {
			t.Fatalf("%d of 3 processes started within %v", n, limit)
		}
	}
}

// TestLeftBehind: a hook that ends leaves nothing running.
func TestLeftBehind(t *testing.T) {
	s, dir := newSet(t, event.AfterTool, Hook{Command: `exec 9>held; sh -c 'echo child >&9; touch up; exec sleep 1000' >/dev/null 2>&1 & while ! [ -e up ]; do :; done; echo '{"context":"x"}'`})
	gone := hold(t, dir)
	if got := s.Run(t.Context(), reportOf(event.AfterTool, dir)); got.Context == "" {
		t.Errorf("%+v", got)
	}
	if n := gone(); n != 1 {
		t.Errorf("%d processes had the pipe open, want 1", n)
	}
}

// TestInterrupt: when the turn is interrupted the hook ends, and nothing comes of it.
func TestInterrupt(t *testing.T) {
	s, dir := newSet(t, event.BeforeTool, Hook{Command: `exec 9>held; echo self >&9; echo up >started; exec sleep 1000`}, Hook{Command: "touch second"})
	gone, fifo := hold(t, dir), filepath.Join(dir, "started")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan Ruling)
	go func() { done <- s.Run(ctx, reportOf(event.BeforeTool, dir)) }()
	if _, err := os.ReadFile(fifo); err != nil {
		t.Fatal(err)
	}
	cancel()
	if got := <-done; !cmp.Equal(got, Ruling{}) {
		t.Errorf("%+v", got)
	}
	if n := gone(); n != 1 {
		t.Errorf("%d processes had the pipe open, want 1", n)
	}
	if _, err := os.Stat(filepath.Join(dir, "second")); err == nil {
		t.Error("a hook ran after the interrupt")
	}
}

// TestUnreadInput: a hook need not read its report, however long that is.
func TestUnreadInput(t *testing.T) {
	s, dir := newSet(t, event.AfterTool, Hook{Command: `echo '{"context":"deaf"}'`})
	r := reportOf(event.AfterTool, dir)
	r.Result = &Result{Output: strings.Repeat("x", 4<<20)}
	if got := s.Run(t.Context(), r); got.Context != "[hook echo] deaf" {
		t.Errorf("%+v", got)
	}
}

// TestLog: what a hook writes on stderr is in the log, at debug, and nowhere else.
func TestLog(t *testing.T) {
	for level, want := range map[slog.Level]bool{slog.LevelDebug: true, slog.LevelInfo: false} {
		var log bytes.Buffer
		s, dir := newSet(t, event.AfterTool, Hook{Command: "echo a word >&2"})
		s.options.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: level}))
		got := s.Run(t.Context(), reportOf(event.AfterTool, dir))
		if strings.Contains(log.String(), "a word") != want || !cmp.Equal(got, Ruling{}) {
			t.Errorf("%v: %q, %+v", level, log.String(), got)
		}
	}
}

// BenchmarkAsk is what a hook costs that does nothing.
func BenchmarkAsk(b *testing.B) {
	s, dir := newSet(b, event.BeforeTool, Hook{Command: ":"})
	for b.Loop() {
		s.Run(b.Context(), reportOf(event.BeforeTool, dir))
	}
}
