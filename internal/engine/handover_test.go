//go:build unix

package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/environ"
)

// keepers are two processes whose clients want the lease kept, on one session; the first has it.
func (b *bench) keepers(t *testing.T) (first, second *Session) {
	t.Helper()
	first = b.session(t, nil)
	first.Attach(ClientInfo{Name: "first", KeepLease: true})
	if err := first.Save(); err != nil {
		t.Fatal(err)
	}
	second = b.reopened(t, b.host(), first.ID(), b.options())
	second.Attach(ClientInfo{Name: "second", KeepLease: true})
	if err := first.Log().Refresh(); err != nil {
		t.Fatal(err)
	}
	return first, second
}

// turnHere is turnOf in a session that does not know yet what other processes wrote.
func turnHere(t *testing.T, s *Session, text string, see func(event.Record)) []event.Record {
	t.Helper()
	if err := s.Log().Refresh(); err != nil {
		t.Fatal(err)
	}
	return turnOf(t, s, text, see)
}

// hasLease reports whether this process has the lease.
func hasLease(s *Session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Leased()
}

// checkNumbers checks that no record is lost and none is there twice, and that what turns open is closed.
func checkNumbers(t *testing.T, records iter.Seq2[event.Record, error]) {
	t.Helper()
	var all []event.Record
	for rec, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, rec); rec.Seq != uint64(len(all)) {
			t.Fatalf("record %d is at place %d", rec.Seq, len(all))
		}
	}
	checkBalanced(t, all)
}

// handedOver follows a session for what is handed over; the channel has the head each time.
func handedOver(t *testing.T, s *Session) <-chan uint64 {
	t.Helper()
	heads := make(chan uint64, 20)
	records := s.Log().Follow(t.Context(), s.State().Head+1, event.KindHandedOver)
	var running sync.WaitGroup
	running.Go(func() {
		defer close(heads)
		var last uint64
		for rec, err := range records {
			if err != nil {
				return
			}
			if e, ok := rec.Event.(event.HandedOver); ok {
				if last != 0 && e.Head != last {
					t.Errorf("it is handed over at record %d, after %d", e.Head, last)
				}
				heads <- e.Head
			}
			last = max(last, rec.Seq)
		}
	})
	t.Cleanup(running.Wait)
	return heads
}

// TestIdleLeaseIsHandedOver: the lease of an idle session goes to the process that wants it, at once and as often as they
// like, and each sees what the other wrote.
func TestIdleLeaseIsHandedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil, say("1"), say("2"), say("3"), say("4"), say("5"), say("6"))
		holder, other := b.keepers(t)
		var history []string
		for n := range 6 {
			heads := handedOver(t, holder)
			begun, head := time.Now(), other.State().Head
			prompt := fmt.Sprint("prompt ", n+1)
			ended(t, turnHere(t, other, prompt, nil))
			if waited := time.Since(begun); waited > 2*leasePoll {
				t.Errorf("the lease comes after %s", waited)
			}
			history = append(history, prompt)
			equal(t, "what the model sees", seen(b.requests()[n]), history)
			history = append(history, fmt.Sprint(n+1))
			synctest.Wait()
			if hasLease(holder) || !hasLease(other) || len(heads) != 1 {
				t.Fatalf("turn %d: holder leased %t, other leased %t, handed over %d times", n+1, hasLease(holder), hasLease(other), len(heads))
			}
			if at := <-heads; at < head {
				t.Errorf("handed over at record %d, and the other one knew %d", at, head)
			}
			holder, other = other, holder
		}
		checkNumbers(t, b.host().Read(t.Context(), holder.ID()))
	})
}

// TestNeededLeaseIsRefused: a holder that needs the lease answers that at once, and gives it when it does not need it any more.
func TestNeededLeaseIsRefused(t *testing.T) {
	for _, test := range []struct {
		name  string
		hangs bool // the model does
		// need makes the session need the lease; hanging is closed when the model hangs. end ends that.
		need func(t *testing.T, s *Session, c *Client, hanging <-chan struct{}) (end func())
	}{
		{"turn", true, func(t *testing.T, _ *Session, c *Client, hanging <-chan struct{}) func() {
			submitted(t, c, "go")
			<-hanging
			return c.Interrupt
		}},
		{"compaction", true, func(t *testing.T, s *Session, c *Client, hanging <-chan struct{}) func() {
			if _, err := s.Compact(context.Background(), ""); err != nil {
				t.Fatal(err)
			}
			<-hanging
			return c.Interrupt
		}},
		{"queue", false, func(t *testing.T, s *Session, c *Client, _ <-chan struct{}) func() {
			if err := c.Steer(t.Context(), Prompt{Text: "for later"}); err != nil {
				t.Fatal(err)
			}
			return func() {
				if _, _, err := s.Queue().Clear(); err != nil {
					t.Error(err)
				}
			}
		}},
		{"command", false, func(t *testing.T, s *Session, _ *Client, _ <-chan struct{}) func() {
			spawner := sandbox.NewSpawner(sandbox.Options{Grace: 100 * time.Millisecond})
			t.Cleanup(spawner.Close)
			s.mu.Lock()
			s.work.env.Spawner, s.work.env.Environ = spawner, environ.ForChildren(os.Environ())
			s.mu.Unlock()
			ctx, cancel := context.WithCancel(t.Context())
			runs, ended := make(chan struct{}), make(chan struct{})
			once := sync.OnceFunc(func() { close(runs) })
			go func() {
				defer close(ended)
				if _, err := s.RunCommand(ctx, UserCommand{Line: "echo on; exec tail -f /dev/null", Output: func(string) { once() }}); err != nil {
					t.Error(err)
				}
			}()
			<-runs
			return func() {
				cancel()
				<-ended
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			hanging := make(chan struct{})
			answers := []answerFunc{say("one"), say("two"), say("last")}
			if test.hangs {
				answers = slices.Insert(answers, 2, hang("", hanging))
			}
			b := newBench(t, nil, answers...)
			s, other := b.keepers(t)
			c := s.anyClient()
			ended(t, turnHere(t, s, "first", nil))
			ended(t, turnHere(t, s, "second", nil))
			end := test.need(t, s, c, hanging)
			for what, verb := range map[string]func() error{
				"Prompt": func() error { _, err := other.Prompt(t.Context(), Prompt{Text: "x"}); return err },
				"Open":   func() error { _, err := b.host().Open(t.Context(), s.ID(), b.options()); return err },
				"Remove": func() error { return b.host().Remove(t.Context(), s.ID()) },
			} {
				if locked := lockedBy(t, verb()); !locked.Busy {
					t.Errorf("%s: not said to be busy", what)
				}
			}
			if b.store.LeaseRequested(s.ID()) {
				t.Error("a request is left")
			}
			end()
			if err := s.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			ended(t, turnHere(t, other, "after it", nil))
			checkNumbers(t, b.host().Read(t.Context(), s.ID()))
		})
	}
}

func submitted(t *testing.T, c *Client, text string) {
	t.Helper()
	if _, err := c.Prompt(t.Context(), Prompt{Text: text}); err != nil {
		t.Fatal(err)
	}
}

// TestWaitingLeaseIsRefused: an approval that waits is not left to another process.
func TestWaitingLeaseIsRefused(t *testing.T) {
	b := newBench(t, nil, call(toolCall("a", "write", `{"path":"x","content":"1"}`)), say("ok"), say("more"))
	b.tools["write"] = tool.Write()
	s := b.session(t, func(o *Options, _ *event.Settings) { o.Approvals = ApproveUngranted{} })
	c := s.Attach(ClientInfo{Name: "first", KeepLease: true})
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	other := b.reopened(t, b.host(), s.ID(), b.options())
	ended(t, turnHere(t, c.session, "go", func(rec event.Record) {
		asked, ok := rec.Event.(event.ApprovalAsked)
		if !ok {
			return
		}
		if locked := lockedBy(t, errorOf(other.Prompt(t.Context(), Prompt{Text: "x"}))); !locked.Busy {
			t.Error("it is not said to be busy")
		}
		if err := c.Answer(asked.ID, Decision{Allow: true}); err != nil {
			t.Error(err)
		}
	}))
	ended(t, turnHere(t, other, "after it", nil))
	checkNumbers(t, b.host().Read(t.Context(), s.ID()))
}

// TestUnansweredRequest: a holder that does not answer is waited for so long, and its request is withdrawn.
func TestUnansweredRequest(t *testing.T) {
	needsDisk(t)
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil, say("one"))
		s := b.session(t, nil)
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
		holder, err := b.store.Lease(t.Context(), s.ID()) // of a process that is stopped
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		go func() {
			time.Sleep(leaseWait / 2)
			if !b.store.LeaseRequested(s.ID()) {
				t.Error("the lease is not requested")
			}
		}()
		lockedBy(t, errorOf(s.Prompt(t.Context(), Prompt{Text: "x"})))
		if waited := time.Since(begun); waited < leaseWait || waited > leaseWait+2*leasePoll {
			t.Errorf("it waited %s", waited)
		}
		if b.store.LeaseRequested(s.ID()) {
			t.Error("the request is left")
		}
		ctx, cancel := context.WithTimeout(t.Context(), leaseWait/4)
		defer cancel()
		if _, err := b.host().Open(ctx, s.ID(), b.options()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Open with a context that ends: %v", err)
		}
		if err := holder.Close(); err != nil { // it dies
			t.Error(err)
		}
		ended(t, turnHere(t, s, "go", nil))
	})
}

// TestRequesterDies: the request of a process that has died keeps no other process from the lease: its former holder gets it
// at the next verb, and an observer after some time.
func TestRequesterDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil, say("one"), say("two"))
		s := b.session(t, nil)
		s.Attach(ClientInfo{Name: "first", KeepLease: true})
		ended(t, turnHere(t, s, "1", nil))
		awaitIdle(t, s)
		request := func() {
			t.Helper()
			heads := handedOver(t, s)
			if _, err := b.store.RequestLease(s.ID()); err != nil {
				t.Fatal(err)
			}
			<-heads
			if hasLease(s) {
				t.Error("it has the lease still")
			}
		}
		request()
		ended(t, turnHere(t, s, "2", nil))
		synctest.Wait()
		if !hasLease(s) || b.store.LeaseRequested(s.ID()) {
			t.Errorf("leased %t, requested %t", hasLease(s), b.store.LeaseRequested(s.ID()))
		}
		request()
		if err := s.Log().Observe(); err != nil {
			t.Fatal(err)
		}
		if hasLease(s) {
			t.Error("an observer takes the lease that another process has requested just now")
		}
		time.Sleep(leaseWait + 2*otherPoll)
		if st := s.State(); !hasLease(s) || st.Elsewhere || b.store.LeaseRequested(s.ID()) {
			t.Errorf("leased %t, elsewhere %t, requested %t", hasLease(s), st.Elsewhere, b.store.LeaseRequested(s.ID()))
		}
		checkNumbers(t, b.host().Read(t.Context(), s.ID()))
	})
}

// TestTwoRequesters: of two processes that want the lease at once one is first, and the other is refused or comes after it.
func TestTwoRequesters(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, nil, say("1"), say("2"), say("3"))
			s, second := b.keepers(t)
			third := b.reopened(t, b.host(), s.ID(), b.options())
			ended(t, turnHere(t, s, "first", nil))
			var group sync.WaitGroup
			turns := make(chan int, 2)
			for _, other := range []*Session{second, third} {
				group.Go(func() {
					_, err := other.Prompt(t.Context(), Prompt{Text: "mine"})
					if err == nil {
						turns <- 1
						err = other.Wait(t.Context())
					}
					if _, locked := errors.AsType[*LockedError](err); err != nil && !locked {
						t.Error(err)
					}
				})
			}
			group.Wait()
			synctest.Wait()
			if len(turns) == 0 {
				t.Error("none has got the lease")
			}
			if err := s.Log().Refresh(); err != nil {
				t.Fatal(err)
			}
			if got, want := s.State().Turns, 1+len(turns); got != want {
				t.Errorf("%d turns, want %d", got, want)
			}
			checkNumbers(t, b.host().Read(t.Context(), s.ID()))
		})
	}
}

// TestUnsavedLease: a holder whose disk is full needs the lease, and hands it over when that is not so any more.
func TestUnsavedLease(t *testing.T) {
	needsDisk(t)
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil, say("one"), say("two"))
		s := b.session(t, nil)
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
		b.store.setBroken(errors.New("disk full"))
		if err := s.Change(func(set *event.Settings) { set.Name = "unsaved" }); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		open := func() (*Session, error) { return b.host().Open(t.Context(), s.ID(), b.options()) }
		if locked := lockedBy(t, errorOf(open())); !locked.Busy || time.Since(begun) > 2*leasePoll {
			t.Errorf("%+v after %s", locked, time.Since(begun))
		}
		b.store.setBroken(nil)
		if err := s.Change(func(set *event.Settings) { set.Model = "test" }); err != nil { // changes nothing
			t.Fatal(err)
		}
		other, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if name := other.State().Settings.Name; name != "unsaved" {
			t.Errorf("name %q", name)
		}
		closed(t, other)
		checkNumbers(t, b.host().Read(t.Context(), s.ID()))
	})
}

// TestObserver: a process that has handed a session over sees the turn of the other one while it runs, and has the lease
// again when it is over.
func TestObserver(t *testing.T) {
	hanging := make(chan struct{})
	b := newBench(t, nil, say("one"), hang("partial", hanging), say("three"))
	root := t.TempDir()
	s, err := b.onDisk(t, root).Create(t.Context(), NewSession{Workspace: t.TempDir(), Settings: event.Settings{Model: "test"}}, b.options())
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, s)
	s.Attach(ClientInfo{Name: "first", KeepLease: true})
	ended(t, turnHere(t, s, "1", nil))
	heads := handedOver(t, s)
	other := b.reopened(t, b.onDisk(t, root), s.ID(), b.options())
	<-heads
	records := s.Log().Follow(t.Context(), s.State().Head+1)
	if _, err := other.Prompt(t.Context(), Prompt{Text: "2"}); err != nil {
		t.Fatal(err)
	}
	<-hanging
	if err := s.Log().Observe(); err != nil {
		t.Fatal(err)
	}
	if locked := lockedBy(t, errorOf(s.Prompt(t.Context(), Prompt{Text: "x"}))); !locked.Busy {
		t.Error("it is not said to be busy")
	}
	untilEnd(t, records, func(rec event.Record) {
		if m, ok := rec.Event.(event.UserMessage); ok && m.Blocks[0].Text == "2" {
			other.Interrupt() // the turn was seen while it ran
		}
	})
	ended(t, turnHere(t, s, "3", nil))
	checkNumbers(t, b.onDisk(t, root).Read(t.Context(), s.ID()))
}

// TestHostHandsOver: a host needs a session that a client has open; one that all have left goes to another process, and the next
// client of the host sees what that wrote.
func TestHostHandsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hanging := make(chan struct{})
		b := newBench(t, nil, say("one"), say("two"), say("three"), hang("", hanging))
		h := b.sharedHost(Sharing{Left: WaitWhenLeft, Idle: time.Hour})
		s := b.create(t, h, nil)
		c := s.Attach(ClientInfo{Name: "one"})
		ended(t, turnHere(t, s, "1", nil))
		synctest.Wait()
		open := func() (*Session, error) { return b.host().Open(t.Context(), s.ID(), b.options()) }
		if locked := lockedBy(t, errorOf(open())); !locked.Busy {
			t.Error("a session with a client is not said to be needed")
		}
		c.Leave()
		closed(t, s)
		other, err := open()
		if err != nil {
			t.Fatal(err)
		}
		ended(t, turnHere(t, other, "2", nil))

		same, err := h.Open(t.Context(), s.ID(), b.options())
		if err != nil || same != s {
			t.Fatalf("%v, the same session: %t", err, same == s)
		}
		if st := s.State(); st.Turns != 2 || !hasLease(s) {
			t.Errorf("%d turns, leased %t", st.Turns, hasLease(s))
		}
		lockedBy(t, errorOf(other.Prompt(t.Context(), Prompt{Text: "x"})))
		ended(t, turnHere(t, s, "3", nil))
		closed(t, s)

		if _, err := other.Prompt(t.Context(), Prompt{Text: "4"}); err != nil {
			t.Fatal(err)
		}
		<-hanging
		if locked := lockedBy(t, errorOf(h.Open(t.Context(), s.ID(), b.options()))); !locked.Busy {
			t.Error("a session with a turn elsewhere is not said to be needed")
		}
		if n := h.Holders(s.ID()); n != 0 {
			t.Errorf("%d have it open after a refusal", n)
		}
		closed(t, other)
		checkNumbers(t, h.Read(t.Context(), s.ID()))
		if err := h.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
