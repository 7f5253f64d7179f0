package engine

import (
	"context"
	"os"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/hook"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// An agent is opened with everything that the session has for it, and with nothing of our own prompt about tools.
func TestBackendOpening(t *testing.T) {
	b := newBench(t, nil)
	fake := newFakeBackend()
	b.agents = fakeBackends{"fake": fake}
	b.servers = func(own []Server, _ string) []Server {
		return append(own,
			tool.Server{Name: "configured", URL: "https://example.com/mcp", Headers: map[string]string{"Authorization": "Bearer secret"}},
			tool.Server{Name: "broken", Command: "mcp", Problem: "no such variable"},
			tool.Server{Name: "restricted", Command: "mcp", Tools: []string{"read*"}})
	}
	root := t.TempDir()
	s := b.session(t, func(o *Options, settings *event.Settings) {
		delegated(o, settings)
		o.Roots, o.Instructions, o.Variables = []string{root}, "You work for the dialect.", map[string]string{"PARLEY_TASK": "t1"}
		settings.Model, settings.Thinking, settings.Instructions, settings.SystemPrompt = "fake/big", model.High, "Be short.", "You are a pirate."
		settings.Options = map[string]jsontext.Value{"backend.mode": jsontext.Value(`["plan"]`), "backend.tone": jsontext.Value(`"dry"`), "colour": jsontext.Value(`"red"`)}
	})
	s.Servers().Use([]Server{{Name: "own", Command: "mcp", Args: []string{"-v"}, Env: map[string]string{"KEY": "secret"}}})
	ended(t, turnOf(t, s, "Go.", nil))
	got := fake.lastOpening()
	got.Confine = backend.Opening{}.Confine
	resolved, err := realFolder(root)
	if err != nil {
		t.Fatal(err)
	}
	want := backend.Opening{
		Dir: s.State().Dir(), Roots: []string{resolved}, Instructions: "You work for the dialect.\n\nYou are a pirate.\n\nBe short.",
		Variables: map[string]string{"PARLEY_TASK": "t1"},
		Settings: backend.Settings{
			Model: "big", Thinking: model.High, Options: map[string]string{"mode": "plan", "tone": "dry"}, Sandbox: approval.Sandbox{Kind: approval.SandboxNone},
		},
		Servers: []backend.Server{
			{Name: "own", Command: "mcp", Args: []string{"-v"}, Env: map[string]string{"KEY": "secret"}},
			{Name: "configured", URL: "https://example.com/mcp", Headers: map[string]string{"Authorization": "Bearer secret"}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What changes between two turns goes to the agent that runs, or to one that is started anew and resumes the session.
func TestBackendChange(t *testing.T) {
	model := func(s *Session) error {
		return s.Change(func(c *event.Settings) { c.Model = "fake/other" })
	}
	for _, test := range []struct {
		name   string
		change func(to backend.Settings) error
		edit   func(s *Session) error
		want   []string
		end    string
	}{
		{"nothing", nil, func(*Session) error { return nil }, []string{"prompt their-1 Again."}, "end: completed"},
		{"the model", func(backend.Settings) error { return nil }, model, []string{"change their-1 model=other options=map[]", "prompt their-1 Again."}, "end: completed"},
		{"an option", func(backend.Settings) error { return nil }, func(s *Session) error {
			return s.Change(func(c *event.Settings) {
				c.Options = map[string]jsontext.Value{"backend.mode": jsontext.Value(`["plan"]`)}
			})
		}, []string{"change their-1 model= options=map[mode:plan]", "prompt their-1 Again."}, "end: completed"},
		{
			"the model of an agent that cannot change it", nil, model,
			[]string{"change their-1 model=other options=map[]", "close their-1", "resume their-1", "prompt their-1 Again."},
			"end: completed",
		},
		{"a model that it refuses", func(backend.Settings) error {
			return &backend.Error{Backend: "fake", Code: backend.CodeRefused, Message: "no such model"}
		}, model, []string{"change their-1 model=other options=map[]"}, "end: failed backend refused"},
		{"the instructions", nil, func(s *Session) error {
			return s.Change(func(c *event.Settings) { c.Instructions = "Be short." })
		}, []string{"close their-1", "resume their-1", "prompt their-1 Again."}, "end: completed"},
		{"the folder", nil, func(s *Session) error {
			dir, err := os.MkdirTemp(s.State().Workspace, "sub")
			if err != nil {
				return err
			}
			return s.Change(func(c *event.Settings) { c.Dir = dir })
		}, []string{"close their-1", "resume their-1", "prompt their-1 Again."}, "end: completed"},
		{"the servers", nil, func(s *Session) error {
			s.Servers().Use([]Server{{Name: "own", Command: "mcp"}})
			return nil
		}, []string{"close their-1", "resume their-1", "prompt their-1 Again."}, "end: completed"},
		{"the roots", nil, func(s *Session) error {
			return s.host.SetRoots(s, []string{os.TempDir()})
		}, []string{"close their-1", "resume their-1", "prompt their-1 Again."}, "end: completed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, nil)
			fake := newFakeBackend()
			fake.change = test.change
			b.agents = fakeBackends{"fake": fake}
			s := b.session(t, delegated)
			ended(t, turnOf(t, s, "Go.", nil))
			fake.takeLog()
			if err := test.edit(s); err != nil {
				t.Fatal(err)
			}
			lines := linesOf(turnOf(t, s, "Again.", nil))
			if got := lines[len(lines)-1]; got != test.end {
				t.Errorf("got %q, want %q", got, test.end)
			}
			if diff := cmp.Diff(test.want, fake.takeLog()); diff != "" {
				t.Errorf("agent (-want +got):\n%s", diff)
			}
		})
	}
}

// A change that was refused, and taken back, is sent all the same: the agent may have made a part of it.
func TestBackendChangeBack(t *testing.T) {
	b := newBench(t, nil)
	fake := newFakeBackend()
	fake.change = func(to backend.Settings) error {
		if to.Model != "" {
			return &backend.Error{Backend: "fake", Code: backend.CodeRefused, Message: "no such model"}
		}
		return nil
	}
	b.agents = fakeBackends{"fake": fake}
	s := b.session(t, delegated)
	for _, name := range []string{"fake/default", "fake/other", "fake/default"} {
		if err := s.Change(func(c *event.Settings) { c.Model = name }); err != nil {
			t.Fatal(err)
		}
		turnOf(t, s, "Go.", nil)
	}
	want := []string{"new their-1", "prompt their-1 Go.", "change their-1 model=other options=map[]", "change their-1 model= options=map[]", "prompt their-1 Go."}
	if diff := cmp.Diff(want, fake.takeLog()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A session goes from one agent to another, to our own loop, and back: each knows all that was said.
func TestBackendSwitch(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, say("I have seen it."), say("Once more."))
	one, two := newFakeBackend(playTurn(
		backend.Call{ID: "their call 1", Name: "Reading `a file`", Input: jsontext.Value(`null`)},
		backend.CallEnd{Call: "their call 1", Outcome: event.Succeeded, Text: "42"},
		backend.Call{ID: "c2", Name: "look"},
		backend.Text{Message: "2", Text: "It is 42."},
		backend.End{Reason: event.TurnCompleted},
	)), newFakeBackend()
	b.agents = fakeBackends{"fake": one, "other": two}
	s := b.session(t, delegated)
	use := func(name string) {
		t.Helper()
		if err := s.Change(func(c *event.Settings) { c.Backend = name }); err != nil {
			t.Fatal(err)
		}
		if end := ended(t, turnOf(t, s, "Go, "+name+".", nil)); end.Reason != event.TurnCompleted {
			t.Errorf("%q: %+v", name, end)
		}
	}
	ended(t, turnOf(t, s, "Go.", nil))
	for _, name := range []string{"other", "", "other", "fake", ""} {
		use(name)
	}
	if diff := cmp.Diff([]string{"new their-1", "prompt their-1 Go.", "close their-1", "new their-2", "prompt their-2 [earlier] Go, fake.", "close their-2"}, one.takeLog()); diff != "" {
		t.Errorf("the first (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"new their-1", "prompt their-1 [earlier] Go, other.", "close their-1", "new their-2", "prompt their-2 [earlier] Go, other.", "close their-2"}, two.takeLog()); diff != "" {
		t.Errorf("the second (-want +got):\n%s", diff)
	}
	requests := b.requests() // each call in them has one result: the script checks that
	if len(requests) != 2 {
		t.Fatalf("%d requests", len(requests))
	}
	history := requests[0].Messages
	var calls, results []string
	for _, m := range history {
		for _, c := range m.Calls() {
			calls = append(calls, c.ID+" "+c.Name)
		}
		for _, b := range m.Blocks {
			if b.Result != nil {
				results = append(results, b.Result.CallID)
			}
		}
	}
	if diff := cmp.Diff([]string{"their call 1 Reading `a file`", "c2 look"}, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"their call 1", "c2"}, results); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// A change of the back end while a turn runs counts from the next turn on: the agent goes on with what waits.
func TestBackendSwitchInTurn(t *testing.T) {
	b := newBench(t, nil, say("Mine."))
	fake := newFakeBackend()
	b.agents = fakeBackends{"fake": fake}
	s := b.session(t, delegated)
	fake.turns = []fakeTurn{func(_ context.Context, send func(backend.Update) bool) error {
		if err := s.Change(func(c *event.Settings) { c.Backend = "" }); err != nil {
			t.Error(err)
		}
		if err := s.Steer(t.Context(), Prompt{Text: "left"}); err != nil {
			t.Error(err)
		}
		return answerTurn("Done.")(nil, send)
	}, answerTurn("Left.")}
	ended(t, turnOf(t, s, "Go.", nil))
	if diff := cmp.Diff([]string{"new their-1", "prompt their-1 Go.", "prompt their-1 left"}, fake.takeLog()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	ended(t, turnOf(t, s, "Go on.", nil))
	if n := len(b.requests()[0].Messages); n != 5 {
		t.Errorf("%d messages, want 5", n)
	}
	if diff := cmp.Diff([]string{"close their-1"}, fake.takeLog()); diff != "" {
		t.Errorf("the agent (-want +got):\n%s", diff)
	}
}

// What belongs to a prompt reaches the agent: its notes, what is for its turn only, and pictures that a journal has.
func TestBackendPrompt(t *testing.T) {
	b := newBench(t, nil)
	fake := newFakeBackend()
	fake.info.Images = true
	b.agents = fakeBackends{"fake": fake}
	s := b.session(t, delegated)
	records := follow(t, s)
	_, err := s.Prompt(t.Context(), Prompt{
		Text: "Look.", Images: []model.Image{{MIME: "image/png", Data: []byte("pixels")}},
		Notes: []event.Note{{Blocks: []model.Block{model.TextBlock("A note.")}}}, Tuning: Tuning{Instructions: "Be quick."},
	})
	if err != nil {
		t.Fatal(err)
	}
	ended(t, untilEnd(t, records, nil))
	want := []string{"new their-1", "prompt their-1 <instructions>\nBe quick.\n</instructions> Look. [image pixels] A note."}
	if diff := cmp.Diff(want, fake.takeLog()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An agent that dies before it has answered the prompt with the conversation may not have it: the next one gets it again.
func TestBackendRetoldAgain(t *testing.T) {
	b := newBench(t, nil, say("Mine."))
	fake := newFakeBackend(dieTurn())
	b.agents = fakeBackends{"fake": fake}
	s := b.session(t, nil)
	ended(t, turnOf(t, s, "Go.", nil))
	if err := s.Change(func(c *event.Settings) { c.Backend = "fake" }); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"One.", "Two.", "Three."} {
		turnOf(t, s, text, nil)
	}
	want := []string{"new their-1", "prompt their-1 [earlier] One.", "close their-1", "new their-2", "prompt their-2 [earlier] Two.", "prompt their-2 Three."}
	if diff := cmp.Diff(want, fake.takeLog()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A hook that makes the turn go on gives the agent a prompt of its own: the first one is not sent again.
func TestBackendEndHook(t *testing.T) {
	again := true
	b := hooked(t, fakeHooks{event.AtTurnEnd: func(context.Context, hook.Report) hook.Ruling {
		r := hook.Ruling{Denied: again, Context: "Test it.", Ran: []event.HookRan{{Hook: "test"}}}
		again = false
		return r
	}}, nil)
	fake := newFakeBackend()
	b.agents = fakeBackends{"fake": fake}
	s := b.session(t, delegated)
	ended(t, turnOf(t, s, "Go.", nil))
	if diff := cmp.Diff([]string{"new their-1", "prompt their-1 Go.", "prompt their-1 Test it."}, fake.takeLog()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
