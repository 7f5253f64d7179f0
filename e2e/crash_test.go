package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
)

// A crash is a phase of a turn to be killed in.
type crash struct {
	name   string
	script []modeltest.Reply
	// reach goes on to the phase.
	reach func(s *client.ScaiFlux, b *backend, h *stage.Held)
	// results is the results of the calls in the resumed conversation, by ID; "" needs no call.
	results map[string]string
}

var crashes = []crash{{
	name:   "streaming",
	script: []modeltest.Reply{modeltest.Stream(modeltest.Text("Half an ans"), modeltest.Wait(nil))},
	reach:  func(s *client.ScaiFlux, _ *backend, _ *stage.Held) { s.Until("text_delta") },
}, {
	name:    "approval pending",
	script:  []modeltest.Reply{modeltest.Stream(modeltest.Call("a", "bash", `{"command":"echo hi"}`), modeltest.Call("b", "bash", `{"command":"echo ho"}`))},
	reach:   func(s *client.ScaiFlux, _ *backend, _ *stage.Held) { s.Until("permission_request") },
	results: map[string]string{"a": "not run", "b": "not run"},
}, {
	name: "tool running",
	script: []modeltest.Reply{
		modeltest.Stream(modeltest.Call("a", "bash", `{"command":"`+stage.Family+`"}`), modeltest.Call("b", "bash", `{"command":"echo ho"}`)),
	},
	reach: func(s *client.ScaiFlux, _ *backend, h *stage.Held) {
		s.Answer(s.Until("permission_request").Last(), "allow")
		h.Started()
	},
	results: map[string]string{"a": "outcome unknown", "b": "not run"},
}, {
	name: "between steps",
	script: []modeltest.Reply{
		modeltest.Stream(modeltest.Call("a", "bash", `{"command":"echo done"}`), modeltest.Usage(model.Usage{Input: 10, Output: 1})),
		modeltest.Stream(modeltest.Wait(nil)),
	},
	reach: func(s *client.ScaiFlux, b *backend, _ *stage.Held) {
		s.Answer(s.Until("permission_request").Last(), "allow")
		s.Until("tool_result")
		stage.Await(s.T, b.arrived, "the request after the tool call")
	},
	results: map[string]string{"a": "done\n"},
}}

// TestKill: after kill -9 in any phase of a turn nothing that it started is left, and a
// fresh process goes on with everything that was acknowledged.
func TestKill(t *testing.T) {
	t.Parallel()
	for _, c := range crashes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := newBackend(t, modeltest.OpenAIChat, append([]modeltest.Reply{modeltest.Stream(modeltest.Text("Seven, noted."))}, c.script...)...)
			p := before.place(t)
			h := stage.Holding(t, p.Work)
			s := p.serve(t)
			s.Prompt("Remember the number 7.")
			s.WantCompleted()
			stage.Await(t, before.arrived, "the first request")
			s.Prompt("Now work.")
			stage.Await(t, before.arrived, "the second request")
			c.reach(s, before, h)
			s.Kill()
			if c.name == "tool running" {
				h.WantGone()
			}
			checkResumed(t, p, s.Ready.SessionID, c)
		})
	}
}

// checkResumed goes on with the session, "" for any, and checks what the model is sent.
func checkResumed(t *testing.T, p *place, session string, c crash) {
	t.Helper()
	after := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("Still 7.")))
	after.use(p)
	s := p.serve(t, "--resume", "latest")
	if session != "" && s.Ready.SessionID != session {
		t.Fatalf("resumed %s, not %s", s.Ready.SessionID, session)
	}
	s.Prompt("Which number was it?")
	if got := s.WantCompleted().Text(); got != "Still 7." {
		t.Errorf("the answer is %q", got)
	}
	if code := s.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	conversation := after.chatMessages(t, 0)
	stage.CheckPaired(t, conversation)
	stage.CheckSaid(t, conversation, "Remember the number 7.", "Seven, noted.", "Now work.", "Which number was it?")
	for call, want := range c.results {
		i := slices.IndexFunc(conversation, func(m stage.Message) bool { return m.Result == call })
		if i < 0 || !strings.Contains(conversation[i].Text, want) {
			t.Errorf("call %s: want %q in %+v", call, want, conversation)
		}
	}
}

// TestKillTwice: a session that was killed, resumed and killed again is resumed again.
func TestKillTwice(t *testing.T) {
	t.Parallel()
	b := newBackend(t, modeltest.OpenAIChat,
		modeltest.Stream(modeltest.Call("a", "bash", `{"command":"echo 1"}`)), modeltest.Stream(modeltest.Call("a", "bash", `{"command":"echo 2"}`)),
		modeltest.Stream(modeltest.Text("Here.")))
	p := b.place(t)
	s := p.serve(t)
	for range 2 {
		s.Prompt("go")
		s.Until("permission_request")
		s.Kill()
		s = p.serve(t, "--resume", s.Ready.SessionID)
	}
	s.Prompt("and now?")
	s.WantCompleted()
	stage.CheckPaired(t, b.chatMessages(t, 2))
}

// journalOf returns the journal of a session that was left a moment ago.
func journalOf(t *testing.T, s *client.ScaiFlux) string {
	t.Helper()
	var list struct {
		Path string `json:"path"`
	}
	s.Slash("session", "").Decode(t, &list)
	s.Exit()
	return filepath.Join(list.Path, "journal.jsonl")
}

// TestTornJournal: what a crash of the machine leaves of the last line is cut off.
func TestTornJournal(t *testing.T) {
	t.Parallel()
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("a")), modeltest.Stream(modeltest.Text("b")))
	p := b.place(t)
	s := p.serve(t)
	s.Prompt("one")
	s.WantCompleted()
	path := journalOf(t, s)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(data, `{"seq":99,"time":"2026-`...), 0o600); err != nil {
		t.Fatal(err)
	}
	s = p.serve(t, "--resume", "latest")
	s.Prompt("two")
	s.WantCompleted()
	stage.CheckSaid(t, b.chatMessages(t, 1), "one", "a", "two")
}

// TestDamagedJournal: a journal that is not what was written is not gone on with.
func TestDamagedJournal(t *testing.T) {
	t.Parallel()
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("a")))
	p := b.place(t)
	s := p.serve(t)
	s.Prompt("Pay 100.")
	s.WantCompleted()
	path := journalOf(t, s)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(data), "Pay 100.", "Pay 900.", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	resumed := client.NewScaiFlux(client.Start(t, p.Command(t, "scaiflux", "serve", "--resume", s.Ready.SessionID)))
	if e := resumed.Want("error"); e.Code != "bootstrap_failed" || !strings.Contains(e.Message, s.Ready.SessionID) {
		t.Errorf("%s", e.Raw)
	}
	if code := resumed.End(); code != 1 {
		t.Errorf("exit code %d", code)
	}
}
