package engine

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// What an agent asks is answered once: by a client, or by what makes an answer impossible.
func TestBackendQuestion(t *testing.T) {
	type reply struct {
		answers [][]string
		failed  bool
	}
	for _, test := range []struct {
		name    string
		clients int
		answer  func(t *testing.T, s *Session, clients []*Client, id event.QuestionID)
		ends    bool // the agent ends its turn without an answer
		want    reply
		by      event.Answerer
		end     event.TurnReason
	}{
		{"a client answers, another is too late", 2, func(t *testing.T, _ *Session, clients []*Client, id event.QuestionID) {
			if err := clients[1].AnswerQuestion(id, [][]string{{"Yes"}}); err != nil {
				t.Error(err)
			}
			if _, late := errors.AsType[*AnsweredError](clients[0].AnswerQuestion(id, [][]string{{"No"}})); !late {
				t.Error("a second answer counts")
			}
		}, false, reply{answers: [][]string{{"Yes"}}}, event.ByClient, event.TurnCompleted},
		{
			"the client leaves", 1, func(_ *testing.T, _ *Session, clients []*Client, _ event.QuestionID) { clients[0].Leave() },
			false,
			reply{failed: true},
			event.ByAbsence, event.TurnCompleted,
		},
		{"no client", 0, func(*testing.T, *Session, []*Client, event.QuestionID) {}, false, reply{failed: true}, event.ByAbsence, event.TurnCompleted},
		{
			"an interrupt", 1, func(_ *testing.T, s *Session, _ []*Client, _ event.QuestionID) { s.Interrupt() },
			false,
			reply{failed: true},
			event.ByInterrupt, event.TurnInterrupted,
		},
		{"the agent ends", 1, func(*testing.T, *Session, []*Client, event.QuestionID) {}, true, reply{failed: true}, event.ByInterrupt, event.TurnCompleted},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, nil)
				replies := make(chan reply, 2)
				fake := newFakeBackend(func(_ context.Context, send func(backend.Update) bool) error {
					send(backend.Call{ID: "c1", Name: "ask"})
					send(backend.Question{Call: "c1", Questions: []event.Question{{Text: "Shall I?"}}, Answer: func(answers [][]string, err error) {
						replies <- reply{answers, err != nil}
					}})
					synctest.Wait()
					if !test.ends {
						replies <- <-replies
					}
					send(backend.End{Reason: event.TurnCompleted})
					return nil
				})
				b.agents = fakeBackends{"fake": fake}
				s := b.session(t, delegated)
				var clients []*Client
				for range test.clients {
					clients = append(clients, s.Attach(ClientInfo{Name: "one"}))
				}
				records := turnOf(t, s, "Go.", func(rec event.Record) {
					if e, ok := rec.Event.(event.QuestionAsked); ok {
						test.answer(t, s, clients, e.ID)
					}
				})
				if end := ended(t, records); end.Reason != test.end {
					t.Errorf("the end is %s, want %s", end.Reason, test.end)
				}
				if got := <-replies; !cmp.Equal(test.want, got, cmp.AllowUnexported(reply{})) || len(replies) > 0 {
					t.Errorf("the agent got %+v and %d more, want %+v", got, len(replies), test.want)
				}
				if answered := find[event.QuestionAnswered](records); len(answered) != 1 || answered[0].By != test.by {
					t.Errorf("answered: %+v, want by %s", answered, test.by)
				}
			})
		})
	}
}

// An approval for which an agent does not wait any more is withdrawn: the turn ends without an answer.
func TestBackendAskOfEndedTurn(t *testing.T) {
	for _, test := range []struct {
		name string
		last func(send func(backend.Update) bool) error
		end  string
	}{
		{"call ended", func(send func(backend.Update) bool) error {
			send(backend.CallEnd{Call: "c1", Outcome: event.Failed, NotRun: true})
			synctest.Wait()
			send(backend.Question{Questions: []event.Question{{Text: "Then?"}}, Answer: func([][]string, error) {}}) // while the approval is gone
			synctest.Wait()
			send(backend.End{Reason: event.TurnCompleted})
			return nil
		}, "end: completed"},
		{"ended", func(send func(backend.Update) bool) error {
			send(backend.End{Reason: event.TurnCompleted})
			return nil
		}, "end: completed"},
		{"died", func(func(backend.Update) bool) error {
			return &backend.Error{Backend: "fake", Code: backend.CodeGone, Message: "it has ended"}
		}, "end: failed backend gone"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, nil)
				verdicts := make(chan backend.Verdict, 2)
				fake := newFakeBackend(func(_ context.Context, send func(backend.Update) bool) error {
					send(backend.Call{ID: "c1", Name: "work", CallRequest: backend.CallRequest{Level: 2}})
					send(backend.Ask{Call: "c1", Answer: func(v backend.Verdict) { verdicts <- v }})
					synctest.Wait()
					return test.last(send)
				})
				b.agents = fakeBackends{"fake": fake}
				s := b.session(t, func(o *Options, settings *event.Settings) {
					delegated(o, settings)
					settings.Mode = "read-only"
				})
				s.Attach(ClientInfo{Name: "one"})
				records := turnOf(t, s, "Go.", nil)
				ended(t, records)
				withdrawn := slices.IndexFunc(records, func(r event.Record) bool { _, ok := r.Event.(event.ApprovalAnswered); return ok })
				asked := slices.IndexFunc(records, func(r event.Record) bool { _, ok := r.Event.(event.QuestionAsked); return ok })
				if withdrawn < 0 || asked >= 0 && asked < withdrawn {
					t.Errorf("the approval is withdrawn by record %d, and the question asked by %d", withdrawn, asked)
				}
				lines := linesOf(records)
				if got := lines[len(lines)-1]; got != test.end {
					t.Errorf("got %q, want %q", got, test.end)
				}
				if v := <-verdicts; !v.Cancel || v.Allow || len(verdicts) > 0 {
					t.Errorf("verdict %+v and %d more", v, len(verdicts))
				}
			})
		})
	}
}

// What an agent reports of its own retries and compactions, and how its turns end.
func TestBackendReports(t *testing.T) {
	text := backend.Text{Message: "1", Text: "So."}
	done := backend.End{Reason: event.TurnCompleted}
	for _, test := range []struct {
		name    string
		updates []backend.Update
		want    []string
	}{
		{
			"a retry that succeeds",
			[]backend.Update{text, backend.Retry{Attempt: 1, Max: 3, Message: "overloaded"}, backend.Retry{Attempt: 2, Max: 3, Message: "overloaded"}, backend.Text{Message: "2", Text: "There."}, done},
			[]string{"answer: So.", "retry 1 of 3: overloaded", "retry ended: false", "retry 2 of 3: overloaded", "retry ended: true", "answer: There.", "end: completed"},
		},
		{
			"retries without numbers that fail",
			[]backend.Update{backend.Retry{}, backend.Retry{}, backend.End{Reason: event.TurnFailed, Failure: &backend.Error{Backend: "fake", Code: backend.CodeRefused, Message: "no"}}},
			[]string{"retry 1 of 1: the request of the agent to its model has failed", "retry ended: false", "retry 2 of 2: the request of the agent to its model has failed", "retry ended: false", "end: failed backend refused"},
		},
		{
			"a compaction",
			[]backend.Update{text, backend.Compacting{}, backend.Compacted{Summary: "All is well."}, backend.Text{Message: "2", Text: "Then."}, done},
			[]string{"answer: So.", "compacted: All is well.", "answer: Then.", "end: completed"},
		},
		{"a compaction that is reported at its end", []backend.Update{backend.Compacted{}, done}, []string{"compacted: ", "end: completed"}},
		{"a compaction that fails", []backend.Update{backend.Compacting{}, backend.Compacted{Failed: true}, done}, []string{"notice " + NoticeCompactionFailed, "end: completed"}},
		{"a compaction without an end", []backend.Update{backend.Compacting{}, done}, []string{"notice " + NoticeCompactionInterrupted, "end: completed"}},
		{"no end", []backend.Update{text}, []string{"answer: So.", "end: failed backend protocol"}},
		{"a failure without a reason", []backend.Update{backend.End{Reason: event.TurnFailed}}, []string{"end: failed backend refused"}},
		{"something after the end", []backend.Update{done, text, done}, []string{"notice " + NoticeStray, "end: completed"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, nil)
			b.agents = fakeBackends{"fake": newFakeBackend(playTurn(test.updates...))}
			s := b.session(t, delegated)
			records := turnOf(t, s, "Go.", nil)
			ended(t, records)
			if diff := cmp.Diff(test.want, linesOf(records)[2:]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// An agent that has summarised its context takes nothing from our history: another agent is given all of it.
func TestBackendCompact(t *testing.T) {
	b := newBench(t, nil, say("I know it all."))
	fake := newFakeBackend()
	fake.sum = func(context.Context) (string, error) { return "All is well.", nil }
	b.agents = fakeBackends{"fake": fake}
	s := b.session(t, delegated)
	compact := func(want error) {
		t.Helper()
		wait, err := s.Compact(t.Context(), "")
		if err == nil {
			_, err = wait()
		}
		if !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	compact(ErrNothingToCompact)
	ended(t, turnOf(t, s, "Go.", nil))
	compact(ErrOfBackend)
	fake.info.Compacts = true
	compact(nil)
	if err := s.setAgent(nil); err != nil {
		t.Fatal(err)
	}
	fake.sum = func(context.Context) (string, error) { return "", errRefused }
	compact(errRefused)
	want := []string{"new their-1", "prompt their-1 Go.", "compact their-1", "close their-1", "resume their-1", "compact their-1"}
	if diff := cmp.Diff(want, fake.takeLog()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := s.Change(func(c *event.Settings) { c.Backend = "" }); err != nil {
		t.Fatal(err)
	}
	ended(t, turnOf(t, s, "And now?", nil))
	var texts []string
	for _, m := range b.requests()[0].Messages {
		texts = append(texts, model.Message{Blocks: m.Blocks}.Text())
	}
	if diff := cmp.Diff([]string{"Go.", "Nothing is left to say.", "And now?"}, texts); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}
