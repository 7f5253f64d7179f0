package engine

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A steer goes to an agent that takes it while it works; it is recorded between two answers, and is never lost or said twice.
func TestBackendSteer(t *testing.T) {
	accept := func(context.Context, string) error { return nil }
	for _, test := range []struct {
		name  string
		edit  func(*Options)
		steer func(ctx context.Context, text string) error // nil: the agent takes no steers
		// turn is what the agent does with the prompt; say steers and waits until nothing more happens.
		turn func(say func(texts ...string), send func(backend.Update) bool) error
		want []string
		log  []string
	}{
		{
			"in an answer", nil, accept, func(say func(...string), send func(backend.Update) bool) error {
				send(backend.Text{Message: "1", Text: "I beg"})
				say("left")
				send(backend.Text{Message: "1", Text: "in."})
				send(backend.Text{Message: "2", Text: "Left then."})
				send(backend.MessageEnd{})
				send(backend.End{Reason: event.TurnCompleted})
				return nil
			},
			[]string{"prompt: Go.", "opened their-1 resumed=false told=0 forked=0", "answer: I begin.", "steer: left", "answer: Left then.", "end: completed"},
			[]string{"new their-1", "prompt their-1 Go.", "steer their-1 left"},
		},
		{
			"two in order", nil, accept, func(say func(...string), send func(backend.Update) bool) error {
				send(backend.Text{Message: "1", Text: "I begin."})
				say("left", "right")
				send(backend.MessageEnd{})
				send(backend.End{Reason: event.TurnCompleted})
				return nil
			},
			[]string{"prompt: Go.", "opened their-1 resumed=false told=0 forked=0", "answer: I begin.", "steer: left", "steer: right", "end: completed"},
			[]string{"new their-1", "prompt their-1 Go.", "steer their-1 left", "steer their-1 right"},
		},
		{
			"one by one", func(o *Options) { o.Steers |= SteerOneByOne }, accept, func(say func(...string), send func(backend.Update) bool) error {
				send(backend.Text{Message: "1", Text: "I begin."})
				say("left", "right")
				send(backend.MessageEnd{})
				say()
				send(backend.Text{Message: "2", Text: "Left."})
				say()
				send(backend.MessageEnd{})
				send(backend.End{Reason: event.TurnCompleted})
				return nil
			},
			[]string{"prompt: Go.", "opened their-1 resumed=false told=0 forked=0", "answer: I begin.", "steer: left", "answer: Left.", "steer: right", "end: completed"},
			[]string{"new their-1", "prompt their-1 Go.", "steer their-1 left", "steer their-1 right"},
		},
		{
			"an agent that takes none", nil, nil, func(say func(...string), send func(backend.Update) bool) error {
				say("left", "right")
				send(backend.Text{Message: "1", Text: "Done."})
				send(backend.End{Reason: event.TurnCompleted})
				return nil
			},
			[]string{"prompt: Go.", "opened their-1 resumed=false told=0 forked=0", "answer: Done.", "steer: left", "steer: right", "answer: Second.", "end: completed"},
			[]string{"new their-1", "prompt their-1 Go.", "prompt their-1 left right"},
		},
		{
			"an agent that refuses", nil, func(context.Context, string) error { return errRefused }, func(say func(...string), send func(backend.Update) bool) error {
				send(backend.Text{Message: "1", Text: "Do"})
				say("left")
				send(backend.Text{Message: "1", Text: "ne."})
				send(backend.End{Reason: event.TurnCompleted})
				return nil
			},
			[]string{"prompt: Go.", "opened their-1 resumed=false told=0 forked=0", "answer: Done.", "steer: left", "answer: Second.", "end: completed"},
			[]string{"new their-1", "prompt their-1 Go.", "prompt their-1 left"},
		},
		{
			"as the agent ends", nil, accept, func(say func(...string), send func(backend.Update) bool) error {
				send(backend.Text{Message: "1", Text: "Done."})
				send(backend.End{Reason: event.TurnCompleted})
				say("left")
				return nil
			},
			[]string{"prompt: Go.", "opened their-1 resumed=false told=0 forked=0", "answer: Done.", "steer: left", "end: completed"},
			[]string{"new their-1", "prompt their-1 Go.", "steer their-1 left"},
		},
		{
			"as the agent dies", nil, accept, func(say func(...string), send func(backend.Update) bool) error {
				send(backend.Text{Message: "1", Text: "Do"})
				say("left")
				return &backend.Error{Backend: "fake", Code: backend.CodeGone, Message: "it has ended"}
			},
			[]string{"prompt: Go.", "opened their-1 resumed=false told=0 forked=0", "answer: Do", "steer: left", "end: failed backend gone"},
			[]string{"new their-1", "prompt their-1 Go.", "steer their-1 left", "close their-1"},
		},
		{
			"while a call runs", nil, accept, func(say func(...string), send func(backend.Update) bool) error {
				send(backend.Call{ID: "c1", Name: "look"})
				say("left")
				send(backend.CallEnd{Call: "c1", Outcome: event.Succeeded, Text: "seen"})
				send(backend.Text{Message: "2", Text: "Left."})
				send(backend.End{Reason: event.TurnCompleted})
				return nil
			},
			[]string{"prompt: Go.", "opened their-1 resumed=false told=0 forked=0", "answer:  [look]", "call succeeded: seen", "steer: left", "answer: Left.", "end: completed"},
			[]string{"new their-1", "prompt their-1 Go.", "steer their-1 left"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, nil)
				fake := newFakeBackend()
				fake.info.Steers, fake.steer = test.steer != nil, test.steer
				b.agents = fakeBackends{"fake": fake}
				s := b.session(t, func(o *Options, settings *event.Settings) {
					delegated(o, settings)
					if test.edit != nil {
						test.edit(o)
					}
				})
				fake.turns = []fakeTurn{func(_ context.Context, send func(backend.Update) bool) error {
					return test.turn(func(texts ...string) {
						for _, text := range texts {
							if err := s.Steer(t.Context(), Prompt{Text: text}); err != nil {
								t.Error(err)
							}
						}
						synctest.Wait()
					}, send)
				}, answerTurn("Second.")}
				records := turnOf(t, s, "Go.", nil)
				ended(t, records)
				synctest.Wait()
				if diff := cmp.Diff(test.want, linesOf(records)); diff != "" {
					t.Errorf("records (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(test.log, fake.takeLog()); diff != "" {
					t.Errorf("agent (-want +got):\n%s", diff)
				}
				if st := s.State(); len(st.Steering) != 0 {
					t.Errorf("%d steers wait", len(st.Steering))
				}
			})
		})
	}
}

// While the agent is being given a steer, no client can take it back; what the agent does not take waits.
func TestBackendSteerTaken(t *testing.T) {
	for _, test := range []struct {
		name      string
		interrupt bool
		answer    error
		want      []string // the queue at the end
		said      bool
	}{
		{"accepted", false, nil, nil, true},
		{"refused after an interrupt", true, errRefused, []string{"left"}, false},
		{"accepted after an interrupt", true, nil, nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, nil)
				given, answer := make(chan struct{}), make(chan error, 1)
				fake := newFakeBackend()
				fake.info.Steers = true
				fake.steer = func(context.Context, string) error {
					close(given)
					return <-answer
				}
				b.agents = fakeBackends{"fake": fake}
				s := b.session(t, delegated)
				fake.turns = []fakeTurn{func(ctx context.Context, send func(backend.Update) bool) error {
					send(backend.Text{Message: "1", Text: "I begin."})
					for _, text := range []string{"left", "right"} {
						if err := s.Steer(t.Context(), Prompt{Text: text}); err != nil {
							t.Error(err)
						}
					}
					<-given
					steers, _, err := s.Queue().Clear()
					if err != nil || len(steers) != 1 || (model.Message{Blocks: steers[0].Blocks}).Text() != "right" {
						t.Errorf("taken from the queue: %v, %v", steers, err)
					}
					if test.interrupt {
						s.Interrupt()
						<-ctx.Done()
					}
					answer <- test.answer
					synctest.Wait()
					send(backend.MessageEnd{})
					send(backend.End{Reason: event.TurnCompleted})
					return nil
				}}
				records := turnOf(t, s, "Go.", nil)
				if said := slices.Contains(linesOf(records), "steer: left"); said != test.said {
					t.Errorf("said: %t, want %t", said, test.said)
				}
				var waiting []string
				for _, q := range s.State().Steering {
					waiting = append(waiting, model.Message{Blocks: q.Blocks}.Text())
				}
				if diff := cmp.Diff(test.want, waiting); diff != "" {
					t.Errorf("queue (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// An agent that does not answer to a steer cannot keep its turn from ending.
func TestBackendSteerUnanswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		fake := newFakeBackend()
		fake.info.Steers = true
		fake.steer = func(ctx context.Context, _ string) error {
			<-ctx.Done()
			return context.Cause(ctx)
		}
		b.agents = fakeBackends{"fake": fake}
		s := b.session(t, delegated)
		fake.turns = []fakeTurn{func(_ context.Context, send func(backend.Update) bool) error {
			if err := s.Steer(t.Context(), Prompt{Text: "left"}); err != nil {
				t.Error(err)
			}
			synctest.Wait()
			send(backend.End{Reason: event.TurnCompleted})
			return nil
		}, answerTurn("Left.")}
		want := []string{"prompt: Go.", "opened their-1 resumed=false told=0 forked=0", "steer: left", "answer: Left.", "end: completed"}
		if diff := cmp.Diff(want, linesOf(turnOf(t, s, "Go.", nil))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
