package engine

import (
	"context"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// TestSwitchInTurn: with the option, a level that is changed while a turn runs counts from the next step on; without it, from
// the next turn on.
func TestSwitchInTurn(t *testing.T) {
	for _, at := range []bool{true, false} {
		var s *Session
		switching := workTool(func(context.Context, tool.Hooks, string) tool.Result {
			if err := s.anyClient().Change(func(settings *event.Settings) { settings.Thinking = model.High }); err != nil {
				t.Error(err)
			}
			return tool.Result{Text: "switched"}
		})
		b := newBench(t, []fakeTool{switching}, call(toolCall("a", "work", "{}")), say("b"), say("c"))
		b.info = scriptInfo
		b.info.Thinking = []model.Thinking{model.Low, model.High}
		s = b.session(t, func(o *Options, settings *event.Settings) {
			o.SwitchInTurn, settings.Thinking = at, model.Low
		})
		ended(t, turnOf(t, s, "one", nil))
		ended(t, turnOf(t, s, "two", nil))
		var levels []string
		for _, r := range b.requests() {
			levels = append(levels, string(r.Thinking))
		}
		want := []string{"low", "low", "high"}
		if at {
			want[1] = "high"
		}
		equal(t, "levels", levels, want)
	}
}

// TestInterruptPrompt: only the turn of the prompt is interrupted.
func TestInterruptPrompt(t *testing.T) {
	hanging := make(chan struct{})
	b := newBench(t, nil, say("a"), hang("", hanging))
	s := b.session(t, nil)
	c := s.anyClient()
	for _, id := range []event.PromptID{"one", "two"} {
		if _, err := c.Prompt(t.Context(), Prompt{ID: id, Text: string(id)}); err != nil {
			t.Fatal(err)
		}
		if id == "one" && s.Wait(t.Context()) != nil {
			t.Fatal("the first turn does not end")
		}
	}
	<-hanging
	if c.InterruptPrompt("one") || s.State().Turn == "" {
		t.Error("the turn of another prompt was interrupted")
	}
	if !c.InterruptPrompt("two") {
		t.Error("the turn was not interrupted")
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c.InterruptPrompt("two") {
		t.Error("a turn that has ended was interrupted")
	}
}
