package engine

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// A continuer continues a session as its functions return.
type continuer struct {
	after func(Progress) StepRuling
	next  func(Progress) *Continuation
}

func (c continuer) AfterStep(p Progress) StepRuling {
	if c.after == nil {
		return StepRuling{}
	}
	return c.after(p)
}

func (c continuer) NextTurn(p Progress) *Continuation { return c.next(p) }

// goesOn returns a continuer that begins turns with these texts, one after the other.
func goesOn(texts ...string) continuer {
	return continuer{next: func(Progress) (next *Continuation) {
		if len(texts) > 0 {
			next = &Continuation{Text: texts[0]}
			texts = texts[1:]
		}
		return next
	}}
}

func (b *bench) continued(t *testing.T, c continuer, edit func(*Options)) *Session {
	t.Helper()
	return b.session(t, func(o *Options, _ *event.Settings) {
		o.Plugins = []Plugin{c}
		if edit != nil {
			edit(o)
		}
	})
}

// turns returns the records of the next n turns.
func turns(t testing.TB, records iter.Seq2[event.Record, error], n int) (all []event.Record) {
	t.Helper()
	for rec, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rec)
		if _, ok := rec.Event.(event.TurnEnded); ok {
			if n--; n == 0 {
				checkBalanced(t, all)
				return all
			}
		}
	}
	t.Fatal("a turn is missing")
	return nil
}

// vias returns the text and the origin of each user message.
func vias(records []event.Record) (all []string) {
	for _, m := range find[event.UserMessage](records) {
		all = append(all, string(m.Via)+" "+model.Message{Blocks: m.Blocks}.Text())
	}
	return all
}

func TestContinuation(t *testing.T) {
	named := func(s *event.Settings) { s.Name = "continued" }
	t.Run("after turns", func(t *testing.T) {
		b := newBench(t, nil, say("one"), say("two"), say("three"))
		var seen []Progress
		c := goesOn("go on", "and on")
		c.after = func(p Progress) StepRuling { seen = append(seen, p); return StepRuling{} }
		s := b.continued(t, c, nil)
		records := follow(t, s)
		if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
			t.Fatal(err)
		}
		equal(t, "messages", vias(turns(t, records, 3)), []string{"prompt go", "engine go on", "engine and on"})
		if err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(seen) != 6 || !seen[0].Prompted || seen[2].Prompted || seen[1].Reason != event.TurnCompleted || seen[0].Reason != "" || seen[4].Steps != 1 {
			t.Errorf("steps and ends %+v", seen)
		}
		if got := seen[5].Usage; got.Input != 30 || got.Output != 6 {
			t.Errorf("usage %+v", got)
		}
	})
	t.Run("begun by a client, with a change", func(t *testing.T) {
		b := newBench(t, nil, say("one"))
		begun := false
		s := b.continued(t, continuer{next: func(Progress) *Continuation {
			if begun {
				return nil
			}
			begun = true
			return &Continuation{Turn: "t-1", Text: "begin", Change: named}
		}}, nil)
		records := follow(t, s)
		if err := s.one().Continue(); err != nil {
			t.Fatal(err)
		}
		all := turns(t, records, 1)
		equal(t, "messages", vias(all), []string{"engine begin"})
		if st := s.State(); st.Settings.Name != "continued" || all[len(all)-1].Turn != "t-1" {
			t.Errorf("settings %+v, turn %s", st.Settings, all[len(all)-1].Turn)
		}
		if err := s.one().Continue(); err != nil || s.State().Busy {
			t.Errorf("with nothing to do: %v", err)
		}
	})
	t.Run("not after an interrupt or a failure", func(t *testing.T) {
		hanging := make(chan struct{})
		b := newBench(t, nil, hang("", hanging), fail(errors.New("no")), say("again"))
		b.answers[1] = fail(&model.Error{Kind: model.Rejected, Message: "no"})
		s := b.continued(t, goesOn("go on"), nil)
		records := follow(t, s)
		if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
			t.Fatal(err)
		}
		<-hanging
		s.Interrupt()
		turns(t, records, 1)
		if turn := turnOf(t, s, "fail", nil); ended(t, turn).Reason != event.TurnFailed {
			t.Error("the turn did not fail")
		}
		if st := s.State(); st.Busy || st.Turns != 2 {
			t.Fatalf("busy %v, %d turns", st.Busy, st.Turns)
		}
		records = follow(t, s)
		if err := s.one().Continue(); err != nil {
			t.Fatal(err)
		}
		equal(t, "messages", vias(turns(t, records, 1)), []string{"engine go on"})
	})
	t.Run("after a follow-up", func(t *testing.T) {
		var s *Session
		b := newBench(t, nil, func(ctx context.Context, req *model.Request, yield func(model.Delta, error) bool) {
			if err := s.FollowUp(t.Context(), Prompt{Text: "then"}); err != nil {
				t.Error(err)
			}
			say("one")(ctx, req, yield)
		}, say("two"), say("three"))
		s = b.continued(t, goesOn("go on"), func(o *Options) { o.FollowUps = FollowUpInNewTurn })
		records := follow(t, s)
		if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
			t.Fatal(err)
		}
		equal(t, "messages", vias(turns(t, records, 3)), []string{"prompt go", "follow_up then", "engine go on"})
	})
	t.Run("not in a host that waits for the end", func(t *testing.T) {
		var s *Session
		b := newBench(t, nil, func(ctx context.Context, req *model.Request, yield func(model.Delta, error) bool) {
			s.host.finishing.Store(true)
			say("one")(ctx, req, yield)
		})
		s = b.continued(t, goesOn("go on"), nil)
		turnOf(t, s, "go", nil)
		if err := s.Wait(t.Context()); err != nil || s.State().Turns != 1 {
			t.Errorf("%v, %d turns", err, s.State().Turns)
		}
	})
	t.Run("a panic", func(t *testing.T) {
		b := newBench(t, nil, say("one"))
		s := b.continued(t, continuer{
			after: func(Progress) StepRuling { panic("step") },
			next:  func(Progress) *Continuation { panic("turn") },
		}, nil)
		if end := ended(t, turnOf(t, s, "go", nil)); end.Reason != event.TurnCompleted || s.State().Busy {
			t.Errorf("ended as %s", end.Reason)
		}
	})
}

// A lateModels calls late when the model of a turn is looked up after its last answer.
type lateModels struct {
	Models
	late func()
}

func (m lateModels) Resolve(name string) (Model, error) {
	m.late()
	return m.Models.Resolve(name)
}

// TestLateSteer: a prompt that came to a turn when that had looked for prompts for the last time begins the next turn, before a
// continuation.
func TestLateSteer(t *testing.T) {
	answered := false
	b := newBench(t, nil, func(ctx context.Context, req *model.Request, yield func(model.Delta, error) bool) {
		say("one")(ctx, req, yield)
		answered = true
	}, say("two"), say("three"))
	s := b.continued(t, goesOn("go on"), func(o *Options) { o.SecondPrompt, o.Steers = SteerSecond, SteerRunningTurn })
	var as [2]Accepted
	s.host.cfg.Models = lateModels{b.script, func() {
		if !answered {
			return
		}
		answered = false
		for i := range as {
			var err error
			if as[i], err = s.one().Submit(t.Context(), Prompt{Text: "late"}); err != nil {
				t.Error(err)
			}
		}
	}}
	records := follow(t, s)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	all := turns(t, records, 3)
	equal(t, "messages", vias(all), []string{"prompt go", "steer late", "steer late", "engine go on"})
	if first := all[0].Turn; as[0].Turn != first || as[1].Via != event.BySteer || len(s.State().Steering) != 0 {
		t.Errorf("accepted %+v for turn %s", as, first)
	}
}

// TestStepRuling: a plugin ends a turn after its step, with the results of all calls, and changes the settings; a prompt that
// waits for the turn goes on with it.
func TestStepRuling(t *testing.T) {
	for _, steered := range []bool{false, true} {
		var s *Session
		work := workTool(func(context.Context, tool.Hooks, string) tool.Result {
			if steered {
				steer(t, s)
			}
			return tool.Result{Text: "done"}
		})
		b := newBench(t, []fakeTool{work}, call(toolCall("c", "work", `{}`), toolCall("d", "nothing", `{}`)), say("ok"))
		c := goesOn("go on")
		var calls []string
		prompted := false
		c.after = func(p Progress) StepRuling {
			for _, call := range p.Calls {
				calls = append(calls, call.ID)
			}
			prompted = p.Prompted
			return StepRuling{Stop: p.Reason == "", Change: func(s *event.Settings) { s.Name = strings.Repeat("x", p.Steps) }}
		}
		s = b.continued(t, c, nil)
		records := follow(t, s)
		if err := s.one().Continue(); err != nil {
			t.Fatal(err)
		}
		turn := turns(t, records, 1)
		end, asked := ended(t, turn), 1
		if steered {
			asked = 2
		}
		if end.Reason != event.TurnCompleted || len(find[event.ToolEnded](turn)) != 2 || len(b.requests()) != asked || prompted != steered {
			t.Errorf("steered %v: ended as %s after %d requests, prompted %v", steered, end.Reason, len(b.requests()), prompted)
		}
		equal(t, "calls", calls, []string{"c"})
		if got := len(find[event.SessionChanged](turn)); got != asked || s.State().Settings.Name != strings.Repeat("x", asked) {
			t.Errorf("%d changes, name %q", got, s.State().Settings.Name)
		}
	}
}

// TestOwnTool: a dialect offers a tool of its own.
func TestOwnTool(t *testing.T) {
	b := newBench(t, nil, call(toolCall("c", "report", `{"status":"done"}`)), call(toolCall("d", "report", `{}`)), say("ok"))
	s := b.session(t, func(o *Options, _ *event.Settings) {
		o.Toolset = append(o.Toolset, Binding{Name: "report", Tool: "report", Own: &ClientTool{
			ToolName: "report", About: "Reports.", Level: 1, Input: []byte(`{"type":"object","required":["status"]}`),
			Handle: func(_ context.Context, call ClientCall) ClientResult { return ClientResult{Text: string(call.Input)} },
		}})
	})
	var results []string
	for _, e := range find[event.ToolEnded](turnOf(t, s, "go", nil)) {
		results = append(results, string(e.Outcome))
	}
	equal(t, "results", results, []string{string(event.Succeeded), string(event.Failed)})
	if tools := b.requests()[0].Tools; len(tools) != 1 || tools[0].Description != "Reports." {
		t.Errorf("offered %+v", tools)
	}
}
