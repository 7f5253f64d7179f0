package engine

import (
	"context"
	"slices"
	"testing"

	"parley.dev/parley/internal/event"
)

// crashed stores a session whose process has died during a turn.
func (b *bench) crashed(t *testing.T, id event.SessionID) {
	t.Helper()
	j, err := b.store.Create(t.Context(), id, []event.Record{
		{Seq: 1, Event: event.SessionCreated{Version: event.Version, ID: id, Workspace: t.TempDir()}},
		{Seq: 2, Turn: "t-1", Event: event.TurnStarted{Prompt: "p-1"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

func kinds(t *testing.T, s *Session) (all []event.Kind) {
	t.Helper()
	for rec, err := range s.Log().Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rec.Event.Kind())
	}
	return all
}

// TestViewWritesNothing: a session that is viewed is not changed, and needs no lease; the first Open closes what a dead
// process left open, for viewers, too.
func TestViewWritesNothing(t *testing.T) {
	b := newBench(t, nil, say("ok"))
	b.crashed(t, "s")
	h := b.sharedHost(Sharing{})
	v, err := h.View(t.Context(), "s", b.options())
	if err != nil {
		t.Fatal(err)
	}
	if st := v.State(); st.Turn != "t-1" || st.Busy || st.Elsewhere || st.Head != 2 {
		t.Errorf("%+v", st)
	}
	b.store.mu.Lock()
	lines, leased := len(b.store.journals["s"].lines), b.store.journals["s"].leased
	b.store.mu.Unlock()
	if lines != 2 || leased {
		t.Errorf("%d records, leased %t", lines, leased)
	}
	s, err := h.Open(t.Context(), "s", b.options())
	if err != nil || s != v {
		t.Fatalf("%v, the same %t", err, s == v)
	}
	if got := kinds(t, v); !slices.Contains(got, event.KindTurnEnded) {
		t.Errorf("after Open: %v", got)
	}
	turnOf(t, s, "go", nil)
	closed(t, s)
	closed(t, v)
}

// TestViewFollowsOthers: what another process writes is seen while a session is viewed.
func TestViewFollowsOthers(t *testing.T) {
	b, root := newBench(t, nil), t.TempDir()
	first := b.create(t, b.onDisk(t, root), nil)
	defer closed(t, first)
	if err := first.Save(); err != nil {
		t.Fatal(err)
	}
	h := b.onDisk(t, root)
	h.cfg.Sharing = &Sharing{}
	v, err := h.View(t.Context(), first.ID(), b.options())
	if err != nil {
		t.Fatal(err)
	}
	records := v.Log().Follow(t.Context(), v.State().Head+1)
	if err := first.Join(ClientInfo{}).Change(func(s *event.Settings) { s.Name = "renamed" }); err != nil {
		t.Fatal(err)
	}
	for rec, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		if changed, ok := rec.Event.(event.SessionChanged); !ok || changed.Settings.Name != "renamed" {
			t.Errorf("%+v", rec.Event)
		}
		break
	}
	closed(t, v)
}

// TestHostWatch: each session that changes is yielded, together with others that have changed meanwhile, once.
func TestHostWatch(t *testing.T) {
	b := newBench(t, nil, say("ok"))
	h := b.sharedHost(Sharing{})
	ctx, cancel := context.WithCancel(t.Context())
	changes := h.Watch(ctx)
	one, two := b.create(t, h, nil), b.create(t, h, nil)
	turnOf(t, one, "go", nil)
	want := []event.SessionID{one.ID(), two.ID()}
	for ids := range changes {
		if slices.Sort(want); !slices.Equal(ids, want) {
			t.Errorf("%v, want %v", ids, want)
		}
		break
	}
	first := true
	for ids := range h.Watch(ctx) {
		if first && !slices.Equal(ids, want) || !first && !slices.Equal(ids, []event.SessionID{two.ID()}) {
			t.Errorf("first %t: %v", first, ids)
		}
		if !first {
			break
		}
		first = false
		closed(t, two)
	}
	cancel()
	for ids := range h.Watch(ctx) {
		t.Errorf("after the end: %v", ids)
	}
	closed(t, one)
	if h.watchers.any.Load() {
		t.Error("a watcher is left")
	}
}

// TestOpenElsewhere: whether a session that another process works on can be opened is up to each caller, not to the client
// of this host that opened it first.
func TestOpenElsewhere(t *testing.T) {
	hanging := make(chan struct{})
	b, root := newBench(t, nil, hang("", hanging)), t.TempDir()
	working := b.create(t, b.onDisk(t, root), nil)
	defer closed(t, working)
	if _, err := working.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	<-hanging
	h := b.onDisk(t, root)
	h.cfg.Sharing = &Sharing{}
	follows, relays := b.options(), b.options()
	follows.FollowOthers = true
	first, err := h.Open(t.Context(), working.ID(), follows)
	if err != nil || !first.State().Elsewhere {
		t.Fatal(err)
	}
	lockedBy(t, errorOf(h.Open(t.Context(), working.ID(), relays)))
	if second, err := h.Open(t.Context(), working.ID(), follows); err != nil || second != first || h.Holders(first.ID()) != 2 {
		t.Errorf("%v, %d holders", err, h.Holders(first.ID()))
	}
	closed(t, first)
	closed(t, first)

	v, err := h.View(t.Context(), working.ID(), relays)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := h.Open(t.Context(), working.ID(), follows); err != nil || s != v || !s.State().Elsewhere {
		t.Errorf("after a viewer: %v", err)
	}
	closed(t, v)
	closed(t, v)
}
