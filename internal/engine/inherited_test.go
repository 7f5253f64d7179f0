package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/model"
)

// waiting stores a session whose process has died during a turn, while prompts waited. The journal, which is leased, has
// no end yet.
func (b *bench) waiting(t *testing.T, id event.SessionID, steering, followUps []string) journal.Journal {
	t.Helper()
	queue := func(texts []string) (queue []event.Queued) {
		for _, text := range texts {
			queue = append(queue, event.Queued{ID: event.PromptID("p-" + text), Blocks: []model.Block{model.TextBlock(text)}})
		}
		return queue
	}
	settings := event.Settings{Model: "test", Mode: "danger-full-access"}
	j, err := b.store.Create(t.Context(), id, []event.Record{
		{Seq: 1, Event: event.SessionCreated{Version: event.Version, ID: id, Workspace: t.TempDir(), Settings: settings}},
		{Seq: 2, Turn: "t-1", Event: event.TurnStarted{Prompt: "p-go"}},
		{Seq: 3, Turn: "t-1", Event: event.UserMessage{ID: "p-go", Blocks: []model.Block{model.TextBlock("go")}}},
		{Seq: 4, Turn: "t-1", Event: event.QueueChanged{Steering: queue(steering), FollowUps: queue(followUps)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func drives() ClientInfo { return ClientInfo{Name: "bot", Driver: true} }

// TestInheritedQueue: prompts that a process had accepted when it died run when a client comes that may give the session
// prompts, in their order, each once, however the session treats what waits; until then they wait.
func TestInheritedQueue(t *testing.T) {
	for _, test := range []struct {
		name                string
		steering, followUps []string
		edit                func(*Options)
		turns               int
		last                []string // what the last request has of the user
	}{
		{"nothing waits", nil, nil, func(*Options) {}, 1, nil},
		{"follow-ups in turns of their own", nil, []string{"a", "b"}, func(o *Options) { o.FollowUps = FollowUpInNewTurn }, 3, []string{"go", "a", "b"}},
		{"follow-ups in the running turn", nil, []string{"a", "b"}, func(*Options) {}, 2, []string{"go", "a", "b"}},
		{"one follow-up after the other", nil, []string{"a", "b", "c"}, func(o *Options) { o.FollowUps = FollowUpOneByOne }, 2, []string{"go", "a", "b", "c"}},
		{"steers", []string{"a", "b"}, nil, func(*Options) {}, 2, []string{"go", "a", "b"}},
		{"steers of a session that takes them in turns only", []string{"a", "b"}, nil, func(o *Options) { o.Steers = SteerRunningTurn }, 2, []string{"go", "a", "b"}},
		{"both", []string{"a"}, []string{"b"}, func(o *Options) { o.FollowUps = FollowUpInNewTurn }, 3, []string{"go", "a", "b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, nil, say("1"), say("2"), say("3"), say("4"))
			if err := b.waiting(t, "s", test.steering, test.followUps).Close(); err != nil {
				t.Fatal(err)
			}
			o := b.options()
			test.edit(&o)
			s := b.reopened(t, b.host(), "s", o)
			s.Attach(ClientInfo{Name: "reviewer"})
			if st := s.State(); st.Busy || len(st.Steering) != len(test.steering) || len(st.FollowUps) != len(test.followUps) {
				t.Fatalf("for a client that must not prompt: %+v", st)
			}
			c := s.Attach(drives())
			if err := s.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			st := s.State()
			if st.Turns != test.turns || len(st.Steering)+len(st.FollowUps) > 0 {
				t.Errorf("%d turns, queue %+v, %+v", st.Turns, st.Steering, st.FollowUps)
			}
			var last []string
			if requests := b.requests(); len(requests) > 0 {
				last = said(requests[len(requests)-1].Messages)
			}
			if diff := cmp.Diff(test.last, last); diff != "" {
				t.Error(diff)
			}
			for _, text := range append(test.steering, test.followUps...) {
				if as, err := c.Submit(t.Context(), Prompt{ID: event.PromptID("p-" + text), Text: text}); err != nil || !as.Repeated || as.Turn == "" {
					t.Errorf("the repeat of %s: %+v, %v", text, as, err)
				}
			}
			s.Attach(drives())
			if got := s.State(); got.Turns != st.Turns || got.Busy {
				t.Errorf("another client begins %+v", got)
			}
			checkBalanced(t, allOf(t, s))
		})
	}
}

func allOf(t *testing.T, s *Session) (all []event.Record) {
	t.Helper()
	for rec, err := range s.Log().Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rec)
	}
	return all
}

// TestInheritedQueueIsViewed: viewing a session runs nothing and writes nothing; the client that opens it then does.
func TestInheritedQueueIsViewed(t *testing.T) {
	b := newBench(t, nil, say("1"))
	if err := b.waiting(t, "s", nil, []string{"a"}).Close(); err != nil {
		t.Fatal(err)
	}
	h := b.sharedHost(Sharing{})
	v, err := h.View(t.Context(), "s", b.options())
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, v)
	v.Attach(ClientInfo{Name: "reviewer"})
	if st := v.State(); st.Busy || st.Head != 4 || len(st.FollowUps) != 1 {
		t.Errorf("viewed: %+v", st)
	}
	s, err := h.Open(t.Context(), "s", b.options())
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, s)
	s.Attach(drives())
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if st := s.State(); st.Turns != 2 || len(st.FollowUps) > 0 {
		t.Errorf("opened: %+v", st)
	}
}

// TestInheritedQueueOfFollowed: the process whose turn is followed dies, and what waited there runs here.
func TestInheritedQueueOfFollowed(t *testing.T) {
	b := newBench(t, nil, say("1"))
	other := b.waiting(t, "s", nil, []string{"a"})
	other.SetBusy(true)
	o := b.options()
	o.FollowOthers = true
	s := b.reopened(t, b.host(), "s", o)
	s.Attach(drives())
	if st := s.State(); !st.Elsewhere || len(st.FollowUps) != 1 {
		t.Fatalf("%+v", st)
	}
	records := s.Log().Follow(t.Context(), s.State().Head+1)
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	for rec, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		if end, ok := rec.Event.(event.TurnEnded); ok && !end.Recovered {
			break
		}
	}
	if st := s.State(); st.Turns != 2 || len(st.FollowUps) > 0 {
		t.Errorf("%+v", st)
	}
}

// TestInheritedQueueAfterPrompt: a prompt that gets the session from a process that has died begins its own turn, and what
// waited follows it. While a caller has the lease for several verbs, nothing begins in between.
func TestInheritedQueueAfterPrompt(t *testing.T) {
	b := newBench(t, nil, say("0"), say("1"), say("2"))
	s := b.session(t, func(o *Options, _ *event.Settings) { o.FollowUps = FollowUpInNewTurn })
	turnOf(t, s, "first", nil)
	awaitIdle(t, s)
	c := s.Attach(drives())
	holder, err := b.store.Lease(t.Context(), s.ID())
	if err != nil {
		t.Fatal(err)
	}
	queue := event.QueueChanged{FollowUps: []event.Queued{{ID: "p-a", Blocks: []model.Block{model.TextBlock("a")}}}}
	if err := holder.Append(holder.Head(), []event.Record{{Seq: holder.Head() + 1, Time: time.Now().UTC(), Event: queue}}); err != nil {
		t.Fatal(err)
	}
	if err := holder.Close(); err != nil {
		t.Fatal(err)
	}
	release, err := s.Lease()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Log().Refresh(); err != nil || s.State().Busy {
		t.Errorf("%v, %+v", err, s.State())
	}
	if _, err := c.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	release()
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	requests := b.requests()
	equal(t, fmt.Sprintf("the last of %d requests", len(requests)), said(requests[len(requests)-1].Messages), []string{"first", "go", "a"})
}

// TestInheritedQueueOfIdle: what an idle session has accepted for its next prompt waits for that in the next process, too.
func TestInheritedQueueOfIdle(t *testing.T) {
	b := newBench(t, nil, say("0"), say("1"))
	h := b.host()
	s := b.create(t, h, nil)
	turnOf(t, s, "first", nil)
	if err := s.anyClient().Steer(t.Context(), Prompt{Text: "a"}); err != nil {
		t.Fatal(err)
	}
	closed(t, s)
	s = b.reopened(t, h, s.ID(), b.options())
	c := s.Attach(drives())
	if st := s.State(); st.Busy || len(st.Steering) != 1 {
		t.Errorf("%+v", st)
	}
	if _, err := c.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	equal(t, "the last request", said(b.requests()[1].Messages), []string{"first", "go", "a"})
}

// TestRepeatedSteer: the repeat of a steer or a follow-up that a turn has taken is no error when the session is idle; a new
// one is.
func TestRepeatedSteer(t *testing.T) {
	hanging := make(chan struct{})
	b := newBench(t, nil, hang("", hanging))
	s := b.session(t, nil)
	c := s.Attach(drives())
	if _, err := c.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	<-hanging
	verbs := map[event.PromptID]func(context.Context, Prompt) error{"s": c.Steer, "f": c.FollowUp}
	for id, verb := range verbs {
		if err := verb(t.Context(), Prompt{ID: id, Text: "and", WhileBusy: true}); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	c.Interrupt()
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for id, verb := range verbs {
		if err := verb(t.Context(), Prompt{ID: id, Text: "and", WhileBusy: true}); err != nil {
			t.Errorf("the repeat of %s: %v", id, err)
		}
		if err := verb(t.Context(), Prompt{ID: "new", Text: "and", WhileBusy: true}); !errors.Is(err, ErrIdle) {
			t.Errorf("a new one: %v", err)
		}
	}
}
