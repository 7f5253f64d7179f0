package engine

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// A watcher is an AnswerWatcher.
type watcher func(Past) func(event.Event) *Violation

func (w watcher) WatchAnswer(past Past) func(event.Event) *Violation { return w(past) }

// against returns a watcher that objects to a word, wherever it is written, once.
func against(word string, o Violation) watcher {
	return func(past Past) func(event.Event) *Violation {
		var seen strings.Builder
		return func(piece event.Event) *Violation {
			switch e := piece.(type) {
			case event.TextDelta:
				seen.WriteString(e.Text)
			case event.ThinkingDelta:
				seen.WriteString(e.Text)
			case event.ToolInputDelta:
				seen.WriteString(e.Name + e.Text)
			}
			if _, before := past(o.Rules[0]); before || !strings.Contains(seen.String(), word) {
				return nil
			}
			return &o
		}
	}
}

func objection(cut, forget bool) Violation {
	return Violation{Rules: []string{"r"}, Note: event.Note{Blocks: []model.Block{model.TextBlock("Mind r.")}}, Cut: cut, Forget: forget}
}

// watched returns what a turn did, a line for each record that matters here.
func watched(records []event.Record) (all []string) {
	for _, rec := range records {
		switch e := rec.Event.(type) {
		case event.AssistantMessage:
			line := "answer " + (model.Message{Blocks: e.Blocks}).Text()
			if e.Partial {
				line += " partial"
			}
			if e.Void {
				line += " void"
			}
			all = append(all, line)
		case event.RuleViolated, event.Reminded, event.StepStarted, event.StepEnded, event.UserMessage, event.ToolEnded:
			all = append(all, string(e.Kind()))
		case event.TurnEnded:
			all = append(all, "ended "+string(e.Reason))
		}
	}
	return all
}

// messageTexts returns the messages of a request, each as its role and text.
func messageTexts(req model.Request) (all []string) {
	for _, m := range req.Messages {
		all = append(all, string(m.Role)+": "+m.Text())
	}
	return all
}

func differ(t *testing.T, what string, got, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s:\n%s", what, diff)
	}
}

func thinking(text string) answerFunc {
	return func(_ context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
		if yield(model.Delta{Kind: model.ThinkingDelta, Text: text}, nil) {
			yield(model.Delta{Kind: model.Done, Response: &model.Response{Message: model.Message{Role: model.Assistant, Blocks: []model.Block{{Kind: model.KindThinking, Text: text}}}}}, nil)
		}
	}
}

func TestWatchCuts(t *testing.T) {
	cut := []string{"user_message", "step_started", "answer I do bad partial void", "objected", "step_ended", "step_started", "answer fine", "step_ended", "ended completed"}
	for _, test := range []struct {
		name   string
		first  answerFunc
		forget bool
		did    []string
		texts  []string
	}{
		{"what it said is forgotten", say("I do ", "bad", " things"), true, cut, []string{"user: go", "user: Mind r."}},
		{
			"what it said is kept", say("I do ", "bad", " things"), false, append([]string{cut[0], cut[1], "answer I do bad partial"}, cut[3:]...),
			[]string{"user: go", "assistant: I do bad", "user: Mind r."},
		},
		{"in its thoughts", thinking("so bad"), false, append([]string{cut[0], cut[1], "answer  partial"}, cut[3:]...), []string{"user: go", "user: Mind r."}},
		{"in a call", call(toolCall("c", "look", `{"text":"bad"}`)), true, append([]string{cut[0], cut[1], "answer  partial void"}, cut[3:]...), []string{"user: go", "user: Mind r."}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, []fakeTool{lookTool()}, test.first, say("fine"), say("bad again"))
			s := b.session(t, func(o *Options, _ *event.Settings) {
				o.Plugins = []Plugin{against("bad", objection(true, test.forget))}
			})
			records := turnOf(t, s, "go", nil)
			if end := ended(t, records); end.Steps != 2 {
				t.Errorf("%d steps", end.Steps)
			}
			differ(t, "records", watched(records), test.did)
			differ(t, "messages", messageTexts(b.requests()[1]), test.texts)
			records = turnOf(t, s, "again", nil)
			if got := watched(records); got[2] != "answer bad again" {
				t.Errorf("objected to again: %v", got)
			}
		})
	}
}

// TestWatchRemembers: what was objected to is part of the session, and answers are counted.
func TestWatchRemembers(t *testing.T) {
	var seen []int
	watch := func(past Past) func(event.Event) *Violation {
		answers, ok := past("r")
		if !ok {
			answers = -1
		}
		seen = append(seen, answers)
		return against("bad", objection(true, true))(past)
	}
	b := newBench(t, nil, say("bad"), say("one"), say("two"), say("three"))
	s := b.session(t, func(o *Options, _ *event.Settings) { o.Plugins = []Plugin{watcher(watch)} })
	ended(t, turnOf(t, s, "go", nil))
	ended(t, turnOf(t, s, "go", nil))
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	o := b.options()
	o.Plugins = []Plugin{watcher(watch)}
	s, err := b.host().Open(t.Context(), s.ID(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	ended(t, turnOf(t, s, "go", nil))
	if diff := cmp.Diff([]int{-1, 0, 1, 2}, seen); diff != "" {
		t.Error(diff)
	}
	want := []string{"user: go", "user: Mind r.", "assistant: one", "user: go", "assistant: two", "user: go"}
	differ(t, "messages", messageTexts(b.requests()[3]), want)
}

// TestWatchBehind: an objection that cuts nothing waits until the model would stop, and is
// made once.
func TestWatchBehind(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, call(toolCall("c", "look", `{"text":"bad"}`)), say("a bad end"), say("fine"))
	s := b.session(t, func(o *Options, _ *event.Settings) { o.Plugins = []Plugin{against("bad", objection(false, false))} })
	records := turnOf(t, s, "go", nil)
	ended(t, records)
	differ(t, "records", watched(records), []string{
		"user_message", "step_started", "answer ", "tool_ended", "step_ended", "step_started", "answer a bad end", "step_ended",
		"objected", "step_started", "answer fine", "step_ended", "ended completed",
	})
	differ(t, "messages", messageTexts(b.requests()[2]), []string{"user: go", "assistant: ", "tool: ", "assistant: a bad end", "user: Mind r."})
}

// TestWatchAndRetry: what an attempt said that failed is objected to only if it was said again.
func TestWatchAndRetry(t *testing.T) {
	broken := &model.Error{Kind: model.Overloaded, Message: "busy"}
	b := newBench(t, nil, sayThenFail("bad", broken), say("fine"))
	s := b.session(t, func(o *Options, _ *event.Settings) {
		o.Plugins, o.Retry = []Plugin{against("bad", objection(false, false))}, discarding{retriesFrom(time.Millisecond)}
	})
	records := turnOf(t, s, "go", nil)
	ended(t, records)
	if found := find[event.RuleViolated](records); len(found) != 0 {
		t.Errorf("%v", found)
	}
}

// TestWatchPanics: a watcher that fails ends the turn, and no more.
func TestWatchPanics(t *testing.T) {
	b := newBench(t, nil, say("x"))
	s := b.session(t, func(o *Options, _ *event.Settings) {
		o.Plugins = []Plugin{watcher(func(Past) func(event.Event) *Violation { return func(event.Event) *Violation { panic("watch") } })}
	})
	if end := ended(t, turnOf(t, s, "go", nil)); end.Reason != event.TurnFailed {
		t.Errorf("%+v", end)
	}
}

// TestInterruptBetweenAnswers interrupts a turn with a cut, an objection after, and reminders
// at each of its records: it ends once, and the next one works.
func TestInterruptBetweenAnswers(t *testing.T) {
	for at := 1; ; at++ {
		plan := workTool(func(_ context.Context, hooks tool.Hooks, _ string) tool.Result {
			if err := hooks.EditPlan(func([]event.PlanPhase) ([]event.PlanPhase, error) { return openPlan(), nil }); err != nil {
				return tool.Failed(err.Error())
			}
			return tool.Result{Text: "kept"}
		})
		b := newBench(t, []fakeTool{plan}, say("so ", "bad"), call(toolCall("c", "work", `{}`)), say("soft"), say("b"), say("c"), say("d"), say("e"), say("f"))
		s := b.session(t, func(o *Options, set *event.Settings) {
			set.Mode = string(approval.FullAccess)
			o.Todos = &Todos{Reminders: 2}
			hard, soft := against("bad", objection(true, true)), against("soft", Violation{Rules: []string{"s"}, Note: event.Note{Blocks: []model.Block{model.TextBlock("Mind s.")}}})
			o.Plugins = []Plugin{hard, soft}
		})
		n := 0
		records := turnOf(t, s, "go", func(event.Record) {
			if n++; n == at {
				s.Interrupt()
			}
		})
		ended(t, records)
		if n < at { // the turn has no more records
			return
		}
		next := turnOf(t, s, "again", nil)
		ended(t, next)
		if ends := find[event.TurnEnded](next); len(ends) != 1 {
			t.Fatalf("interrupted at %d: %d ends", at, len(ends))
		}
	}
}
