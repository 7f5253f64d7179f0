package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// said returns the text of the user messages of a request, in order.
func said(messages []model.Message) (texts []string) {
	for _, m := range messages {
		if m.Role == model.User {
			texts = append(texts, m.Text())
		}
	}
	return texts
}

func equal(t testing.TB, what string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s = %q, want %q", what, got, want)
		return
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%s = %q, want %q", what, got, want)
			return
		}
	}
}

// steering runs a turn of two calls; during the first, talk is called.
func steering(t *testing.T, edit func(*Options, *event.Settings), talk func(s *Session), answers ...answerFunc) (*bench, []event.Record) {
	t.Helper()
	var s *Session
	first := true
	work := workTool(func(context.Context, tool.Hooks, string) tool.Result {
		if first {
			first = false
			talk(s)
		}
		return tool.Result{Text: "done"}
	})
	b := newBench(t, []fakeTool{work}, append([]answerFunc{call(toolCall("c", "work", `{}`), toolCall("d", "work", `{}`))}, answers...)...)
	s = b.session(t, edit)
	turn := turnOf(t, s, "go", nil)
	ended(t, turn)
	return b, turn
}

func steer(t testing.TB, s *Session) {
	if err := s.Steer(t.Context(), Prompt{Text: "stop that"}); err != nil {
		t.Error(err)
	}
}

func TestSteer(t *testing.T) {
	talk := func(s *Session) {
		for _, text := range []string{"one", "two"} {
			if err := s.Steer(t.Context(), Prompt{Text: text}); err != nil {
				t.Error(err)
			}
		}
	}
	t.Run("after the step, all", func(t *testing.T) {
		b, turn := steering(t, nil, talk, say("ok"))
		equal(t, "second request", said(b.requests()[1].Messages), []string{"go", "one", "two"})
		if n := len(find[event.ToolEnded](turn)); n != 2 {
			t.Errorf("%d calls ran, want 2", n)
		}
	})
	t.Run("after the call, one by one", func(t *testing.T) {
		b, turn := steering(t, func(o *Options, _ *event.Settings) { o.Steers = SteerAfterCall | SteerOneByOne }, talk, say("ok"), say("and"))
		equal(t, "second request", said(b.requests()[1].Messages), []string{"go", "one"})
		equal(t, "third request", said(b.requests()[2].Messages), []string{"go", "one", "two"})
		if n := len(find[event.ToolEnded](turn)); n != 1 {
			t.Errorf("%d calls ran, want 1", n)
		}
	})
}

func TestFollowUp(t *testing.T) {
	talk := func(s *Session) {
		if err := s.FollowUp(t.Context(), Prompt{Text: "next"}); err != nil {
			t.Error(err)
		}
	}
	t.Run("in the turn", func(t *testing.T) {
		b, turn := steering(t, nil, talk, say("ok"), say("and"))
		equal(t, "third request", said(b.requests()[2].Messages), []string{"go", "next"})
		if n := len(find[event.TurnStarted](turn)); n != 1 {
			t.Errorf("%d turns", n)
		}
	})
	t.Run("in a turn of its own", func(t *testing.T) {
		var records []event.Record
		var session *Session
		b, _ := steering(t, func(o *Options, _ *event.Settings) { o.FollowUps = FollowUpInNewTurn }, func(s *Session) { session = s; talk(s) }, say("ok"), say("and"))
		if err := session.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := session.Log().AwaitStored(t.Context()); err != nil {
			t.Fatal(err)
		}
		records = b.store.only().records(false)
		checkBalanced(t, records)
		if n := len(find[event.TurnEnded](records)); n != 2 {
			t.Errorf("%d turns", n)
		}
		equal(t, "third request", said(b.requests()[2].Messages), []string{"go", "next"})
	})
	t.Run("that cannot be processed", func(t *testing.T) {
		failure := event.Failure{Kind: FailPrompt, Message: "no such image"}
		var session *Session
		b, _ := steering(t, func(o *Options, _ *event.Settings) { o.FollowUps = FollowUpInNewTurn }, func(s *Session) {
			session = s
			if err := s.FollowUp(t.Context(), Prompt{Text: "look at this", Failure: &failure}); err != nil {
				t.Error(err)
			}
			talk(s)
		}, say("ok"), say("and"))
		if err := session.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := session.Log().AwaitStored(t.Context()); err != nil {
			t.Fatal(err)
		}
		records := b.store.only().records(false)
		checkBalanced(t, records)
		ends := find[event.TurnEnded](records)
		if len(ends) != 3 || ends[1].Reason != event.TurnFailed || ends[1].Failure == nil || *ends[1].Failure != failure {
			t.Errorf("the turns ended with %+v", ends)
		}
		equal(t, "third request", said(b.requests()[2].Messages), []string{"go", "next"})
	})
}

func TestSecondPrompt(t *testing.T) {
	for way, want := range map[SecondPrompt][]string{QueueSecond: {"go", "second"}, SteerSecond: {"go", "second"}, RefuseSecond: {"go"}} {
		b, _ := steering(t, func(o *Options, _ *event.Settings) { o.SecondPrompt = way }, func(s *Session) {
			_, err := s.Prompt(t.Context(), Prompt{ID: "p2", Text: "second"})
			if (err == ErrTurnActive) != (way == RefuseSecond) {
				t.Errorf("way %d: %v", way, err)
			}
			_, _ = s.Prompt(t.Context(), Prompt{ID: "p2", Text: "second"}) // a repeat is harmless
		}, say("ok"), say("and"), say("more"))
		requests := b.requests()
		equal(t, "last request", said(requests[len(requests)-1].Messages), want)
	}
}

func TestPromptTwice(t *testing.T) {
	b := newBench(t, nil, say("ok"))
	s := b.session(t, nil)
	records := follow(t, s)
	first, err := s.Prompt(t.Context(), Prompt{ID: "mine", Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	untilEnd(t, records, nil)
	second, err := s.Prompt(t.Context(), Prompt{ID: "mine", Text: "go"})
	if err != nil || second != first {
		t.Errorf("repeat = %q, %v; want %q", second, err, first)
	}
	if n := len(b.requests()); n != 1 {
		t.Errorf("%d model calls, want 1", n)
	}
}

func TestClearQueue(t *testing.T) {
	b := newBench(t, nil, say("ok"))
	s := b.session(t, nil)
	if err := s.FollowUp(t.Context(), Prompt{Text: "later"}); err != nil {
		t.Fatal(err)
	}
	_, followUps, err := s.Queue().Clear()
	if err != nil || len(followUps) != 1 {
		t.Errorf("cleared %v, %v", followUps, err)
	}
	ended(t, turnOf(t, s, "go", nil))
	equal(t, "request", said(b.requests()[0].Messages), []string{"go"})
}

// forgetful takes interrupted turns out of the history.
type forgetful struct{}

func (forgetful) KeepsTurn(reason event.TurnReason) bool { return reason != event.TurnInterrupted }

// TestForgetInterrupted: later requests do not contain a turn that was interrupted.
func TestForgetInterrupted(t *testing.T) {
	hanging := make(chan struct{})
	b := newBench(t, nil, say("first"), hang("second", hanging), say("third"))
	s := b.session(t, func(o *Options, _ *event.Settings) { o.Plugins = []Plugin{forgetful{}} })
	turnOf(t, s, "one", nil)
	records := follow(t, s)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "two"}); err != nil {
		t.Fatal(err)
	}
	<-hanging
	s.Interrupt()
	untilEnd(t, records, nil)
	turnOf(t, s, "three", nil)
	equal(t, "what was said", said(b.requests()[2].Messages), []string{"one", "three"})
}

// TestAdjust: what changes while a tool runs counts from the next look at the queues.
func TestAdjust(t *testing.T) {
	talk := func(s *Session) {
		for _, text := range []string{"one", "two"} {
			if err := s.Steer(t.Context(), Prompt{Text: text}); err != nil {
				t.Error(err)
			}
			if err := s.FollowUp(t.Context(), Prompt{Text: "then " + text}); err != nil {
				t.Error(err)
			}
		}
		if err := s.Adjust(func(m *LiveOptions) { m.Steers = SteerOneByOne | SteerAfterCall }); err != nil {
			t.Error(err)
		}
	}
	b, turn := steering(t, nil, talk, say("ok"), say("and"), say("done"))
	for i, want := range [][]string{
		{"go"}, {"go", "one"}, {"go", "one", "two"}, {"go", "one", "two", "then one", "then two"},
	} {
		equal(t, fmt.Sprint("request ", i), said(b.requests()[i].Messages), want)
	}
	if n := len(find[event.ToolEnded](turn)); n != 1 {
		t.Errorf("%d calls ran, want 1", n)
	}
	t.Run("while everything looks", func(t *testing.T) {
		b := newBench(t, []fakeTool{lookTool()}, call(toolCall("c", "look", `{}`)), fail(&model.Error{Kind: model.Overloaded}), say("ok"))
		s := b.session(t, nil)
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				_ = s.Adjust(func(m *LiveOptions) {
					m.Steers, m.FollowUps = SteerMode(n%2)*(SteerOneByOne|SteerAfterCall), FollowUpMode(n%2)*FollowUpOneByOne
					m.Retry, m.Compact = Retries{Unavailable: 3 + n%2}, fixed{AfterTurn: n%2 == 0}
				})
			}
		}()
		ended(t, turnOf(t, s, "go", nil))
		close(stop)
		<-stopped
	})
	t.Run("closed", func(t *testing.T) {
		s := newBench(t, nil).session(t, nil)
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Adjust(func(*LiveOptions) { t.Error("edited") }); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	})
}

// TestNotes: notes stand after the prompt that brought them, wherever it went, and are on
// disk with it.
func TestNotes(t *testing.T) {
	prompt := func(text string) Prompt {
		return Prompt{ID: event.PromptID(text), Text: text, Notes: []event.Note{
			{Blocks: []model.Block{model.TextBlock(text + " file"), model.ImageBlock(model.Image{MIME: "image/png", Data: []byte("pixels")})}, Sent: jsontext.Value(`{"role":"file"}`)},
			{Blocks: []model.Block{model.TextBlock(text + " hint")}},
		}}
	}
	var s *Session
	work := workTool(func(context.Context, tool.Hooks, string) tool.Result {
		if err := errors.Join(s.Steer(t.Context(), prompt("steer")), s.FollowUp(t.Context(), prompt("follow-up"))); err != nil {
			t.Error(err)
		}
		return tool.Result{Text: "done"}
	})
	looked := make(chan struct{})
	b := newBench(t, []fakeTool{work}, func(ctx context.Context, r *modelRequest, y yieldFunc) {
		<-looked
		call(toolCall("c", "work", `{}`))(ctx, r, y)
	}, say("ok"), say("and"))
	s = b.session(t, nil)
	records := follow(t, s)
	if _, err := s.Prompt(t.Context(), prompt("prompt")); err != nil {
		t.Fatal(err)
	}
	if on := find[event.UserMessage](b.store.only().records(true)); len(on) != 3 {
		t.Errorf("%d messages are on disk with the prompt, want 3", len(on))
	}
	close(looked)
	turn := untilEnd(t, records, nil)
	ended(t, turn)
	var want []string
	for _, text := range []string{"prompt", "steer", "follow-up"} {
		want = append(want, text, text+" file", text+" hint")
	}
	equal(t, "last request", said(b.requests()[2].Messages), want)
	ids := map[event.PromptID]bool{}
	for i, m := range find[event.UserMessage](turn) {
		if ids[m.ID] {
			t.Errorf("two messages have the id %s", m.ID)
		}
		ids[m.ID] = true
		if note := i%3 != 0; (m.Via == event.ByEngine) != note || (m.Sent != nil) != (i%3 == 1) {
			t.Errorf("message %d is %+v", i, m)
		}
		if i%3 == 1 && m.Blocks[1].Image.Blob == "" {
			t.Errorf("the image of message %d is no blob", i)
		}
	}
}

// TestEmptyPrompt: a prompt of nothing for the model is refused, by each verb, unless the protocol takes blank ones.
func TestEmptyPrompt(t *testing.T) {
	b := newBench(t, nil, say("what?"))
	s := b.session(t, nil)
	for _, p := range []Prompt{{}, {Text: " \n"}, {Blocks: []model.Block{model.TextBlock(""), model.TextBlock("\t")}}} {
		_, prompted := s.Prompt(t.Context(), p)
		for _, err := range []error{prompted, s.Steer(t.Context(), p), s.FollowUp(t.Context(), p)} {
			if !errors.Is(err, ErrEmptyPrompt) {
				t.Errorf("%+v: %v", p, err)
			}
		}
	}
	records := follow(t, s)
	if _, err := s.Prompt(t.Context(), Prompt{Blocks: []model.Block{model.TextBlock("")}, Blank: true}); err != nil {
		t.Fatal(err)
	}
	turn := untilEnd(t, records, nil)
	if end := ended(t, turn); end.Reason != event.TurnCompleted {
		t.Errorf("end = %+v", end)
	}
	equal(t, "request", said(b.requests()[0].Messages), []string{""})
}

// TestTurnKeeperPanics: the turn stays in the history, and the next one runs.
func TestTurnKeeperPanics(t *testing.T) {
	b := newBench(t, nil, say("first"), say("second"))
	s := b.session(t, func(o *Options, _ *event.Settings) { o.Plugins = []Plugin{panicking{}} })
	ended(t, turnOf(t, s, "one", nil))
	ended(t, turnOf(t, s, "two", nil))
	equal(t, "second request", said(b.requests()[1].Messages), []string{"one", "two"})
}

type panicking struct{}

func (panicking) KeepsTurn(event.TurnReason) bool { panic("broken") }

// TestNoSteering: a turn that takes no steers refuses them, and prompts that would be one; the next turn takes them.
func TestNoSteering(t *testing.T) {
	var s *Session
	var refused []error
	work := workTool(func(context.Context, tool.Hooks, string) tool.Result {
		_, err := s.Prompt(t.Context(), Prompt{Text: "into it"})
		refused = append(refused, err, s.Steer(t.Context(), Prompt{Text: "into it"}))
		return tool.Result{Text: "done"}
	})
	b := newBench(t, []fakeTool{work}, call(toolCall("a", "work", `{}`)), say("ok"), call(toolCall("b", "work", `{}`)), say("ok"))
	s = b.session(t, func(o *Options, _ *event.Settings) { o.SecondPrompt = SteerSecond })
	records := follow(t, s)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "go", Tuning: Tuning{NoSteering: true}}); err != nil {
		t.Fatal(err)
	}
	untilEnd(t, records, nil)
	equal(t, "second request", said(b.requests()[1].Messages), []string{"go"})
	turnOf(t, s, "again", nil)
	equal(t, "fourth request", said(b.requests()[3].Messages), []string{"go", "again", "into it", "into it"})
	for i, err := range refused {
		if errors.Is(err, ErrNotSteerable) != (i < 2) || i >= 2 && err != nil {
			t.Errorf("prompt %d: %v", i, err)
		}
	}
}
