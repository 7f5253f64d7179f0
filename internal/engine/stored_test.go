package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// lateBench returns a bench whose store is deferred.
func lateBench(t testing.TB, tools []fakeTool, answers ...answerFunc) *bench {
	b := newBench(t, tools, answers...)
	if b.late == nil {
		b.late = newLateStore(b.store)
	}
	return b
}

// never is an acknowledgement that does not come: it waits until the test ends it.
func never(end <-chan struct{}) func(context.Context, string) error {
	return func(ctx context.Context, _ string) error {
		select {
		case <-end:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// holdLease has the session keep its lease when it is idle.
func holdLease(t *testing.T, s *Session) {
	t.Helper()
	if _, err := s.Lease(); err != nil {
		t.Fatal(err)
	}
}

// collect follows the whole session, and returns what was received so far and what is closed at the end.
func (b *bench) collect(t *testing.T, s *Session) (records func() []event.Record, ended <-chan struct{}) {
	t.Helper()
	var all []event.Record
	done := make(chan struct{})
	following := s.Log().Follow(t.Context(), 1, event.KindTextDelta)
	lock := make(chan struct{}, 1)
	go func() {
		defer close(done)
		for rec, err := range following {
			if err != nil {
				return
			}
			if stored := b.late.stored(); s.log.Created() && rec.Seq > stored {
				t.Errorf("record %d (%s) is shown, and %d are stored", rec.Seq, rec.Event.Kind(), stored)
			}
			lock <- struct{}{}
			all = append(all, rec)
			<-lock
		}
	}()
	return func() []event.Record {
		lock <- struct{}{}
		defer func() { <-lock }()
		return append([]event.Record(nil), all...)
	}, done
}

// TestShownOnceStored is a property: whatever the store takes for each acknowledgement, and whichever it refuses at
// first, nothing is shown or sent to the model that is not stored, and in the end everything is.
func TestShownOnceStored(t *testing.T) {
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			sent := func(answer answerFunc) answerFunc {
				return func(ctx context.Context, req *model.Request, yield func(model.Delta, error) bool) {
					answer(ctx, req, yield)
				}
			}
			work := workTool(func(context.Context, tool.Hooks, string) tool.Result { return tool.Result{Text: "done"} })
			b := lateBench(t, []fakeTool{work, lookTool()},
				sent(call(toolCall("c", "work", `{}`), toolCall("d", "look", `{}`))), sent(say("one", "two")), sent(say("ok")))
			s := b.session(t, nil)
			if err := s.Save(); err != nil {
				t.Fatal(err)
			}
			b.store.setSync(nil)
			delays := make(chan time.Duration, 1000)
			for range cap(delays) {
				delays <- time.Duration(random.IntN(50)) * time.Millisecond * time.Duration(random.IntN(3))
			}
			b.late.setAwait(func(context.Context, string) error { time.Sleep(<-delays); return nil })
			if seed%4 == 0 {
				b.late.setRefused(errors.New("maximum bytes exceeded"))
				time.AfterFunc(time.Duration(random.IntN(200))*time.Millisecond, func() { b.late.setRefused(nil) })
			}
			records, _ := b.collect(t, s)
			for _, text := range []string{"go", "more"} {
				for {
					_, err := s.Prompt(t.Context(), Prompt{Text: text})
					if err == nil {
						break
					}
					if !errors.Is(err, ErrUnsaved) {
						t.Fatal(err)
					}
					time.Sleep(time.Second)
				}
				_ = s.Wait(t.Context())
			}
			if err := s.Log().AwaitStored(t.Context()); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			var got uint64
			for _, rec := range records() {
				if rec.Seq != 0 {
					got++
				}
			}
			if head := s.State().Head; got != head || b.late.stored() != head {
				t.Errorf("seed %d: %d records are shown and %d stored, the head is %d", seed, got, b.late.stored(), head)
			}
			checkBalanced(t, records())
		})
	}
}

// TestModelAwaitsAck: the model is called, and a tool with effects runs, once everything before is stored.
func TestModelAwaitsAck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running := make(chan struct{}, 1)
		work := workTool(func(context.Context, tool.Hooks, string) tool.Result {
			running <- struct{}{}
			return tool.Result{Text: "done"}
		})
		b := lateBench(t, []fakeTool{work}, call(toolCall("c", "work", `{}`)), say("ok"))
		s := b.session(t, nil)
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
		ack := make(chan struct{})
		b.late.setAwait(func(context.Context, string) error { <-ack; return nil })
		defer b.late.setAwait(nil)
		prompted := make(chan error, 1)
		go func() {
			_, err := s.Prompt(t.Context(), Prompt{Text: "go"})
			prompted <- err
		}()
		synctest.Wait()
		if len(b.requests()) != 0 || len(prompted) != 0 {
			t.Error("the prompt is not stored, and the model or the client has it")
		}
		for len(b.requests()) == 0 {
			ack <- struct{}{}
			synctest.Wait()
		}
		if err := <-prompted; err != nil {
			t.Error(err)
		}
		if len(running) != 0 {
			t.Error("the tool runs and its start is not stored")
		}
		for len(running) == 0 {
			ack <- struct{}{}
			synctest.Wait()
		}
		close(ack)
		_ = s.Wait(t.Context())
	})
}

// TestLost: in each phase of a turn, when another process takes the session over the session ends, nothing is recorded, and
// followers see the end of what they have seen the begin of.
func TestLost(t *testing.T) {
	hanging := func(ch chan struct{}) answerFunc { return hang("partial", ch) }
	for _, test := range []struct {
		name string
		turn bool // followers have seen the begin of a turn
		run  func(t *testing.T, b *bench, s *Session)
		opts func(*Options, *event.Settings)
		b    func(at chan struct{}) *bench
	}{
		{name: "idle", b: func(chan struct{}) *bench { return lateBench(t, nil) }, run: func(*testing.T, *bench, *Session) {}},
		{name: "before the first step", b: func(chan struct{}) *bench { return lateBench(t, nil, say("ok")) }, run: func(t *testing.T, b *bench, s *Session) {
			end := make(chan struct{})
			b.late.setAwait(never(end))
			t.Cleanup(func() { close(end) })
			go func() {
				if _, err := s.Prompt(context.Background(), Prompt{Text: "go"}); !errors.Is(err, ErrOutcomeUnknown) {
					t.Errorf("Prompt = %v, want ErrOutcomeUnknown", err)
				}
			}()
		}},
		{name: "streaming", turn: true, b: func(at chan struct{}) *bench { return lateBench(t, nil, hanging(at)) }, run: promptOnce},
		{name: "tool", turn: true, b: func(at chan struct{}) *bench {
			return lateBench(t, []fakeTool{workTool(func(ctx context.Context, _ tool.Hooks, _ string) tool.Result {
				close(at)
				<-ctx.Done()
				return tool.Failed("killed")
			})}, call(toolCall("c", "work", `{}`)), say("never"))
		}, run: promptOnce},
		{name: "approval", turn: true, opts: func(_ *Options, s *event.Settings) { s.Mode = string(approval.WorkspaceWrite) }, b: func(chan struct{}) *bench {
			work := workTool(func(context.Context, tool.Hooks, string) tool.Result { return tool.Result{Text: "done"} })
			work.level = approval.Execute
			return lateBench(t, []fakeTool{work}, call(toolCall("c", "work", `{}`)), say("never"))
		}, run: func(t *testing.T, b *bench, s *Session) {
			s.Attach(ClientInfo{Name: "test"})
			promptOnce(t, b, s)
		}},
		{name: "queued prompt", turn: true, b: func(at chan struct{}) *bench { return lateBench(t, nil, hanging(at), say("never")) }, run: func(t *testing.T, b *bench, s *Session) {
			promptOnce(t, b, s)
			if err := s.FollowUp(t.Context(), Prompt{Text: "then"}); err != nil {
				t.Error(err)
			}
		}},
		{name: "compaction", b: func(at chan struct{}) *bench { return lateBench(t, nil, say("ok"), hanging(at)) }, run: func(t *testing.T, b *bench, s *Session) {
			promptOnce(t, b, s)
			_ = s.Wait(t.Context())
			if _, err := s.Compact(t.Context(), ""); err != nil {
				t.Error(err)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := test.b(make(chan struct{}))
				b.script.t = t
				s := b.session(t, test.opts)
				if err := s.Save(); err != nil {
					t.Fatal(err)
				}
				b.late.setAwait(nil)
				holdLease(t, s)
				records, over := b.collect(t, s)
				test.run(t, b, s)
				synctest.Wait()
				asked, before := len(b.requests()), b.late.stored()
				b.late.last().lose("h-2")
				<-over
				synctest.Wait()
				if s.Ended() != EndedMoved {
					t.Errorf("Ended = %q", s.Ended())
				}
				if owner, host := s.owner(t.Context()); owner != "h-2" || host != "host of h-2" {
					t.Errorf("Owner = %q on %q", owner, host)
				}
				if after := b.late.stored(); after != before {
					t.Errorf("%d records were written", after-before)
				}
				if n := len(b.requests()); n != asked {
					t.Errorf("the model was called %d times more", n-asked)
				}
				if _, err := s.Prompt(t.Context(), Prompt{Text: "more"}); !errors.Is(err, ErrClosed) {
					t.Errorf("Prompt = %v, want ErrClosed", err)
				}
				seen := records()
				shown := seen
				for i, rec := range seen { // those of the journal have numbers
					if rec.Seq == 0 && i > 0 {
						if _, ok := rec.Event.(event.TextDelta); !ok {
							shown = seen[:i]
							break
						}
					}
				}
				if ends := len(find[event.TurnEnded](seen[len(shown):])); ends != map[bool]int{true: 1}[test.turn] {
					t.Errorf("followers have seen %d ends of turns after the loss", ends)
				}
				checkBalanced(t, seen)
			})
		})
	}
}

func promptOnce(t *testing.T, _ *bench, s *Session) {
	if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
		t.Error(err)
	}
	synctest.Wait()
}

// TestReopenedAfterLoss: a session that was lost can be opened on the same host, which closes what is open.
func TestReopenedAfterLoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := make(chan struct{})
		b := lateBench(t, nil, hang("partial", at), say("again"))
		s := b.session(t, nil)
		if _, err := s.Prompt(t.Context(), Prompt{ID: "p-1", Text: "go"}); err != nil {
			t.Fatal(err)
		}
		<-at
		turn := s.State().Turn
		b.late.last().lose("h-2")
		synctest.Wait()
		again, err := b.host().Open(t.Context(), s.ID(), b.options())
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close(context.Background())
		as, err := again.one().Submit(t.Context(), Prompt{ID: "p-1", Text: "go"})
		if err != nil || as.Turn != turn {
			t.Errorf("the repeat at the new owner = %+v, %v, want turn %s", as, err, turn)
		}
		if n := len(b.requests()); n != 1 {
			t.Errorf("%d requests, want 1", n)
		}
		ended(t, turnOf(t, again, "next", nil))
	})
}

// TestOutcomeUnknown: a prompt that is not acknowledged in time keeps its place, and its repeat returns its turn.
func TestOutcomeUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := lateBench(t, nil, say("ok"))
		s := b.session(t, nil)
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
		holdLease(t, s)
		end := make(chan struct{})
		b.late.setAwait(never(end))
		limited := func() context.Context {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			t.Cleanup(cancel)
			return ctx
		}
		for range 2 {
			if _, err := s.Prompt(limited(), Prompt{ID: "p", Text: "go"}); !errors.Is(err, ErrOutcomeUnknown) || !errors.Is(err, ErrUnsaved) {
				t.Fatalf("Prompt = %v, want ErrOutcomeUnknown", err)
			}
		}
		if n := len(b.requests()); n != 0 {
			t.Errorf("%d requests before the prompt is stored", n)
		}
		close(end)
		as, err := s.one().Submit(limited(), Prompt{ID: "p", Text: "go"})
		if err != nil || as.Turn == "" {
			t.Errorf("the repeat = %+v, %v", as, err)
		}
		_ = s.Wait(t.Context())
		if n := len(b.requests()); n != 1 {
			t.Errorf("%d requests, want 1", n)
		}
	})
}

// TestAckLimit: each verb of a client that gives the session a prompt waits for its limit, and not longer; the prompt is processed
// when it is stored.
func TestAckLimit(t *testing.T) {
	for name, verb := range map[string]func(*Client, Prompt) error{
		"Submit":   func(c *Client, p Prompt) error { _, err := c.Submit(context.Background(), p); return err },
		"Prompt":   func(c *Client, p Prompt) error { _, err := c.Prompt(context.Background(), p); return err },
		"Steer":    func(c *Client, p Prompt) error { return c.Steer(context.Background(), p) },
		"FollowUp": func(c *Client, p Prompt) error { return c.FollowUp(context.Background(), p) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := lateBench(t, nil, say("ok"), say("ok"))
				s := b.session(t, nil)
				if err := s.Save(); err != nil {
					t.Fatal(err)
				}
				holdLease(t, s)
				end := make(chan struct{})
				b.late.setAwait(never(end))
				began := time.Now()
				err := verb(s.Join(ClientInfo{AckLimit: 7 * time.Second}), Prompt{ID: "p", Text: "go"})
				if waited := time.Since(began); !errors.Is(err, ErrOutcomeUnknown) || waited != 7*time.Second {
					t.Errorf("%v after %v, want ErrOutcomeUnknown after 7s", err, waited)
				}
				close(end)
				if _, err := s.Prompt(t.Context(), Prompt{ID: "q", Text: "then"}); err != nil && !errors.Is(err, ErrTurnActive) {
					t.Error(err)
				}
				_ = s.Wait(t.Context())
				if n := len(b.requests()); n == 0 {
					t.Error("the prompt is lost")
				}
			})
		})
	}
}

// TestStoreAway: while the store does not answer a first prompt is refused in time, and not recorded; other verbs go on.
func TestStoreAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := lateBench(t, nil, say("ok"))
		s := b.session(t, nil)
		end := make(chan struct{})
		b.late.setAwait(never(end))
		began := time.Now()
		done := make(chan error, 1)
		go func() {
			_, err := s.Prompt(t.Context(), Prompt{Text: "go"})
			done <- err
		}()
		synctest.Wait()
		if st := s.State(); st.Busy { // the lock is free
			t.Errorf("state = %+v", st)
		}
		if err := <-done; !errors.Is(err, ErrUnsaved) || errors.Is(err, ErrOutcomeUnknown) {
			t.Errorf("Prompt = %v, want ErrUnsaved", err)
		}
		if took := time.Since(began); took != storeLimit {
			t.Errorf("it took %v", took)
		}
		close(end)
		synctest.Wait()
		ended(t, turnOf(t, s, "again", nil))
	})
}

// TestFullStore: a store that refuses records takes no new prompt, and gets the backlog when it has room again.
func TestFullStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := lateBench(t, nil, say("ok"), say("ok"))
		s := b.session(t, nil)
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
		holdLease(t, s)
		b.late.setRefused(errors.New("maximum bytes exceeded"))
		first := make(chan error, 1)
		go func() {
			_, err := s.Prompt(t.Context(), Prompt{Text: "go"})
			first <- err
		}()
		synctest.Wait()
		if _, err := s.one().Submit(t.Context(), Prompt{Text: "second"}); !errors.Is(err, ErrTurnActive) && !errors.Is(err, ErrUnsaved) {
			t.Errorf("Prompt = %v", err)
		}
		if n := len(b.requests()); n != 0 {
			t.Errorf("%d requests", n)
		}
		b.late.setRefused(nil)
		if err := <-first; err != nil {
			t.Error(err)
		}
		_ = s.Wait(t.Context())
		stored := find[event.Notice](b.store.only().records(false))
		if len(stored) != 1 || stored[0].Code != NoticeUnsaved {
			t.Errorf("notices = %+v", stored)
		}
	})
}

// TestBacklogBound: a model is not read while too much waits for its acknowledgement.
func TestBacklogBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const piece, pieces = 1 << 20, 24
		read, begin := 0, make(chan struct{})
		big := func(_ context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
			<-begin
			for range pieces {
				time.Sleep(2 * growEvery)
				if !yield(model.Delta{Kind: model.TextDelta, Text: strings.Repeat("x", piece)}, nil) {
					return
				}
				read++
			}
			say("end")(nil, nil, yield)
		}
		b := lateBench(t, nil, big)
		s := b.session(t, nil)
		if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		end := make(chan struct{})
		b.late.setAwait(never(end))
		close(begin)
		time.Sleep(10 * pieces * growEvery)
		synctest.Wait()
		if read < 6 || read > 12 {
			t.Errorf("%d MiB were read while nothing was acknowledged, want about 8", read)
		}
		close(end)
		_ = s.Wait(t.Context())
		if read != pieces {
			t.Errorf("%d MiB were read in the end", read)
		}
	})
}

// TestAwaitRenewal: no model call and no tool begins while the leases may have ended.
func TestAwaitRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := make(chan struct{}, 1)
		look := lookTool()
		look.run = func(context.Context, tool.Hooks, string) tool.Result {
			ran <- struct{}{}
			return tool.Result{Text: "seen"}
		}
		answering := make(chan struct{})
		b := lateBench(t, []fakeTool{look}, after(answering, call(toolCall("c", "look", `{}`))), say("ok"))
		s := b.session(t, nil)
		renewed := make(chan struct{})
		b.late.setRenewed(renewed)
		if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := len(b.requests()); n != 0 {
			t.Errorf("%d requests before the renewal", n)
		}
		close(renewed)
		synctest.Wait()
		second := make(chan struct{})
		b.late.setRenewed(second)
		answering <- struct{}{}
		synctest.Wait()
		if len(ran) != 0 {
			t.Error("the tool runs before the renewal")
		}
		close(second)
		_ = s.Wait(t.Context())
		if len(ran) != 1 {
			t.Error("the tool has not run")
		}
	})
}

// TestReadWhileStored: a read of all records has each of them once, also those that are acknowledged while it runs.
func TestReadWhileStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := lateBench(t, nil)
		s := b.session(t, nil)
		holdLease(t, s)
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
		ack := make(chan struct{})
		b.late.setAwait(func(context.Context, string) error { <-ack; return nil })
		s.mu.Lock()
		defer s.mu.Unlock()
		s.log.Append("", event.Labelled{Target: 1, Label: "a"}, event.Labelled{Target: 1, Label: "b"})
		b.late.gate.Lock()
		b.late.reading = func() { close(ack); synctest.Wait() } // the writer has ended then
		b.late.gate.Unlock()
		var numbers []string
		for rec, err := range s.log.All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, fmt.Sprint(rec.Seq))
		}
		if s.log.Pending() != 0 {
			t.Error("nothing was stored meanwhile")
		}
		var want []string
		for n := range s.log.Head() {
			want = append(want, fmt.Sprint(n+1))
		}
		equal(t, "numbers", numbers, want)
		b.late.gate.Lock()
		b.late.reading = nil
		b.late.gate.Unlock()
	})
}

// TestSaveStoresAll: Save returns after everything is stored that was recorded before there was a journal.
func TestSaveStoresAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := lateBench(t, nil)
		s := b.session(t, nil)
		b.late.setAwait(func(_ context.Context, what string) error {
			if what == "sync" {
				time.Sleep(time.Second)
			}
			return nil
		})
		s.mu.Lock()
		s.log.Append("", event.Labelled{Target: 1, Label: "a"}, event.Labelled{Target: 1, Label: "b"})
		s.mu.Unlock()
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
		if stored := b.late.stored(); stored != s.State().Head {
			t.Errorf("%d records of %d are stored", stored, s.State().Head)
		}
	})
}
