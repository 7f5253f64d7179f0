package console

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
)

// TestViewOfPaths: files of the workspace are shown by their names in it, commands as they are.
func TestViewOfPaths(t *testing.T) {
	var out, err bytes.Buffer
	v := NewView(NewScreen(&out, &err, false))
	v.Workspace = "/w"
	v.Call("read", jsontext.Value(`{"path":"/w/src/a.go"}`))
	v.Call("read", jsontext.Value(`{"path":"/wide/a.go"}`))
	v.Call("write", jsontext.Value(`{"path":"/w/a.go","content":"/w/b"}`))
	v.Call("shell", jsontext.Value(`{"command":"/w/test.sh"}`))
	if want := "[read] src/a.go\n[read] /wide/a.go\n[write] path: a.go content: /w/b\n[shell] /w/test.sh\n"; err.String() != want {
		t.Errorf("%q, want %q", err.String(), want)
	}
}

// TestView shows records where nothing is a terminal.
func TestView(t *testing.T) {
	start := event.ToolIntended{Call: "a", Name: "shell", Input: jsontext.Value(`{"command":"make"}`)}
	for name, test := range map[string]struct {
		events   []event.Event
		out, err string
	}{
		"answer":             {[]event.Event{event.TextDelta{Text: "Hel"}, event.TextDelta{Text: "lo\x1b"}, event.AssistantMessage{}}, "Hello\x1b\n", ""},
		"answer with a line": {[]event.Event{event.TextDelta{Text: "Hello\n"}, event.AssistantMessage{}}, "Hello\n", ""},
		"command": {
			[]event.Event{
				start,
				event.ToolOutput{Call: "a", Text: "one\ntw"},
				event.ToolOutput{Call: "a", Text: "o\r\n10 %\r20 %\r30 %\nrest"},
				event.ToolEnded{Call: "a", Outcome: event.Failed, Output: "one two", Shell: &event.ShellRun{ExitCode: 2, Note: "[exit code 2]"}},
			},
			"", "[shell] make\n  one\n  two\n  30 %\n  rest\n[failed] exit code 2\n",
		},
		"command without output": {
			[]event.Event{start, event.ToolEnded{Call: "a", Outcome: event.Failed, Output: "not\n run", Shell: &event.ShellRun{ExitCode: 2}}},
			"", "[shell] make\n[failed] not run\n",
		},
		"change": {
			[]event.Event{
				event.ToolIntended{Call: "a", Name: "write\x1b[8m", Input: jsontext.Value(`{"path":"x","content":"y"}`)},
				event.ToolEnded{Call: "a", Outcome: event.Succeeded, Changes: []event.FileChange{{Op: event.Created, Path: "x\u202e", Added: 1}}},
			},
			"", "[write␛[8m] path: x content: y\n[created] x⟨U+202E⟩ (+1 -0)\n",
		},
		"plan": {
			[]event.Event{
				event.ToolIntended{Call: "a", Name: "plan", Input: jsontext.Value(`{"plan":[{"text":"Find it","status":"completed"}]}`)},
				event.PlanUpdated{Items: []event.PlanItem{{Text: "Find it", Status: event.Completed}, {Text: "Fix it", Status: event.InProgress}, {Text: "Test"}}},
				event.ToolEnded{Call: "a", Outcome: event.Succeeded},
			},
			"", "[plan] 1 of 3 done\n  [x] Find it\n  [>] Fix it\n  [ ] Test\n",
		},
		"retry": {
			[]event.Event{event.RetryStarted{Attempt: 1, Max: 3, Delay: event.Duration(30 * time.Second), Failure: event.Failure{Message: "rate limited"}}},
			"", "[warning] rate limited; next try in 30s (1 of 3)\n",
		},
		"notice": {[]event.Event{event.Notice{Level: event.Info, Text: "x\x07"}}, "", "[info] x␇\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, err bytes.Buffer
			v := NewView(NewScreen(&out, &err, true))
			for _, e := range test.events {
				if err := v.Show(e); err != nil {
					t.Fatal(err)
				}
			}
			if out.String() != test.out || err.String() != test.err {
				t.Errorf("answer %q, notes %q", out.String(), err.String())
			}
			if len(v.calls) > 0 {
				t.Errorf("calls are kept: %v", v.calls)
			}
		})
	}
}

// TestSignsOfLife waits for a model: a line is written after some time, and then each minute, until
// there is output.
func TestSignsOfLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out, err bytes.Buffer
		s := NewScreen(&out, &err, true)
		v := NewQuietView(s)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			s.Run(ctx)
		}()
		step := func(d time.Duration, want string) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			s.mu.Lock()
			defer s.mu.Unlock()
			if err.String() != want {
				t.Errorf("%q, want %q", err.String(), want)
			}
			err.Reset()
		}
		_ = v.Show(event.StatusChanged{Status: event.Thinking})
		step(9500*time.Millisecond, "")
		step(time.Second, "[waiting] waiting for the model · 10s\n")
		step(59*time.Second, "")
		step(2*time.Second, "[waiting] waiting for the model · 1m10s\n")
		_ = s.Answer("text")
		step(9*time.Second, "")
		step(2*time.Second, "[waiting] waiting for the model · 1m22s\n")
		_ = v.Show(event.StatusChanged{Status: event.Idle})
		step(time.Hour, "")
		cancel()
		<-ended
	})
}
