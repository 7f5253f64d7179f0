package engine

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// A slowDisk takes as long for each Sync as the test does to let it pass. Some syncs run with the
// session's lock. A goroutine that waits for a mutex keeps synctest.Wait from returning, so a test must
// let everything else that needs the lock finish before such a sync begins; see after.
type slowDisk struct {
	pass chan struct{}
	mu   sync.Mutex
	seen map[string]event.Kind // by follower, the last of all
	done []string              // what has returned
}

// slow returns a session on a slowDisk that has a follower.
func slow(t *testing.T, b *bench) (*Session, *slowDisk) {
	t.Helper()
	s := b.session(t, nil)
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	d := &slowDisk{pass: make(chan struct{}), seen: map[string]event.Kind{}}
	b.store.setSync(func() { <-d.pass })
	d.follow(t, s, "early", s.State().Head+1)
	return s, d
}

func (d *slowDisk) follow(t *testing.T, s *Session, name string, from uint64) {
	records := s.Log().Follow(t.Context(), from)
	go func() {
		for rec, err := range records {
			if err != nil { // the test is over
				return
			}
			d.mu.Lock()
			d.seen[name] = rec.Event.Kind()
			d.mu.Unlock()
		}
	}()
}

// settle lets every Sync pass until all goroutines are blocked by something else.
func (d *slowDisk) settle() {
	done := make(chan struct{})
	go func() {
		for {
			select {
			case d.pass <- struct{}{}:
			case <-done:
				return
			}
		}
	}()
	synctest.Wait()
	close(done)
	synctest.Wait()
}

// after returns an answer that begins when the test sends to begin.
func after(begin <-chan struct{}, answer answerFunc) answerFunc {
	return func(ctx context.Context, req *modelRequest, yield yieldFunc) {
		<-begin
		answer(ctx, req, yield)
	}
}

func (d *slowDisk) do(name string, f func()) {
	go func() {
		f()
		d.mu.Lock()
		defer d.mu.Unlock()
		d.done = append(d.done, name)
	}()
	synctest.Wait()
}

func (d *slowDisk) expect(t *testing.T, b *bench, when string, requests int, last event.Kind, done ...string) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	slices.Sort(d.done)
	if n := len(b.requests()); n != requests || !slices.Equal(d.done, done) {
		t.Errorf("%s: %d requests, %q have returned; want %d, %q", when, n, d.done, requests, done)
	}
	for name, seen := range d.seen {
		if seen != last {
			t.Errorf("%s: %s received %q, want %q", when, name, seen, last)
		}
	}
}

// TestSentOnceOnDisk: followers from any record on, the client that prompts and the model receive
// nothing that is not on disk, and no tool with effects runs before its start is on disk.
func TestSentOnceOnDisk(t *testing.T) {
	needsDisk(t)
	synctest.Test(t, func(t *testing.T) {
		running, finish, answer := make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
		work := workTool(func(context.Context, tool.Hooks, string) tool.Result {
			running <- struct{}{}
			<-finish
			return tool.Result{Text: "done"}
		})
		b := newBench(t, []fakeTool{work}, after(answer, call(toolCall("c", "work", `{}`))), after(answer, say("ok")))
		s, d := slow(t, b)
		prompt := func() {
			if turn, err := s.Prompt(t.Context(), Prompt{ID: "p", Text: "go"}); turn == "" || err != nil {
				t.Errorf("turn %q, %v", turn, err)
			}
		}
		d.do("prompt", prompt)
		d.do("repeat", prompt)
		d.follow(t, s, "late", s.State().Head) // written, not on disk
		synctest.Wait()
		d.expect(t, b, "a prompt is written", 0, "")
		d.settle()
		d.expect(t, b, "it is on disk", 1, event.KindStepStarted, "prompt", "repeat")
		answer <- struct{}{}
		synctest.Wait()
		d.expect(t, b, "a call is answered", 1, event.KindStepStarted, "prompt", "repeat")
		if len(running) != 0 {
			t.Error("the tool runs and its start is not on disk")
		}
		d.settle()
		d.expect(t, b, "the tool runs", 1, event.KindToolStarted, "prompt", "repeat")
		if len(running) != 1 {
			t.Error("the tool does not run")
		}
		close(finish)
		synctest.Wait()
		d.expect(t, b, "its end is written", 1, event.KindToolStarted, "prompt", "repeat")
		d.settle()
		d.expect(t, b, "it is on disk", 2, event.KindStepStarted, "prompt", "repeat")
		answer <- struct{}{}
		synctest.Wait()
		d.expect(t, b, "the turn's end is written", 2, event.KindStepStarted, "prompt", "repeat")
		close(d.pass)
		synctest.Wait()
		d.expect(t, b, "the turn's end is on disk", 2, event.KindTurnEnded, "prompt", "repeat")
	})
}

// TestCloseAheadOfTheDisk: a session that is closed while a prompt goes to the disk waits for it.
func TestCloseAheadOfTheDisk(t *testing.T) {
	needsDisk(t)
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil, say("ok"))
		end := make(chan struct{})
		b.afterCancel = end
		s, d := slow(t, b)
		d.do("prompt", func() {
			if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
				t.Error(err)
			}
		})
		d.do("close", func() {
			if err := s.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
		d.expect(t, b, "while the disk is waited for", 0, "")
		close(d.pass)
		close(end)
		synctest.Wait()
		d.expect(t, b, "then", 0, event.KindTurnEnded, "close", "prompt")
	})
}
