package engine

import (
	"context"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// TestStatusAfterAnswers: a session waits until the last approval and question are answered. Then it works, also while the call
// that was allowed runs, whatever the answers were.
func TestStatusAfterAnswers(t *testing.T) {
	release := make(chan struct{})
	work := workTool(func(ctx context.Context, _ tool.Hooks, _ string) tool.Result {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return tool.Result{Text: "done"}
	})
	b := newBench(t, []fakeTool{work}, call(toolCall("a", "work", `{}`), toolCall("b", "work", `{}`)), say("ok"))
	s := b.session(t, func(o *Options, _ *event.Settings) { o.Calls, o.Approvals = ParallelReads, ApproveEveryCall{} })
	defer s.Attach(ClientInfo{}).Detach()
	var pending []event.ApprovalID
	records := turnOf(t, s, "go", func(rec event.Record) {
		e, ok := rec.Event.(event.ApprovalAsked)
		if !ok {
			return
		}
		if pending = append(pending, e.ID); len(pending) < 2 {
			return
		}
		for i, allow := range []bool{true, false} {
			if err := s.anyClient().Answer(pending[i], Decision{Allow: allow}); err != nil {
				t.Error(err)
			}
			want := []event.Status{event.Waiting, event.Working}[i]
			if got := s.State().Status; got != want {
				t.Errorf("after answer %d the status is %s, want %s", i+1, got, want)
			}
		}
		close(release)
	})
	ended(t, records)
}
