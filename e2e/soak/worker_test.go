//go:build linux

package soak

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley.dev/parley/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/record"
)

const (
	session   = "at-work" // of TestConnections
	ofSession = 2         // clients: one prompts, one follows
)

// A worker has turn after turn in one session, which another client follows.
type worker struct {
	testing.TB
	session *client.Session
	begun   chan struct{} // the one that follows has the first record
	ended   chan struct{} // a turn was seen to end by the one that follows
	turned  chan struct{} // the same, for a sleeper
	enough  chan struct{}
	running sync.WaitGroup
	pause   time.Duration // between two turns

	turns int
	head  uint64        // of the one that follows
	seen  atomic.Uint64 // the last record of the turns that the one that follows saw end
}

// work begins in a new session.
func work(t testing.TB, h *host, session string, pause time.Duration) *worker {
	t.Helper()
	w := &worker{TB: t, pause: pause, begun: make(chan struct{}, 1), ended: make(chan struct{}, 1), turned: make(chan struct{}, 1), enough: make(chan struct{})}
	connect := func(name string) *client.Client {
		c, err := client.Dial(t.Context(), "unix:"+h.Socket, client.Options{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	first, second := connect("worker of "+session), connect("follower of "+session)
	s, err := first.Create(t.Context(), client.NewSession{ID: session, Workspace: h.place.Work, Settings: map[string]any{"mode": "danger-full-access"}})
	if err != nil {
		t.Fatal(err)
	}
	w.session = s
	following, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	w.running.Go(func() {
		if err := w.follow(following, second.Session(session)); err != nil {
			t.Error(err)
		}
	})
	w.running.Go(func() {
		defer stop()
		if err := w.prompt(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return w
}

// stop waits for the last turn, and returns how many there were.
func (w *worker) stop() int {
	w.Helper()
	close(w.enough)
	w.running.Wait()
	state, err := w.session.State(w.Context())
	if err != nil || state.Head != w.head || w.turns == 0 {
		w.Errorf("followed to record %d of %+v in %d turns; %v", w.head, state, w.turns, err)
	}
	return w.turns
}

// prompt has turns until it is enough.
func (w *worker) prompt(ctx context.Context) error {
	if !received(w.begun) { // of a turn that began before, deltas would be missed
		return errors.New("the session cannot be followed")
	}
	for ; ; w.turns++ {
		select {
		case <-w.enough:
			return nil
		default:
		}
		text := fmt.Sprintf("Go on with %d", w.turns)
		switch w.turns % round {
		case round - 1:
			text += ", " + enough
		case 2:
			text += ", " + look
		}
		if _, err := w.session.Prompt(ctx, client.Prompt{ID: fmt.Sprintf("p-%d", w.turns), Text: text}); err != nil {
			return fmt.Errorf("prompt %d: %w", w.turns, err)
		}
		if !received(w.ended) {
			return fmt.Errorf("turn %d does not end", w.turns)
		}
		select {
		case w.turned <- struct{}{}:
		default: // the sleeper reads, or there is none
		}
		rest(w.pause, w.enough)
	}
}

// follow reads every record and every delta. The deltas of a message are its text.
func (w *worker) follow(ctx context.Context, s *client.Session) error {
	streamed := map[string]string{} // by message
	for rec, err := range s.Follow(ctx, client.FollowOptions{Transient: []string{record.KindTextDelta}}) {
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("after record %d: %w", w.head, err)
		}
		if rec.Seq != 0 {
			if w.head++; rec.Seq != w.head {
				return fmt.Errorf("record %d comes where %d should", rec.Seq, w.head)
			}
			if w.head == 1 {
				w.begun <- struct{}{}
			}
		}
		if err := w.check(ctx, rec, streamed); err != nil {
			return err
		}
	}
	return nil
}

// check looks at one record.
func (w *worker) check(ctx context.Context, rec record.Record, streamed map[string]string) error {
	switch rec.Kind {
	case record.KindTextDelta:
		var delta record.TextDelta
		if err := rec.Decode(&delta); err != nil {
			return err
		}
		streamed[delta.Message] += delta.Text
	case record.KindAssistantMessage:
		var message record.AssistantMessage
		if err := rec.Decode(&message); err != nil {
			return err
		}
		text := ""
		for _, b := range message.Blocks {
			text += b.Text
		}
		if streamed[message.ID] != text {
			return fmt.Errorf("record %d: of the answer %q came the deltas %q", rec.Seq, text, streamed[message.ID])
		}
		delete(streamed, message.ID)
	case record.KindTurnEnded:
		var ended record.TurnEnded
		if err := rec.Decode(&ended); err != nil || ended.Reason != "completed" {
			return fmt.Errorf("a turn ended with %s, %w", rec.Data, err)
		}
		w.seen.Store(rec.Seq)
		select {
		case w.ended <- struct{}{}:
		case <-ctx.Done():
		}
	}
	return nil
}

// rest waits for so long, or until it is enough.
func rest(pause time.Duration, enough <-chan struct{}) {
	if pause == 0 {
		return
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-enough:
	}
}

// received waits for an event; false: it does not come.
func received(events <-chan struct{}) bool {
	ctx, cancel := context.WithTimeout(context.Background(), stage.Patience)
	defer cancel()
	select {
	case <-events:
		return true
	case <-ctx.Done():
		return false
	}
}
