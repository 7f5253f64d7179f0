package engine

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// sharedHost returns a host whose sessions are shared.
func (b *bench) sharedHost(sharing Sharing) *Host {
	h := b.host()
	h.cfg.Sharing = &sharing
	return h
}

// create returns a session of a host that is in full access.
func (b *bench) create(t *testing.T, h *Host, edit func(*Options)) *Session {
	t.Helper()
	o := b.options()
	o.Profile = "first"
	if edit != nil {
		edit(&o)
	}
	s, err := h.Create(t.Context(), NewSession{Workspace: t.TempDir(), Settings: event.Settings{Model: "test", Mode: "danger-full-access"}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closed(t *testing.T, s *Session) {
	t.Helper()
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestSharedSession: a second Open of an open session returns the same one, with the options of the first, and it is
// closed with the last.
func TestSharedSession(t *testing.T) {
	b := newBench(t, nil, say("ok"))
	h := b.sharedHost(Sharing{})
	first := b.create(t, h, nil)
	second, err := h.Open(t.Context(), first.ID(), Options{Profile: "second"})
	if err != nil || second != first || second.Options().Profile != "first" || h.Holders(second.ID()) != 2 {
		t.Fatalf("%v, profile %q, %d holders", err, second.Options().Profile, h.Holders(second.ID()))
	}
	client := second.Attach(ClientInfo{Name: "b"})
	if _, err := client.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	if client.EndsSession() {
		t.Error("it is said to end with one of two")
	}
	closed(t, second)
	if err := first.Wait(t.Context()); err != nil || first.Ended() != "" {
		t.Errorf("after one of two has closed it: %v, ended %q", err, first.Ended())
	}
	if st := first.State(); st.Turns != 1 || st.Busy {
		t.Errorf("%+v", st)
	}
	closed(t, first)
	closed(t, first) // once too often
	if first.Ended() != EndedByAll {
		t.Errorf("ended %q", first.Ended())
	}
	again, err := h.Open(t.Context(), first.ID(), Options{Profile: "second"})
	if err != nil || again == first || again.Options().Profile != "second" || again.State().Profile != "first" {
		t.Fatalf("opened again: %v", err)
	}
	if err := again.End(t.Context(), EndedByClient); err != nil || again.Ended() != EndedByClient {
		t.Errorf("%v, ended %q", err, again.Ended())
	}
	closed(t, again)
}

// TestOpenTogether: concurrent calls of Open all return the same session.
func TestOpenTogether(t *testing.T) {
	b := newBench(t, nil, say("ok"))
	h := b.sharedHost(Sharing{})
	s := b.create(t, h, nil)
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	id := s.ID()
	closed(t, s)
	for range 20 {
		opened := make(chan *Session)
		for range 10 {
			go func() {
				s, err := h.Open(context.Background(), id, b.options())
				if err != nil {
					t.Error(err)
				}
				opened <- s
			}()
		}
		all := map[*Session]bool{}
		for range 10 {
			s = <-opened
			all[s] = true
		}
		if len(all) != 1 || h.Holders(id) != 10 {
			t.Fatalf("%d sessions, %d holders", len(all), h.Holders(id))
		}
		for range 10 {
			closed(t, s)
		}
	}
}

// TestWhoDidIt: records name the client that caused them, and a late answer names the first client.
func TestWhoDidIt(t *testing.T) {
	hanging := make(chan struct{})
	b := newBench(t, nil, call(toolCall("a", "write", `{"path":"x","content":"1"}`)), hang("", hanging))
	b.tools["write"] = tool.Write()
	s := b.session(t, func(o *Options, _ *event.Settings) { o.Approvals = ApproveUngranted{} })
	one, two := s.Attach(ClientInfo{Name: "one"}), s.Attach(ClientInfo{Name: "two", Role: "reviewer"})
	if err := one.Change(func(set *event.Settings) { set.Name = "n" }); err != nil {
		t.Fatal(err)
	}
	records := follow(t, s)
	if _, err := one.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	go func() {
		<-hanging
		two.Interrupt()
	}()
	turn := untilEnd(t, records, func(rec event.Record) {
		asked, ok := rec.Event.(event.ApprovalAsked)
		if !ok {
			return
		}
		if err := two.Answer(asked.ID, Decision{Allow: true}); err != nil {
			t.Error(err)
		}
		err := one.Answer(asked.ID, Decision{})
		late, ok := errors.AsType[*AnsweredError](err)
		if !ok || !errors.Is(err, ErrNoApproval) || !late.Allowed || late.Client != two.Info() || err.Error() != "a-1 was answered by two: allowed" {
			t.Errorf("a late answer: %v", err)
		}
	})
	var who []event.Client
	for rec := range s.Log().Records(t.Context()) {
		if e, ok := rec.Event.(event.SessionChanged); ok {
			who = append(who, e.Client)
		}
	}
	who = append(who, find[event.UserMessage](turn)[0].Client, find[event.ApprovalAnswered](turn)[0].Client, find[event.TurnEnded](turn)[0].Client)
	first, second := event.Client{N: 1, Name: "one"}, event.Client{N: 2, Name: "two"}
	if diff := cmp.Diff([]event.Client{first, first, second, second}, who); diff != "" {
		t.Error(diff)
	}
	if st := s.State(); st.Clients != 2 || st.Changed != 2 {
		t.Errorf("clients %d, changed %d", st.Clients, st.Changed)
	}
}

// TestWaitWhenLeft: when the last client has left, the turn goes on, its questions wait for a limited time, and a client
// that comes meanwhile can answer.
func TestWaitWhenLeft(t *testing.T) {
	for _, comes := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, nil, call(toolCall("a", "write", `{"path":"x","content":"1"}`)), say("ok"))
			b.tools["write"] = tool.Write()
			h := b.sharedHost(Sharing{Left: WaitWhenLeft, Wait: time.Hour, Idle: 10 * time.Minute})
			s := b.create(t, h, func(o *Options) { o.Approvals = ApproveUngranted{} })
			c := s.Attach(ClientInfo{Name: "one"})
			if _, err := c.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
				t.Fatal(err)
			}
			c.Leave()
			if c.EndsSession() {
				t.Error("it is said to end although it waits")
			}
			closed(t, s)
			synctest.Wait()
			time.Sleep(59 * time.Minute)
			approvals, _ := s.Waiting()
			if len(approvals) != 1 || approvals[0].Unattended {
				t.Fatalf("after 59 minutes %+v waits", approvals)
			}
			outcome := event.Denied
			if comes {
				same, err := h.Open(t.Context(), s.ID(), b.options())
				if err != nil || same != s {
					t.Fatal(err)
				}
				late := s.Attach(ClientInfo{Name: "two"})
				time.Sleep(2 * time.Hour)
				if err := late.Answer(approvals[0].ID, Decision{Allow: true}); err != nil {
					t.Error(err)
				}
				late.Leave()
				closed(t, s)
				outcome = event.Succeeded
			}
			if err := s.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
			if s.Ended() != EndedIdle {
				t.Errorf("ended %q", s.Ended())
			}
			var ended []event.Outcome
			for rec := range h.Read(t.Context(), s.ID()) {
				if e, ok := rec.Event.(event.ToolEnded); ok {
					ended = append(ended, e.Outcome)
				}
			}
			if diff := cmp.Diff([]event.Outcome{outcome}, ended); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestFinishWhenLeft: when the last has left, what is asked is denied, and the turn goes on.
func TestFinishWhenLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil, call(toolCall("a", "write", `{"path":"x","content":"1"}`)), say("ok"))
		b.tools["write"] = tool.Write()
		h := b.sharedHost(Sharing{Left: FinishWhenLeft, Idle: time.Minute})
		s := b.create(t, h, func(o *Options) { o.Approvals = ApproveUngranted{} })
		c := s.Attach(ClientInfo{Name: "one"})
		if _, err := c.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		c.Leave()
		c.Leave()
		closed(t, s)
		if err := s.Wait(t.Context()); err != nil || s.State().Messages != 3 {
			t.Errorf("%v, %d messages", err, s.State().Messages)
		}
		time.Sleep(59 * time.Second)
		if s.Ended() != "" {
			t.Errorf("ended %q too early", s.Ended())
		}
		time.Sleep(2 * time.Second)
		if s.Ended() != EndedIdle {
			t.Errorf("ended %q", s.Ended())
		}
	})
}

// TestSubmitAgain: the repeat of a prompt returns how the first was accepted.
func TestSubmitAgain(t *testing.T) {
	hanging := make(chan struct{})
	b := newBench(t, nil, hang("", hanging))
	s := b.session(t, func(o *Options, _ *event.Settings) { o.SecondPrompt = SteerSecond })
	c := s.Attach(ClientInfo{Name: "one"})
	submit := func(id event.PromptID, busy SecondPrompt) Accepted {
		t.Helper()
		as, err := c.Submit(t.Context(), Prompt{ID: id, Text: "go", IfBusy: &busy})
		if err != nil {
			t.Fatal(err)
		}
		return as
	}
	first := submit("a", RefuseSecond)
	<-hanging
	steered, queued := submit("b", SteerSecond), submit("c", QueueSecond)
	want := []Accepted{{Turn: first.Turn, Via: event.ByPrompt}, {Turn: first.Turn, Via: event.BySteer}, {Via: event.ByFollowUp}}
	if diff := cmp.Diff(want, []Accepted{first, steered, queued}); diff != "" || first.Turn == "" {
		t.Error(diff)
	}
	for i := range want {
		want[i].Repeated = true
	}
	if diff := cmp.Diff(want, []Accepted{submit("a", RefuseSecond), submit("b", RefuseSecond), submit("c", RefuseSecond)}); diff != "" {
		t.Error("repeated:", diff)
	}
	busy := RefuseSecond
	if _, err := c.Submit(t.Context(), Prompt{ID: "d", Text: "go", IfBusy: &busy}); !errors.Is(err, ErrTurnActive) {
		t.Errorf("refused: %v", err)
	}
	if st := s.State(); len(st.Steering) != 1 || len(st.FollowUps) != 1 {
		t.Errorf("%+v", st)
	}
	if _, _, err := s.Queue().Clear(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want[1], submit("b", RefuseSecond)); diff != "" {
		t.Error("repeated after its removal:", diff)
	}
	c.Interrupt()
}

// TestMaxOpen: no more sessions are open than may be, whichever way they come to be; a closed one makes room, and an open one can be joined.
func TestMaxOpen(t *testing.T) {
	b := newBench(t, nil, say("ok"))
	h := b.sharedHost(Sharing{MaxOpen: 2})
	first, second := b.create(t, h, nil), b.create(t, h, nil)
	if _, err := first.Attach(ClientInfo{Name: "a"}).Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	if err := first.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	refused := func(what string, s *Session, err error) {
		t.Helper()
		if !errors.Is(err, ErrTooManyOpen) {
			t.Errorf("%s: %v, %v", what, s, err)
		}
	}
	settings := event.Settings{Model: "test", Mode: "danger-full-access"}
	for _, id := range []event.SessionID{"", "named"} {
		s, err := h.Create(t.Context(), NewSession{ID: id, Workspace: t.TempDir(), Settings: settings}, b.options())
		refused("create", s, err)
		s, err = h.Fork(t.Context(), first.ID(), 0, NewSession{ID: id}, b.options())
		refused("fork", s, err)
	}
	joined, err := h.Open(t.Context(), first.ID(), b.options())
	if err != nil {
		t.Fatalf("an open session: %v", err)
	}
	closed(t, joined)
	closed(t, first)
	third := b.create(t, h, nil)
	s, err := h.Open(t.Context(), first.ID(), b.options())
	refused("open", s, err)
	closed(t, third)
	again, err := h.Open(t.Context(), first.ID(), b.options())
	if err != nil {
		t.Fatalf("with room: %v", err)
	}
	closed(t, again)
	closed(t, second)
}
