package engine

import (
	"context"
	"errors"
	"slices"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

func TestTurnWithToolRound(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, call(toolCall("c1", "look", `{}`)), say("I saw ", "it."))
	s := b.session(t, nil)
	records := turnOf(t, s, "look", nil)
	end := ended(t, records)
	if end.Reason != event.TurnCompleted || end.Rounds != 1 || end.Steps != 2 {
		t.Errorf("end = %+v", end)
	}
	if want := (model.Usage{Input: 20, Output: 7}); end.Usage != want {
		t.Errorf("usage = %+v, want %+v", end.Usage, want)
	}
	if end.Cost != (20*1+7*2)/1e6 {
		t.Errorf("cost = %v", end.Cost)
	}
	checkBytes(t, s)
	if got := text(records); got != "I saw it." {
		t.Errorf("text = %q", got)
	}
	second := b.requests()[1].Messages
	if got := second[len(second)-1].Blocks[0].Result.Text; got != "seen" {
		t.Errorf("the model received %q", got)
	}
}

// TestEveryTurnEndsOnce is rules 1 to 3: whatever happens, the turn and all in it end once,
// and the next prompt works.
func TestEveryTurnEndsOnce(t *testing.T) {
	overloaded := &model.Error{Kind: model.Overloaded, Status: 502, Message: "bad gateway"}
	panics := func(context.Context, *model.Request, func(model.Delta, error) bool) { panic("provider") }
	cases := []struct {
		name    string
		answers []answerFunc
		reason  event.TurnReason
		kind    string
	}{
		{"text", []answerFunc{say("hi")}, event.TurnCompleted, ""},
		{"rejected", []answerFunc{fail(&model.Error{Kind: model.Rejected, Message: "no"})}, event.TurnFailed, "rejected"},
		{"retries used up", slices.Repeat([]answerFunc{fail(overloaded)}, 9), event.TurnFailed, "overloaded"},
		{"untyped error", []answerFunc{fail(errors.New("odd"))}, event.TurnFailed, FailInternal},
		{"provider panics", []answerFunc{panics}, event.TurnFailed, FailInternal},
		{"empty stream", append([]answerFunc{func(context.Context, *model.Request, func(model.Delta, error) bool) {}}, slices.Repeat([]answerFunc{fail(overloaded)}, 9)...), event.TurnFailed, "overloaded"},
		{"unknown tool", []answerFunc{call(toolCall("c", "door", `{}`)), say("ok")}, event.TurnCompleted, ""},
		{"bad input", []answerFunc{call(toolCall("c", "look", `{"x":1}`)), say("ok")}, event.TurnCompleted, ""},
		{"input is text", []answerFunc{call(toolCall("c", "look", `"oops"`)), say("ok")}, event.TurnCompleted, ""},
		{"tool panics", []answerFunc{call(toolCall("c", "boom", `{}`)), say("ok")}, event.TurnCompleted, ""},
		{"same call id twice", []answerFunc{call(toolCall("c", "look", `{}`), toolCall("c", "look", `{}`)), say("ok")}, event.TurnCompleted, ""},
		{"no call id", []answerFunc{call(toolCall("", "look", `{}`), toolCall("", "look", `{}`)), say("ok")}, event.TurnCompleted, ""},
	}
	boom := fakeTool{"boom", approval.Read, func(context.Context, tool.Hooks, string) tool.Result { panic("tool") }}
	for _, c := range cases {
		for _, order := range []CallOrder{Sequential, Parallel} {
			t.Run(c.name, func(t *testing.T) {
				b := newBench(t, []fakeTool{lookTool(), boom}, append(c.answers, say("again"))...)
				s := b.session(t, func(o *Options, _ *event.Settings) { o.Calls = order })
				end := ended(t, turnOf(t, s, "go", nil))
				if end.Reason != c.reason {
					t.Errorf("reason = %s, want %s", end.Reason, c.reason)
				}
				if kind := kindOf(end); kind != c.kind {
					t.Errorf("failure = %q, want %q", kind, c.kind)
				}
				if end := ended(t, turnOf(t, s, "again", nil)); end.Reason != event.TurnCompleted {
					t.Errorf("the next turn ended as %s: %+v", end.Reason, end.Failure)
				}
			})
		}
	}
}

func kindOf(end event.TurnEnded) string {
	if end.Failure == nil {
		return ""
	}
	return end.Failure.Kind
}

// TestInterruptAtEveryPoint interrupts in each state a turn can be in.
func TestInterruptAtEveryPoint(t *testing.T) {
	t.Run("streaming", func(t *testing.T) {
		hanging := make(chan struct{})
		b := newBench(t, nil, hang("Once upon", hanging), say("yes"))
		s := b.session(t, nil)
		records := follow(t, s)
		if _, err := s.Prompt(t.Context(), Prompt{Text: "story"}); err != nil {
			t.Fatal(err)
		}
		<-hanging
		s.Interrupt()
		s.Interrupt()
		turn := untilEnd(t, records, nil)
		if end := ended(t, turn); end.Reason != event.TurnInterrupted || end.Usage.Output == 0 {
			t.Errorf("end = %+v", end)
		}
		if m := find[event.AssistantMessage](turn); len(m) != 1 || !m[0].Partial || m[0].Blocks[0].Text != "Once upon" {
			t.Errorf("partial answer = %+v", m)
		}
		ended(t, turnOf(t, s, "go on", nil))
		if got := b.requests()[1].Messages; len(got) != 3 || got[1].Text() != "Once upon" {
			t.Errorf("history = %+v", got)
		}
	})
	t.Run("approval", func(t *testing.T) {
		b := newBench(t, []fakeTool{lookTool()}, call(toolCall("c", "look", `{}`), toolCall("d", "look", `{}`)), say("ok"))
		s := b.session(t, func(o *Options, _ *event.Settings) { o.Approvals = ApproveEveryCall{} })
		defer s.Attach(ClientInfo{}).Detach()
		var asked event.ApprovalID
		turn := turnOf(t, s, "go", func(rec event.Record) {
			if a, ok := rec.Event.(event.ApprovalAsked); ok {
				asked = a.ID
				s.Interrupt()
			}
		})
		if end := ended(t, turn); end.Reason != event.TurnInterrupted || end.Rounds != 0 {
			t.Errorf("end = %+v", end)
		}
		if e := find[event.ToolEnded](turn); len(e) != 1 || e[0].Outcome != event.Interrupted || e[0].Ran != 0 {
			t.Errorf("calls ended = %+v", e)
		}
		if err := s.anyClient().Answer(asked, Decision{Allow: true}); !errors.Is(err, ErrNoApproval) {
			t.Errorf("late answer: %v", err)
		}
		ended(t, turnOf(t, s, "again", nil)) // checkPairs sees the second call, which has no record
	})
	t.Run("tool", func(t *testing.T) {
		running := make(chan struct{})
		work := workTool(func(ctx context.Context, _ tool.Hooks, _ string) tool.Result {
			close(running)
			<-ctx.Done()
			return tool.Failed("half done")
		})
		b := newBench(t, []fakeTool{work}, call(toolCall("c", "work", `{}`)))
		s := b.session(t, nil)
		records := follow(t, s)
		if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
			t.Fatal(err)
		}
		<-running
		s.Interrupt()
		turn := untilEnd(t, records, nil)
		ended(t, turn)
		if e := find[event.ToolEnded](turn); len(e) != 1 || e[0].Outcome != event.Interrupted || e[0].Output != "half done" {
			t.Errorf("calls ended = %+v", e)
		}
	})
	t.Run("question", func(t *testing.T) {
		ask := fakeTool{"ask", approval.Read, func(ctx context.Context, hooks tool.Hooks, _ string) tool.Result {
			_, err := hooks.Ask(ctx, []event.Question{{Text: "Which?"}})
			return tool.Failed(err.Error())
		}}
		b := newBench(t, []fakeTool{ask}, call(toolCall("c", "ask", `{}`)))
		s := b.session(t, nil)
		defer s.Attach(ClientInfo{}).Detach()
		turn := turnOf(t, s, "go", func(rec event.Record) {
			if _, ok := rec.Event.(event.QuestionAsked); ok {
				s.Interrupt()
			}
		})
		ended(t, turn)
		if q := find[event.QuestionAnswered](turn); len(q) != 1 || q[0].By != event.ByInterrupt {
			t.Errorf("questions = %+v", q)
		}
	})
	t.Run("idle", func(t *testing.T) { newBench(t, nil).session(t, nil).Interrupt() })
}

// TestClientGone: a turn does not wait for an approval when no client is attached.
func TestClientGone(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, call(toolCall("c", "look", `{}`)), call(toolCall("d", "look", `{}`)), say("so be it"))
	s := b.session(t, func(o *Options, _ *event.Settings) { o.Approvals = ApproveEveryCall{} })
	detach := s.Attach(ClientInfo{}).Detach
	turn := turnOf(t, s, "go", func(rec event.Record) {
		if _, ok := rec.Event.(event.ApprovalAsked); ok {
			detach()
		}
	})
	if end := ended(t, turn); end.Reason != event.TurnCompleted || end.Rounds != 2 {
		t.Errorf("end = %+v", end)
	}
	for _, a := range find[event.ApprovalAnswered](turn) {
		if a.Allowed || a.By != event.ByAbsence {
			t.Errorf("answer = %+v", a)
		}
	}
}

// TestFailClosed is rule 10: options that do not say what may run let no call run without an approval.
func TestFailClosed(t *testing.T) {
	for name, edit := range map[string]func(*Options, *event.Settings){
		"zero options": func(o *Options, _ *event.Settings) { o.Approvals = Options{}.Approvals },
		"unknown mode": func(_ *Options, s *event.Settings) { s.Mode = "everything" },
		"no mode":      func(_ *Options, s *event.Settings) { s.Mode = "" },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, []fakeTool{lookTool()}, call(toolCall("c", "look", `{}`)), say("ok"))
			turn := turnOf(t, b.session(t, edit), "go", nil)
			ended(t, turn)
			if e := find[event.ToolEnded](turn); e[0].Outcome != event.Denied {
				t.Errorf("outcome = %s", e[0].Outcome)
			}
		})
	}
}

func TestStepLimit(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, call(toolCall("c", "look", `{}`)), call(toolCall("d", "look", `{}`)), say("ok"))
	s := b.session(t, func(o *Options, _ *event.Settings) { o.StepLimit = 1 })
	turn := turnOf(t, s, "go", nil)
	if end := ended(t, turn); end.Reason != event.TurnStepLimit || end.Rounds != 1 {
		t.Errorf("end = %+v", end)
	}
	if e := find[event.ToolEnded](turn); len(e) != 1 {
		t.Errorf("%d calls ran", len(e))
	}
	ended(t, turnOf(t, s, "again", nil))
}
