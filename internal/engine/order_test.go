package engine

import (
	"context"
	"fmt"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// kinds is which kinds of records there are of calls, and of which, in order.
func callRecords(records []event.Record) (all []string) {
	for _, rec := range records {
		switch e := rec.Event.(type) {
		case event.ToolIntended:
			all = append(all, "intended "+string(e.Call))
		case event.ApprovalAsked:
			all = append(all, "asked "+string(e.Call))
		case event.ToolStarted:
			all = append(all, "started "+string(e.Call))
		case event.ToolEnded:
			all = append(all, "ended "+string(e.Call))
		}
	}
	return all
}

// TestInOrder: calls with effects run one behind the other, in the model's order; people are
// asked about all of them at once, in that order too, whatever order they answer in.
func TestInOrder(t *testing.T) {
	running := 0
	work := workTool(func(context.Context, tool.Hooks, string) tool.Result {
		running++ // a race, were there two at once
		return tool.Result{Text: fmt.Sprint(running)}
	})
	b := newBench(t, []fakeTool{work, lookTool()},
		call(toolCall("a", "work", `{}`), toolCall("b", "work", `{}`), toolCall("c", "look", `{}`), toolCall("d", "work", `{}`)), say("ok"))
	s := b.session(t, func(o *Options, _ *event.Settings) {
		o.Calls, o.Approvals = InOrder, ApproveEveryCall
	})
	defer s.Attach()()
	var asked []event.ApprovalID
	records := turnOf(t, s, "go", func(rec event.Record) {
		if e, ok := rec.Event.(event.ApprovalAsked); ok {
			asked = append(asked, e.ID)
		}
		if len(asked) == 4 {
			for i := range asked {
				if err := s.Answer(asked[len(asked)-1-i], Decision{Allow: true}); err != nil {
					t.Error(err)
				}
			}
			asked = nil
		}
	})
	ended(t, records)
	all := callRecords(records)
	equal(t, "the beginning", all[:8], []string{
		"intended a", "intended b", "intended c", "intended d", "asked a", "asked b", "asked c", "asked d",
	})
	equal(t, "the rest", all[8:], []string{
		"started a", "ended a", "started b", "ended b", "started c", "ended c", "started d", "ended d",
	})
	for i, want := range []string{"1", "2", "seen", "3"} {
		if got := find[event.ToolEnded](records)[i].Output; got != want {
			t.Errorf("call %d said %q, want %q", i, got, want)
		}
	}
}

// TestReadersTogether: calls that change nothing do not wait for each other.
func TestReadersTogether(t *testing.T) {
	first, second := make(chan struct{}), make(chan struct{})
	meet := fakeTool{"meet", approval.Read, func(_ context.Context, _ tool.Hooks, input string) tool.Result {
		mine, other := first, second
		if input == `{"text":"b"}` {
			mine, other = second, first
		}
		close(mine)
		<-other
		return tool.Result{Text: "met"}
	}}
	for _, order := range []CallOrder{SideBySide, InOrder} {
		first, second = make(chan struct{}), make(chan struct{})
		b := newBench(t, []fakeTool{meet}, call(toolCall("a", "meet", `{"text":"a"}`), toolCall("b", "meet", `{"text":"b"}`)), say("ok"))
		s := b.session(t, func(o *Options, _ *event.Settings) { o.Calls = order })
		ended(t, turnOf(t, s, "go", nil))
	}
}

// TestInterruptInOrder: a call that was allowed and still waits for its turn does not run
// once the turn is interrupted.
func TestInterruptInOrder(t *testing.T) {
	var s *Session
	ran := 0
	work := workTool(func(ctx context.Context, _ tool.Hooks, _ string) tool.Result {
		ran++
		s.Interrupt()
		<-ctx.Done()
		return tool.Failed("interrupted")
	})
	b := newBench(t, []fakeTool{work}, call(toolCall("a", "work", `{}`), toolCall("b", "work", `{}`)), say("ok"))
	s = b.session(t, func(o *Options, _ *event.Settings) { o.Calls = InOrder })
	records := turnOf(t, s, "go", nil)
	if end := ended(t, records); end.Reason != event.TurnInterrupted || ran != 1 {
		t.Errorf("%+v, %d calls ran", end, ran)
	}
}
