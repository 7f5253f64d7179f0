package goclient

import (
	"context"
	"iter"
	"testing"

	"parley.dev/parley/client"
	"parley.dev/parley/record"
)

// changes returns what waits for a state of a session in a Watch.
func changes(t *testing.T, watch iter.Seq2[record.ChangedSession, error]) (until func(what string, ok func(record.ChangedSession) bool)) {
	next, stop := iter.Pull2(watch)
	t.Cleanup(stop)
	return func(what string, ok func(record.ChangedSession) bool) {
		t.Helper()
		for {
			s, err, more := next()
			if err != nil || !more {
				t.Fatalf("before %s: %v", what, err)
			}
			if ok(s) {
				return
			}
		}
	}
}

// TestWatch: sessions that are open come first, then each change; after the host was killed and started again Watch goes on.
func TestWatch(t *testing.T) {
	p := place(t, askingScript)
	h := serve(t, p)
	ctx, c := dial(t, "unix:"+h.Socket, "driver")
	s := create(ctx, t, c, p, "prompt")
	_, w := dial(t, "unix:"+h.Socket, "watcher")
	until := changes(t, w.Watch(ctx))
	until("the open session", func(got record.ChangedSession) bool { return got.ID == s.ID() && got.Open && got.Waiting == 0 })
	if _, err := s.Prompt(ctx, client.Prompt{Text: "Go."}); err != nil {
		t.Fatal(err)
	}
	until("the approval", func(got record.ChangedSession) bool {
		return got.ID == s.ID() && got.Waiting == 1 && got.Status == "waiting" && got.Turns == 1 && got.Head > 1
	})
	h.process.Kill()
	serve(t, p)
	if _, err := c.Open(ctx, s.ID()); err != nil {
		t.Fatal(err)
	}
	until("the session of the new host", func(got record.ChangedSession) bool { return got.ID == s.ID() && got.Open && got.Waiting == 0 })
	if err := c.Call(ctx, "session/remove", map[string]any{"session": s.ID()}, nil); err != nil {
		t.Fatal(err)
	}
	until("the removal", func(got record.ChangedSession) bool { return got.ID == s.ID() && got.Removed })
	gone, cancel := context.WithCancel(ctx)
	cancel()
	for _, err := range w.Watch(gone) {
		if err == nil {
			t.Error("a change after the end of the context")
		}
	}
}
