package engine

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
)

// delegatedIn returns a session of the back end "fake" in a host.
func delegatedIn(t *testing.T, b *bench, h *Host) *Session {
	t.Helper()
	s, err := h.Create(t.Context(), NewSession{Workspace: t.TempDir(), Settings: event.Settings{Model: "test", Mode: string(approval.FullAccess), Backend: "fake"}}, b.options())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// An agent without a turn is ended after its time, and the next prompt resumes its session.
func TestBackendIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		fake := newFakeBackend()
		fake.limits.Idle = time.Minute
		b.agents = fakeBackends{"fake": fake}
		s := b.session(t, delegated)
		for _, wait := range []time.Duration{59 * time.Second, 59 * time.Second, 61 * time.Second} {
			ended(t, turnOf(t, s, "Go.", nil))
			time.Sleep(wait)
			synctest.Wait()
		}
		hanging := make(chan struct{})
		fake.turns = []fakeTurn{hangTurn(hanging)}
		records := follow(t, s)
		if _, err := s.Prompt(t.Context(), Prompt{Text: "Long."}); err != nil {
			t.Fatal(err)
		}
		<-hanging
		time.Sleep(time.Hour)
		s.Interrupt()
		ended(t, untilEnd(t, records, nil))
		want := []string{"new their-1", "prompt their-1 Go.", "prompt their-1 Go.", "prompt their-1 Go.", "close their-1", "resume their-1", "prompt their-1 Long."}
		if diff := cmp.Diff(want, fake.takeLog()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// There are as many agents as may be: one that rests makes room, and a prompt waits for one that works.
func TestBackendMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		fake := newFakeBackend()
		fake.limits.Most = 2
		b.agents = fakeBackends{"fake": fake}
		h := b.host()
		defer h.Close(context.Background())
		var sessions []*Session
		for range 4 {
			sessions = append(sessions, delegatedIn(t, b, h))
		}
		for _, s := range sessions[:3] { // the first makes room for the third
			ended(t, turnOf(t, s, "Go.", nil))
			time.Sleep(time.Second)
		}
		if diff := cmp.Diff([]string{"new their-1", "prompt their-1 Go.", "new their-2", "prompt their-2 Go.", "close their-1", "new their-3", "prompt their-3 Go."}, fake.takeLog()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		first, second := make(chan struct{}), make(chan struct{})
		fake.turns = []fakeTurn{hangTurn(first), hangTurn(second)}
		for i, hanging := range []chan struct{}{first, second} {
			if _, err := sessions[i+1].Prompt(t.Context(), Prompt{Text: "Long."}); err != nil {
				t.Fatal(err)
			}
			<-hanging
		}
		waiting := sessions[3]
		records := follow(t, waiting)
		if _, err := waiting.Prompt(t.Context(), Prompt{Text: "Me too."}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		waiting.Interrupt()
		turn := untilEnd(t, records, nil)
		if diff := cmp.Diff([]string{"prompt: Me too.", "notice " + NoticePlace, "end: interrupted"}, linesOf(turn)); diff != "" {
			t.Errorf("a wait that is interrupted (-want +got):\n%s", diff)
		}
		records = follow(t, waiting)
		if _, err := waiting.Prompt(t.Context(), Prompt{Text: "Again."}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		sessions[1].Interrupt()
		turn = untilEnd(t, records, nil)
		if diff := cmp.Diff([]string{"prompt: Again.", "notice " + NoticePlace, "opened their-4 resumed=false told=1 forked=0", "answer: Nothing is left to say.", "end: completed"},
			withoutLines(linesOf(turn), "notice "+NoticeRetold)); diff != "" {
			t.Errorf("a wait (-want +got):\n%s", diff)
		}
		if fake.most > 2 {
			t.Errorf("%d agents ran at a time", fake.most)
		}
	})
}

// Nothing is left of the agent of a session that ends, also in the middle of a turn.
func TestBackendEndOfSession(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(h *Host, s *Session) error
	}{
		{"closed", func(_ *Host, s *Session) error { return s.Close(context.Background()) }},
		{"ended", func(_ *Host, s *Session) error { return s.End(context.Background(), EndedByClosing) }},
		{"the host", func(h *Host, _ *Session) error { return h.Close(context.Background()) }},
	} {
		for _, busy := range []bool{false, true} {
			t.Run(test.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := newBench(t, nil)
					fake := newFakeBackend()
					b.agents = fakeBackends{"fake": fake}
					h := b.host()
					s := delegatedIn(t, b, h)
					ended(t, turnOf(t, s, "Go.", nil))
					if busy {
						hanging := make(chan struct{})
						fake.turns = []fakeTurn{hangTurn(hanging)}
						if _, err := s.Prompt(t.Context(), Prompt{Text: "Long."}); err != nil {
							t.Fatal(err)
						}
						<-hanging
					}
					if err := test.end(h, s); err != nil {
						t.Error(err)
					}
					if n := fake.alive(); n != 0 {
						t.Errorf("%d agents are left", n)
					}
				})
			})
		}
	}
}

// A process that gets a session from another one resumes the agent's session; the agent of the other is ended, as soon as it knows.
func TestBackendHandover(t *testing.T) {
	b := newBench(t, nil)
	fake := newFakeBackend()
	b.agents = fakeBackends{"fake": fake}
	first := b.session(t, delegated)
	ended(t, turnOf(t, first, "One.", nil))
	second := b.reopened(t, b.host(), first.ID(), b.options())
	ended(t, turnHere(t, second, "Two.", nil))
	ended(t, turnHere(t, first, "Three.", nil))
	if err := second.Log().Refresh(); err != nil {
		t.Fatal(err)
	}
	second.lease.following.Wait()
	first.lease.following.Wait()
	if n := fake.alive(); n > 1 { // none if the lease was requested when the first process gave it back
		t.Errorf("%d agents run, want at most that of the first process", n)
	}
	log := slices.DeleteFunc(fake.takeLog(), func(l string) bool { return l == "close their-1" })
	want := []string{"new their-1", "prompt their-1 One.", "resume their-1", "prompt their-1 Two.", "resume their-1", "prompt their-1 Three."}
	if diff := cmp.Diff(want, log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An agent that has died, and one whose session is lost, leave the prompt to the next one.
func TestBackendDeath(t *testing.T) {
	b := newBench(t, nil)
	fake := newFakeBackend(answerTurn("One."), dieTurn(backend.Text{Message: "1", Text: "Tw"}))
	b.agents = fakeBackends{"fake": fake}
	s := b.session(t, delegated)
	for _, text := range []string{"One.", "Two.", "Three."} {
		turnOf(t, s, text, nil)
	}
	if err := s.setAgent(nil); err != nil {
		t.Fatal(err)
	}
	fake.lost = true
	ended(t, turnOf(t, s, "Four.", nil))
	want := []string{
		"new their-1", "prompt their-1 One.", "prompt their-1 Two.", "close their-1", "resume their-1", "prompt their-1 Three.",
		"close their-1", "gone their-1", "new their-2", "prompt their-2 [earlier] Four.",
	}
	if diff := cmp.Diff(want, fake.takeLog()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
