package engine

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
)

// promptSeq returns the record of the nth prompt of a session, counted from 1.
func promptSeq(t *testing.T, s *Session, n int) uint64 {
	t.Helper()
	for rec, err := range s.Log().RecordsFrom(t.Context(), 1) {
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := rec.Event.(event.UserMessage); ok && e.Via != event.ByEngine {
			if n--; n == 0 {
				return rec.Seq
			}
		}
	}
	t.Fatal("no such prompt")
	return 0
}

// A history that goes on from an earlier prompt goes on in a copy of the agent's session, or the agent is given the conversation.
func TestBackendBranch(t *testing.T) {
	beforeThird := func(s *Session) error {
		third, head := promptSeq(t, s, 3), uint64(0)
		for rec, err := range s.Log().RecordsFrom(t.Context(), 1) {
			if err != nil {
				return err
			}
			if e, ok := rec.Event.(event.AssistantMessage); ok && !e.Void && rec.Seq < third {
				head = rec.Seq
			}
		}
		_, err := s.Branch(head)
		return err
	}
	for _, test := range []struct {
		name   string
		forks  bool
		fork   func() error
		branch func(s *Session) error
		want   []string
	}{
		{"an agent that forks", true, nil, beforeThird, []string{"fork their-1 2 their-2", "close their-1", "resume their-2", "prompt their-2 Again."}},
		{"an agent that does not fork", false, nil, beforeThird, []string{"close their-1", "new their-2", "prompt their-2 [earlier] Again."}},
		{"a fork that fails", true, func() error { return errRefused }, beforeThird, []string{"close their-1", "new their-2", "prompt their-2 [earlier] Again."}},
		{"an agent that was ended", true, nil, func(s *Session) error {
			if err := s.setAgent(nil); err != nil {
				return err
			}
			return beforeThird(s)
		}, []string{"close their-1", "resume their-1", "fork their-1 2 their-2", "close their-1", "resume their-2", "prompt their-2 Again."}},
		{"to the beginning", true, nil, func(s *Session) error {
			_, err := s.Branch(0)
			return err
		}, []string{"close their-1", "new their-2", "prompt their-2 Again."}},
		{"into an answer", true, nil, func(s *Session) error {
			_, err := s.Branch(promptSeq(t, s, 3))
			return err
		}, []string{"close their-1", "new their-2", "prompt their-2 [earlier] Again."}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, nil)
			fake := newFakeBackend()
			fake.info.Forks, fake.fork = test.forks, test.fork
			b.agents = fakeBackends{"fake": fake}
			s := b.session(t, delegated)
			for _, text := range []string{"One.", "Two.", "Three."} {
				ended(t, turnOf(t, s, text, nil))
			}
			fake.takeLog()
			if err := test.branch(s); err != nil {
				t.Fatal(err)
			}
			ended(t, turnOf(t, s, "Again.", nil))
			if diff := cmp.Diff(test.want, fake.takeLog()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A fork, and an import of the records, never work in the agent's session of the original.
func TestBackendForkOfSession(t *testing.T) {
	for _, test := range []struct {
		name  string
		forks bool
		make  func(b *bench, h *Host, s *Session) (*Session, error)
		want  []string
	}{
		{"fork", true, func(b *bench, h *Host, s *Session) (*Session, error) {
			return h.Fork(t.Context(), s.ID(), 0, NewSession{}, b.options())
		}, []string{"resume their-1", "fork their-1 all their-2", "close their-1", "resume their-2", "prompt their-2 Again."}},
		{"fork of a session that goes on", true, func(b *bench, h *Host, s *Session) (*Session, error) {
			made, err := h.Fork(t.Context(), s.ID(), 0, NewSession{}, b.options())
			ended(t, turnOf(t, s, "Three.", nil))
			return made, err
		}, []string{"prompt their-1 Three.", "resume their-1", "fork their-1 2 their-2", "close their-1", "resume their-2", "prompt their-2 Again."}},
		{"fork before a prompt", true, func(b *bench, h *Host, s *Session) (*Session, error) {
			return h.Fork(t.Context(), s.ID(), promptSeq(t, s, 2), NewSession{}, b.options())
		}, []string{"resume their-1", "fork their-1 1 their-2", "close their-1", "resume their-2", "prompt their-2 Again."}},
		{"fork with an agent that does not", false, func(b *bench, h *Host, s *Session) (*Session, error) {
			return h.Fork(t.Context(), s.ID(), 0, NewSession{}, b.options())
		}, []string{"resume their-1", "close their-1", "new their-2", "prompt their-2 [earlier] Again."}},
		{"fork to another back end", true, func(b *bench, h *Host, s *Session) (*Session, error) {
			return h.Fork(t.Context(), s.ID(), 0, NewSession{Settings: event.Settings{Backend: "other", Mode: s.State().Settings.Mode}}, b.options())
		}, nil},
		{"import", true, func(b *bench, h *Host, s *Session) (*Session, error) {
			records := func(yield func(event.Record, error) bool) {
				for rec, err := range s.Log().RecordsFrom(t.Context(), 2) {
					if !yield(rec, err) {
						return
					}
				}
			}
			return h.Import(t.Context(), NewSession{Workspace: s.State().Workspace, Settings: s.State().Settings}, records, nil, b.options())
		}, []string{"resume their-1", "fork their-1 2 their-2", "close their-1", "resume their-2", "prompt their-2 Again."}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, nil)
			fake, other := newFakeBackend(), newFakeBackend()
			fake.info.Forks = test.forks
			b.agents = fakeBackends{"fake": fake, "other": other}
			s := b.session(t, delegated)
			for _, text := range []string{"One.", "Two."} {
				ended(t, turnOf(t, s, text, nil))
			}
			fake.takeLog()
			made, err := test.make(b, s.host, s)
			if err != nil {
				t.Fatal(err)
			}
			defer made.Close(context.Background())
			ended(t, turnOf(t, made, "Again.", nil))
			if diff := cmp.Diff(test.want, fake.takeLog()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if log := other.takeLog(); test.want == nil {
				if diff := cmp.Diff([]string{"new their-1", "prompt their-1 [earlier] Again."}, log); diff != "" {
					t.Errorf("the other (-want +got):\n%s", diff)
				}
			}
			ended(t, turnOf(t, s, "Mine.", nil))
			if diff := cmp.Diff([]string{"prompt their-1 Mine."}, fake.takeLog()); diff != "" {
				t.Errorf("the original (-want +got):\n%s", diff)
			}
		})
	}
}

// A turn that leaves the history leaves the agent's session, too.
func TestBackendForget(t *testing.T) {
	b := newBench(t, nil)
	fake := newFakeBackend(answerTurn("One."), answerTurn("Two."), playTurn(backend.Text{Message: "1", Text: "No."}, backend.End{Reason: event.TurnRefused}))
	fake.info.Forks = true
	b.agents = fakeBackends{"fake": fake}
	s := b.session(t, func(o *Options, settings *event.Settings) {
		delegated(o, settings)
		o.Plugins = append(o.Plugins, ForgetRefused{})
	})
	for _, text := range []string{"One.", "Two.", "Bad.", "Three."} {
		ended(t, turnOf(t, s, text, nil))
	}
	want := []string{"new their-1", "prompt their-1 One.", "prompt their-1 Two.", "prompt their-1 Bad.", "fork their-1 2 their-2", "close their-1", "resume their-2", "prompt their-2 Three."}
	if diff := cmp.Diff(want, fake.takeLog()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
