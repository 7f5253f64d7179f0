package engine

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// reopened returns a session as another process has it.
func (b *bench) reopened(t *testing.T, h *Host, id event.SessionID, o Options) *Session {
	t.Helper()
	s, err := h.Open(t.Context(), id, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// seen returns the texts of a request's messages, results left out.
func seen(req model.Request) (texts []string) {
	for _, m := range req.Messages {
		if m.Role != model.Tool {
			texts = append(texts, m.Text())
		}
	}
	return texts
}

func lockedBy(t *testing.T, err error) *LockedError {
	t.Helper()
	locked, ok := errors.AsType[*LockedError](err)
	if !ok {
		t.Fatalf("error = %v, want a *LockedError", err)
	}
	return locked
}

// TestOneWriter is rule 5: two processes that have a session open take turns, and each sees
// what the other wrote; while one works the other is refused.
func TestOneWriter(t *testing.T) {
	hanging := make(chan struct{})
	b := newBench(t, nil, say("one"), say("two"), say("three"), hang("four", hanging), say("five"))
	root, dir := t.TempDir(), t.TempDir()
	created, err := b.onDisk(t, root).Create(t.Context(), NewSession{Workspace: dir, Settings: event.Settings{Model: "test", Mode: string(approval.FullAccess)}}, b.options())
	if err != nil {
		t.Fatal(err)
	}
	defer created.Close(context.Background())
	ended(t, turnOf(t, created, "1", nil))
	second := b.reopened(t, b.onDisk(t, root), created.ID(), b.options())
	ended(t, turnOf(t, second, "2", nil))
	if err := second.Change(func(s *event.Settings) { s.Name = "shared" }); err != nil {
		t.Fatal(err)
	}

	records := created.Log().Follow(t.Context(), created.State().Head+1, event.KindSyncStarted, event.KindSyncEnded)
	if _, err := created.Prompt(t.Context(), Prompt{Text: "3"}); err != nil {
		t.Fatal(err)
	}
	var kinds []event.Kind
	for rec, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, rec.Event.Kind())
		if end := len(kinds) > 2 && rec.Event.Kind() == event.KindTurnEnded && slices.Contains(kinds, event.KindSyncEnded); end {
			break
		}
	}
	from, to := slices.Index(kinds, event.KindSyncStarted), slices.Index(kinds, event.KindSyncEnded)
	if other := kinds[from+1 : to]; from != 0 || !slices.Contains(other, event.KindTurnEnded) || !slices.Contains(other, event.KindSessionChanged) {
		t.Errorf("followers see %v", kinds)
	}
	equal(t, "what the model sees", seen(b.requests()[2]), []string{"1", "one", "2", "two", "3"})
	if name := created.State().Settings.Name; name != "shared" {
		t.Errorf("name %q", name)
	}

	if _, err := second.Prompt(t.Context(), Prompt{Text: "4"}); err != nil {
		t.Fatal(err)
	}
	<-hanging
	for what, verb := range map[string]func() error{
		"Prompt":     func() error { _, err := created.Prompt(t.Context(), Prompt{Text: "x"}); return err },
		"Steer":      func() error { return created.Steer(t.Context(), Prompt{Text: "x"}) },
		"FollowUp":   func() error { return created.FollowUp(t.Context(), Prompt{Text: "x"}) },
		"Change":     func() error { return created.Change(func(s *event.Settings) { s.Name = "x" }) },
		"Branch":     func() error { _, err := created.Branch(0); return err },
		"Compact":    func() error { _, err := created.Compact(context.Background(), ""); return err },
		"Label":      func() error { return created.Log().Label(1, "x") },
		"AddMessage": func() error { return created.AddMessage(event.Note{Blocks: []model.Block{model.TextBlock("x")}}) },
		"ClearQueue": func() error { _, _, err := created.Queue().Clear(); return err },
		"Save":       created.Save,
		"Refresh":    created.Log().Refresh,
		"Open":       func() error { _, err := b.onDisk(t, root).Open(t.Context(), created.ID(), b.options()); return err },
		"Remove":     func() error { return b.onDisk(t, root).Remove(t.Context(), created.ID()) },
	} {
		if locked := lockedBy(t, verb()); !locked.Busy || locked.PID != os.Getpid() {
			t.Errorf("%s: %+v", what, locked)
		}
	}
	if err := created.RecordCommand(event.CommandRan{Shell: event.ShellRun{Command: "ls"}, Output: "kept back"}); err != nil {
		t.Error(err)
	}
	second.Interrupt()
	if err := second.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := created.Prompt(t.Context(), Prompt{Text: "5"}); err != nil {
		t.Fatal(err)
	}
	if err := created.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	last := seen(b.requests()[4])
	if len(last) != 10 || !strings.Contains(last[8], "kept back") {
		t.Errorf("the model sees %q", last)
	}
}

// awaitIdle waits until nothing runs, and everything written is on disk: the last wait for the
// disk gives the lease back.
func awaitIdle(t *testing.T, s *Session) {
	t.Helper()
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.log.Leased() && (s.log.Pending() > 0 || s.log.Syncing()) {
		s.mu.Unlock()
		runtime.Gosched()
		s.mu.Lock()
	}
}

// TestIdleHoldsNothing: an idle session holds no file of the system's, however it became idle.
func TestIdleHoldsNothing(t *testing.T) {
	if _, err := os.ReadDir("/proc/self/fd"); err != nil {
		t.Skip("the system does not list open files")
	}
	b := newBench(t, nil, say("one"), fail(&model.Error{Kind: model.Rejected, Message: "no"}), say("two"), say("summary"))
	root, dir := t.TempDir(), t.TempDir()
	open := func() (names []string) {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			name, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name()))
			if err == nil && (strings.HasPrefix(name, root) || name == dir) {
				names = append(names, name)
			}
		}
		return names
	}
	s, err := b.onDisk(t, root).Create(t.Context(), NewSession{Workspace: dir, Settings: event.Settings{Model: "test"}}, b.options())
	if err != nil {
		t.Fatal(err)
	}
	idle := func(after string) {
		t.Helper()
		awaitIdle(t, s)
		s.lease.following.Wait()
		limit := time.After(time.Minute)
		s.mu.Lock()
		defer s.mu.Unlock()
		for late := false; s.log.Leased() && !late; { // a sync for followers may have begun since
			s.mu.Unlock()
			select {
			case <-limit:
				late = true
			default:
				runtime.Gosched()
			}
			s.mu.Lock()
		}
		if names := open(); s.log.Leased() || len(names) > 0 {
			t.Errorf("after %s: %v are open, leased %t", after, names, s.log.Leased())
		}
	}
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	idle("saving")
	for _, prompt := range []string{"a turn", "a failed turn", "another turn"} {
		turnOf(t, s, prompt, nil)
		idle(prompt)
	}
	if err := s.Change(func(s *event.Settings) { s.Archived = true }); err != nil {
		t.Fatal(err)
	}
	idle("a change")
	if wait, err := s.Compact(context.Background(), ""); err != nil {
		t.Fatal(err)
	} else if _, err := wait(); err != nil {
		t.Fatal(err)
	}
	idle("a compaction")
	id := s.ID()
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	s = b.reopened(t, b.onDisk(t, root), id, b.options())
	idle("opening")
}

// TestHolderIsWaitedFor: a holder that does not need the lease is waited for, 2 s at most; one that works is not.
func TestHolderIsWaitedFor(t *testing.T) {
	for _, test := range []struct {
		name    string
		busy    bool
		after   time.Duration // the holder gives the lease back; 0: never
		waited  time.Duration
		refused bool
	}{
		{"works", true, time.Second, 0, true},
		{"is about to end", false, time.Second, time.Second, false},
		{"does not end", false, 0, leaseWait, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, nil, say("one"))
				s := b.session(t, nil)
				if err := s.Save(); err != nil {
					t.Fatal(err)
				}
				synctest.Wait() // a deferred store releases the lease after Save has returned
				holder, err := b.store.Lease(t.Context(), s.ID())
				if err != nil {
					t.Fatal(err)
				}
				holder.SetBusy(test.busy)
				if test.after > 0 {
					time.AfterFunc(test.after, func() { _ = holder.Close() })
				}
				for _, verb := range []struct {
					name string
					call func() error
				}{
					{"Change", func() error { return s.Change(func(s *event.Settings) { s.Name = "x" }) }},
					{"Open", func() error {
						other, err := b.host().Open(t.Context(), s.ID(), b.options())
						if err == nil {
							err = other.Close(t.Context())
						}
						return err
					}},
					{"Remove", func() error { return b.host().Remove(t.Context(), s.ID()) }},
				} {
					begun := time.Now()
					err := verb.call()
					waited := time.Since(begun)
					if test.refused {
						lockedBy(t, err)
					} else if err != nil {
						t.Error(err)
					}
					if waited > test.waited+2*leasePoll || test.refused && waited < test.waited {
						t.Errorf("%s waited %s, want %s", verb.name, waited, test.waited)
					}
				}
				_ = holder.Close()
			})
		})
	}
}

// TestDeadHolder: a process died in a turn while the session was open and idle here.
func TestDeadHolder(t *testing.T) {
	b := newBench(t, nil, say("one"), say("three"))
	s := b.session(t, nil)
	ended(t, turnOf(t, s, "1", nil))
	awaitIdle(t, s)
	holder, err := b.store.Lease(t.Context(), s.ID())
	if err != nil {
		t.Fatal(err)
	}
	holder.SetBusy(true)
	at := time.Now().UTC()
	for _, e := range []event.Event{
		event.TurnStarted{Prompt: "p2"},
		event.UserMessage{ID: "p2", Blocks: []model.Block{model.TextBlock("2")}},
		event.StepStarted{Step: 1, Model: "test"},
		event.ApprovalAsked{ID: "a-9", Call: "c"},
	} {
		if err := holder.Append(holder.Head(), []event.Record{{Seq: holder.Head() + 1, Time: at, Turn: "t2", Event: e}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := holder.Close(); err != nil { // which is what the system does for a dead process
		t.Fatal(err)
	}
	records := s.Log().Follow(t.Context(), s.State().Head+1, event.KindSyncStarted, event.KindSyncEnded)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "3"}); err != nil {
		t.Fatal(err)
	}
	var all []event.Record
	for rec, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rec)
		if end, ok := rec.Event.(event.TurnEnded); ok && !end.Recovered {
			break
		}
	}
	checkBalanced(t, all)
	ends := find[event.TurnEnded](all)
	if len(ends) != 2 || ends[0].Reason != event.TurnInterrupted || len(find[event.ApprovalAnswered](all)) != 1 {
		t.Errorf("ends %+v", ends)
	}
	for i, rec := range all {
		if end, ok := rec.Event.(event.TurnEnded); ok && end.Recovered && all[i+1].Event.Kind() != event.KindSyncEnded {
			t.Error("the end of the dead process' turn is not among its records")
		}
	}
	equal(t, "what the model sees", seen(b.requests()[1]), []string{"1", "one", "2", "3"})
}

// TestOverride: settings that are given while another process works count from then on.
func TestOverride(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil, say("one"))
		s := b.session(t, nil)
		if err := s.Override(func(s *event.Settings) { s.Name = "before" }); err != nil || s.State().Settings.Name != "before" {
			t.Fatalf("Override of a session that nothing else uses: %v, %+v", err, s.State().Settings)
		}
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // a deferred store releases the lease after Save has returned
		holder, err := b.store.Lease(t.Context(), s.ID())
		if err != nil {
			t.Fatal(err)
		}
		holder.SetBusy(true)
		head := s.State().Head
		for _, edit := range []func(*event.Settings){
			func(s *event.Settings) { s.Asking = approval.AskAlways },
			func(s *event.Settings) { s.Sandbox = approval.Sandbox{Kind: approval.SandboxReadOnly} },
		} {
			if err := s.Override(edit); err != nil {
				t.Fatal(err)
			}
		}
		check := func(st State, name string) {
			t.Helper()
			if now := st.Settings; now.Asking != approval.AskAlways || now.Sandbox.Kind != approval.SandboxReadOnly || now.Name != name {
				t.Errorf("settings %+v", now)
			}
		}
		check(s.State(), "before")
		if s.State().Head != head {
			t.Error("a record without the lease")
		}
		changed := s.State().Settings
		changed.Name, changed.Asking, changed.Sandbox = "theirs", approval.AskNever, approval.Sandbox{Kind: approval.SandboxNone}
		theirs := event.Record{Seq: head + 1, Time: time.Now().UTC(), Event: event.SessionChanged{Settings: changed}}
		if err := errors.Join(holder.Append(head, []event.Record{theirs}), holder.Close()); err != nil {
			t.Fatal(err)
		}
		ended(t, turnOf(t, s, "go", nil))
		check(s.State(), "theirs")
		if recorded := find[event.SessionChanged](b.store.only().records(true)); len(recorded) != 4 {
			t.Errorf("%d changes are recorded", len(recorded))
		}
	})
}

// lastCreated is a store that remembers the journal it created last.
type lastCreated struct {
	journal.Store
	journal journal.Journal
}

func (s *lastCreated) Create(ctx context.Context, id event.SessionID, records []event.Record) (journal.Journal, error) {
	j, err := s.Store.Create(ctx, id, records)
	s.journal = j
	return j, err
}

// unreadOnce is a store that cannot be followed the first time, and whose journals do not answer the first request for the lease.
type unreadOnce struct {
	journal.Store
	followed  atomic.Bool
	requested chan struct{} // closed by that request
}

func (s *unreadOnce) Open(ctx context.Context, id event.SessionID, each func(event.Record) error) (journal.Journal, error) {
	j, err := s.Store.Open(ctx, id, each)
	return &silentOnce{Journal: j, requested: s.requested}, err
}

type silentOnce struct {
	journal.Journal
	once      sync.Once
	requested chan struct{}
}

func (j *silentOnce) Acquire(ctx context.Context, each func(event.Record) error) (err error) {
	j.once.Do(func() { err = errors.New("no answer"); close(j.requested) })
	if err != nil {
		return err
	}
	return j.Journal.Acquire(ctx, each)
}

func (s *unreadOnce) Follow(ctx context.Context, id event.SessionID, from uint64) iter.Seq2[event.Record, error] {
	if s.followed.Swap(true) {
		return s.Store.Follow(ctx, id, from)
	}
	return func(yield func(event.Record, error) bool) { yield(event.Record{}, errors.New("no answer")) }
}

// TestFollowOther: a session that is opened while another process works on it shows what that
// writes, to its end, and can then be gone on with; also if the process dies, and if the store does not answer for a moment.
func TestFollowOther(t *testing.T) {
	for _, dies := range []bool{false, true} {
		hanging := make(chan struct{})
		b := newBench(t, nil, hang("partial", hanging), say("two"))
		root := t.TempDir()
		h := b.onDisk(t, root)
		store := &lastCreated{Store: h.cfg.Store}
		h.cfg.Store = store
		working, err := h.Create(t.Context(), NewSession{Workspace: t.TempDir(), Settings: event.Settings{Model: "test"}}, b.options())
		if err != nil {
			t.Fatal(err)
		}
		defer working.Close(context.Background())
		turn, err := working.Prompt(t.Context(), Prompt{Text: "1"})
		if err != nil {
			t.Fatal(err)
		}
		<-hanging
		o := b.options()
		o.FollowOthers = true
		following := b.onDisk(t, root)
		requested := make(chan struct{})
		following.cfg.Store = &unreadOnce{Store: following.cfg.Store, requested: requested}
		s := b.reopened(t, following, working.ID(), o)
		if st := s.State(); !st.Elsewhere || st.Busy || st.Turn != turn {
			t.Errorf("state %+v", st)
		}
		<-requested
		lockedBy(t, errorOf(s.Prompt(t.Context(), Prompt{Text: "x"})))
		if err := working.Change(func(settings *event.Settings) { settings.Name = "renamed" }); err != nil {
			t.Fatal(err)
		}
		for rec, err := range s.Log().Follow(t.Context(), 1) {
			if err != nil {
				t.Fatal(err)
			}
			if rec.Event.Kind() == event.KindSessionChanged {
				break
			}
		}
		records := s.Log().Follow(t.Context(), s.State().Head+1, event.KindSyncEnded)
		if dies {
			working.mu.Lock() // it writes nothing any more, and the system takes its lease back
			if err := store.journal.Close(); err != nil {
				t.Error(err)
			}
			working.mu.Unlock()
		} else {
			working.Interrupt()
		}
		var all []event.Record
		for rec, err := range records {
			if err != nil {
				t.Fatal(err)
			}
			if all = append(all, rec); rec.Event.Kind() == event.KindSyncEnded {
				break
			}
		}
		ends := find[event.TurnEnded](all)
		if len(ends) != 1 || ends[0].Reason != event.TurnInterrupted || ends[0].Recovered != dies {
			t.Errorf("dies %t: ends %+v", dies, ends)
		}
		if st := s.State(); st.Elsewhere || st.Turn != "" {
			t.Errorf("state %+v", st)
		}
		ended(t, turnOf(t, s, "2", nil))
	}
}

func errorOf[T any](_ T, err error) error { return err }

// TestRemovedWhileOpen: a session that another process removed does not come back.
func TestRemovedWhileOpen(t *testing.T) {
	b := newBench(t, nil, say("one"))
	root := t.TempDir()
	h := b.onDisk(t, root)
	s, err := h.Create(t.Context(), NewSession{Workspace: t.TempDir(), Settings: event.Settings{Model: "test"}}, b.options())
	if err != nil {
		t.Fatal(err)
	}
	ended(t, turnOf(t, s, "1", nil))
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	lockedBy(t, h.Remove(t.Context(), s.ID()))
	if err := b.onDisk(t, root).Remove(t.Context(), s.ID()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prompt(t.Context(), Prompt{Text: "2"}); !errors.Is(err, ErrNoSession) {
		t.Errorf("Prompt: %v", err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(h.Location(s.ID())); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the removed session: %v", err)
	}
}

// TestDirOfProcess: turns work in the folder that the process names, and the move is recorded;
// it is not one of its subagents, nor of another process that has the session open.
func TestDirOfProcess(t *testing.T) {
	b := newBench(t, nil, say("one"), say("two"), say("three"))
	root, first := t.TempDir(), t.TempDir()
	s, err := b.onDisk(t, root).Create(t.Context(), NewSession{Workspace: first, Settings: event.Settings{Model: "test"}}, b.options())
	if err != nil {
		t.Fatal(err)
	}
	ended(t, turnOf(t, s, "1", nil))
	id := s.ID()
	if err := errors.Join(s.Close(t.Context()), os.RemoveAll(first)); err != nil {
		t.Fatal(err)
	}
	var sessions []*Session
	for range 2 {
		o := b.options()
		o.Dir = t.TempDir()
		moved := b.reopened(t, b.onDisk(t, root), id, o)
		if dir := moved.State().Dir(); dir != o.Dir {
			t.Errorf("it works in %s, want %s", dir, o.Dir)
		}
		sessions = append(sessions, moved)
	}
	for _, moved := range sessions {
		if err := moved.Log().Refresh(); err != nil { // else the turn of the other is among the records
			t.Fatal(err)
		}
		records := turnOf(t, moved, "next", nil)
		if end := ended(t, records); end.Reason != event.TurnCompleted {
			t.Errorf("the turn ends as %s", end.Reason)
		}
		if dir := moved.State().Dir(); dir != moved.opts.Dir || moved.work.env.Workspace.Dir() != dir {
			t.Errorf("it works in %s, want %s", dir, moved.opts.Dir)
		}
	}
	gone := b.options()
	gone.Dir = first
	lost := b.reopened(t, b.onDisk(t, root), id, gone)
	if _, err := lost.Prompt(t.Context(), Prompt{Text: "x"}); !errors.Is(err, ErrNoFolder) || !strings.Contains(err.Error(), first) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestFollowOtherSeesLargeOutputs: a large output, which the journal stores as a blob, reaches the
// followers in another process as text.
func TestFollowOtherSeesLargeOutputs(t *testing.T) {
	big := strings.Repeat("y", 3*outputCap)
	flood := fakeTool{"look", 1, func(context.Context, tool.Hooks, string) tool.Result { return tool.Result{Text: big} }}
	b := newBench(t, []fakeTool{flood}, call(toolCall("c", "look", `{}`)), say("ok"))
	root, dir := t.TempDir(), t.TempDir()
	settings := event.Settings{Model: "test", Mode: string(approval.FullAccess)}
	working, err := b.onDisk(t, root).Create(t.Context(), NewSession{Workspace: dir, Settings: settings}, b.options())
	if err != nil {
		t.Fatal(err)
	}
	defer working.Close(context.Background())
	if err := working.Save(); err != nil {
		t.Fatal(err)
	}
	other := b.reopened(t, b.onDisk(t, root), working.ID(), b.options())
	records := other.Log().Follow(t.Context(), other.State().Head+1)
	ended(t, turnOf(t, working, "go", nil))
	if err := other.Log().Refresh(); err != nil {
		t.Fatal(err)
	}
	for rec, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := rec.Event.(event.ToolEnded); ok {
			if e.Output != big {
				t.Errorf("the follower got %d bytes of %d", len(e.Output), len(big))
			}
			return
		}
	}
}
