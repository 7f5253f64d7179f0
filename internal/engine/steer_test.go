package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
	"parley.dev/parley/internal/tool"
)

// outcomes returns how each call ended: "id outcome: output".
func outcomes(records []event.Record) (all []string) {
	for _, e := range find[event.ToolEnded](records) {
		all = append(all, fmt.Sprintf("%s %s: %s", e.Call, e.Outcome, e.Output))
	}
	slices.Sort(all)
	return all
}

// callEnded waits until a call has its end, as a follower of its own.
func callEnded(t testing.TB, s *Session, id event.CallID) {
	for rec, err := range s.Log().Follow(t.Context(), 1) {
		if err != nil {
			t.Error(err)
			return
		}
		if e, ok := rec.Event.(event.ToolEnded); ok && e.Call == id {
			return
		}
	}
}

// TestSteerTogether: a steer that waits when a call ends, ends the calls beside it and skips
// those after it; each has its end, and the model receives a result for each.
func TestSteerTogether(t *testing.T) {
	const skipped = "skipped for a message"
	for _, c := range []struct {
		name    string
		at      SteerMode
		skipped string
		want    []string
	}{
		{"after the call", SteerAfterCall, skipped, []string{
			"a succeeded: done", "b interrupted: " + skipped, "c interrupted: " + skipped,
		}},
		{"after the call, in our own words", SteerAfterCall, "", []string{
			"a succeeded: done", "b interrupted: half done", "c interrupted: " + session.NeverRan,
		}},
		{"after the step", 0, skipped, []string{
			"a succeeded: done", "b succeeded: all done", "c succeeded: changed",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s *Session
			running := make(chan struct{})
			first := fakeTool{"first", approval.Read, func(context.Context, tool.Hooks, string) tool.Result {
				<-running
				steer(t, s)
				return tool.Result{Text: "done"}
			}}
			beside := fakeTool{"beside", approval.Read, func(ctx context.Context, _ tool.Hooks, _ string) tool.Result {
				close(running)
				callEnded(t, s, "a")
				if c.at == 0 {
					return tool.Result{Text: "all done"}
				}
				<-ctx.Done()
				return tool.Failed("half done")
			}}
			work := workTool(func(context.Context, tool.Hooks, string) tool.Result {
				if c.at == SteerAfterCall {
					t.Error("a call after the steer ran")
				}
				return tool.Result{Text: "changed"}
			})
			b := newBench(t, []fakeTool{first, beside, work},
				call(toolCall("a", "first", `{}`), toolCall("b", "beside", `{}`), toolCall("c", "work", `{}`)), say("ok"))
			s = b.session(t, func(o *Options, _ *event.Settings) {
				o.Calls, o.Steers, o.Texts = ParallelReads, c.at, map[Text]string{TextSkipped: c.skipped}
			})
			turn := turnOf(t, s, "go", nil)
			if end := ended(t, turn); end.Reason != event.TurnCompleted || end.Rounds != 1 {
				t.Errorf("end = %+v", end)
			}
			equal(t, "calls", outcomes(turn), c.want)
			if started, want := len(find[event.ToolStarted](turn)), 2+int(c.at^SteerAfterCall); started != want {
				t.Errorf("%d calls began, want %d", started, want)
			}
			equal(t, "second request", said(b.requests()[1].Messages), []string{"go", "stop that"})
			checkBytes(t, s)
		})
	}
}

// TestSteerSparesTheOnlyCall: a call that runs alone is left to its end, also when others
// ran beside it before the steer came.
func TestSteerSparesTheOnlyCall(t *testing.T) {
	var s *Session
	alone := fakeTool{"alone", approval.Read, func(ctx context.Context, _ tool.Hooks, input string) tool.Result {
		if input != `{}` {
			return tool.Result{Text: "done"}
		}
		callEnded(t, s, "a")
		steer(t, s)
		return tool.Result{Text: "done", IsError: ctx.Err() != nil}
	}}
	b := newBench(t, []fakeTool{alone}, call(toolCall("a", "alone", `{"text":"quick"}`), toolCall("b", "alone", `{}`)), say("ok"))
	s = b.session(t, func(o *Options, _ *event.Settings) { o.Calls, o.Steers = Parallel, SteerAfterCall })
	turn := turnOf(t, s, "go", nil)
	ended(t, turn)
	equal(t, "calls", outcomes(turn), []string{"a succeeded: done", "b succeeded: done"})
}

// TestSteerWithdrawsApprovals: no user is asked any more about a call that is skipped.
func TestSteerWithdrawsApprovals(t *testing.T) {
	var s *Session
	work := workTool(func(context.Context, tool.Hooks, string) tool.Result {
		steer(t, s)
		return tool.Result{Text: "done"}
	})
	for _, order := range []CallOrder{ParallelReads, Parallel} {
		b := newBench(t, []fakeTool{work}, call(toolCall("a", "work", `{}`), toolCall("b", "work", `{}`)), say("ok"))
		s = b.session(t, func(o *Options, _ *event.Settings) {
			o.Calls, o.Steers, o.Approvals, o.Texts = order, SteerAfterCall, ApproveEveryCall{}, map[Text]string{TextSkipped: "skipped"}
		})
		detach := s.Attach(ClientInfo{}).Detach
		var asked []event.ApprovalID
		turn := turnOf(t, s, "go", func(rec event.Record) {
			if e, ok := rec.Event.(event.ApprovalAsked); ok {
				if asked = append(asked, e.ID); len(asked) == 2 {
					if err := s.anyClient().Answer(asked[0], Decision{Allow: true}); err != nil {
						t.Error(err)
					}
				}
			}
		})
		ended(t, turn)
		for _, e := range find[event.ApprovalAsked](turn) {
			if e.ID == asked[0] && e.Call == "b" {
				t.Fatal("b was asked about first")
			}
		}
		equal(t, "calls", outcomes(turn), []string{"a succeeded: done", "b interrupted: skipped"})
		answers := find[event.ApprovalAnswered](turn)
		if last := answers[len(answers)-1]; last.By != event.ByInterrupt || last.Allowed {
			t.Errorf("the second approval was answered %+v", last)
		}
		if err := s.anyClient().Answer(asked[1], Decision{Allow: true}); !errors.Is(err, ErrNoApproval) {
			t.Errorf("a late answer: %v", err)
		}
		detach()
	}
}

// TestInterruptWithSteer: an interrupt while calls end for a steer ends the turn; the steer
// waits for the next.
func TestInterruptWithSteer(t *testing.T) {
	var s *Session
	running := make(chan struct{})
	work := fakeTool{"work", approval.Read, func(ctx context.Context, _ tool.Hooks, input string) tool.Result {
		if input == `{}` {
			<-running
			steer(t, s)
			return tool.Result{Text: "done"}
		}
		close(running)
		<-ctx.Done() // the steer
		s.Interrupt()
		return tool.Failed("half done")
	}}
	b := newBench(t, []fakeTool{work}, call(toolCall("a", "work", `{}`), toolCall("b", "work", `{"text":"b"}`)), say("ok"))
	s = b.session(t, func(o *Options, _ *event.Settings) { o.Calls, o.Steers = Parallel, SteerAfterCall })
	turn := turnOf(t, s, "go", nil)
	if end := ended(t, turn); end.Reason != event.TurnInterrupted {
		t.Errorf("end = %+v", end)
	}
	equal(t, "calls", outcomes(turn), []string{"a succeeded: done", "b interrupted: half done"})
	if n := len(s.State().Steering); n != 1 {
		t.Errorf("%d steers wait, want 1", n)
	}
	ended(t, turnOf(t, s, "again", nil))
	equal(t, "request", said(b.requests()[1].Messages), []string{"go", "again", "stop that"})
}

// TestInterruptAsACallBegins: a call whose start is being recorded when the interrupt comes
// has its end, and does not run.
func TestInterruptAsACallBegins(t *testing.T) {
	needsDisk(t) // a deferred store syncs without the lock, several records at once
	var s *Session
	work := workTool(func(context.Context, tool.Hooks, string) tool.Result {
		t.Error("the call ran")
		return tool.Result{}
	})
	var b *bench
	b = newBench(t, []fakeTool{work}, func(ctx context.Context, r *modelRequest, y yieldFunc) {
		interrupt := sync.OnceFunc(func() { s.slot.cancel(ErrInterrupted) })
		b.store.setSync(func() { // with the session's lock, as Interrupt does it
			if written := b.store.only().records(false); written[len(written)-1].Event.Kind() == event.KindToolStarted {
				interrupt()
			}
		})
		call(toolCall("c", "work", `{}`))(ctx, r, y)
	})
	s = b.session(t, nil)
	turn := turnOf(t, s, "go", nil)
	if end := ended(t, turn); end.Reason != event.TurnInterrupted {
		t.Errorf("end = %+v", end)
	}
	if e := find[event.ToolEnded](turn); len(e) != 1 || e[0].Outcome != event.Interrupted || e[0].Ran != 0 {
		t.Errorf("calls ended = %+v", e)
	}
}

// TestSteerSkipsWhatWasAllowed: a call that was allowed and still waits for its turn does not
// begin, and nothing is said of what it would do.
func TestSteerSkipsWhatWasAllowed(t *testing.T) {
	var s *Session
	work := workTool(func(context.Context, tool.Hooks, string) tool.Result {
		steer(t, s)
		return tool.Result{Text: "done"}
	})
	b := newBench(t, []fakeTool{work}, call(toolCall("a", "work", `{}`), toolCall("b", "work", `{}`)), say("ok"))
	s = b.session(t, func(o *Options, _ *event.Settings) {
		o.Calls, o.Steers, o.Approvals = ParallelReads, SteerAfterCall, ApproveEveryCall{}
	})
	defer s.Attach(ClientInfo{}).Detach()
	var asked []event.ApprovalID
	turn := turnOf(t, s, "go", func(rec event.Record) {
		if e, ok := rec.Event.(event.ApprovalAsked); ok {
			if asked = append(asked, e.ID); len(asked) == 2 {
				if err := errors.Join(s.anyClient().Answer(asked[1], Decision{Allow: true}), s.anyClient().Answer(asked[0], Decision{Allow: true})); err != nil {
					t.Error(err)
				}
			}
		}
	})
	ended(t, turn)
	equal(t, "calls", callRecords(turn), []string{
		"intended a", "intended b", "asked a", "asked b", "started a", "ended a", "ended b",
	})

	proposing := &proposingTool{fakeTool: work}
	b = newBench(t, []fakeTool{work}, call(toolCall("a", "work", `{}`), toolCall("b", "work", `{}`)), say("ok"))
	b.tools["work"] = proposing
	s = b.session(t, func(o *Options, _ *event.Settings) {
		o.Calls, o.Steers, o.Preview = ParallelReads, SteerAfterCall, true
	})
	turn = turnOf(t, s, "go", nil)
	ended(t, turn)
	if e := find[event.ChangesProposed](turn); len(e) != 1 || e[0].Call != "a" {
		t.Errorf("proposed: %+v", e)
	}
}

// A proposingTool reports that it would change nothing.
type proposingTool struct{ fakeTool }

func (p *proposingTool) Prepare(env *tool.Env, input jsontext.Value) (tool.Call, error) {
	c, err := p.fakeTool.Prepare(env, input)
	return proposingCall{c}, err
}

type proposingCall struct{ tool.Call }

func (proposingCall) Propose(context.Context, tool.ClientFiles) ([]event.FileChange, error) {
	return nil, nil
}

// TestSteersOfFailedTurn: steers that were accepted during a request which fails begin the next turn; the client that has queued them
// removes them if it interrupts the turn. The interrupt of another client and the end of the session do not.
func TestSteersOfFailedTurn(t *testing.T) {
	for _, test := range []struct {
		name  string
		end   func(*Session)
		turns int
		queue int
		last  []string // what the last request has of the user
	}{
		{"it fails", nil, 2, 0, []string{"go", "a", "b"}},
		{"their client interrupts it", func(s *Session) { s.anyClient().Interrupt() }, 1, 0, []string{"go"}},
		{"another client interrupts it", interruptByOther, 2, 0, []string{"go", "a", "b"}},
		{"their client interrupts it, too", func(s *Session) {
			interruptByOther(s)
			s.anyClient().Interrupt()
		}, 1, 0, []string{"go"}},
		{"another client interrupts it while the queue is held", func(s *Session) {
			s.Queue().Hold()
			interruptByOther(s)
		}, 1, 2, []string{"go"}},
		{"the session is ended", func(s *Session) { _ = s.End(context.Background(), EndedByClosing) }, 1, 2, []string{"go"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			streaming, broken := make(chan struct{}), make(chan struct{})
			b := newBench(t, nil, func(ctx context.Context, _ *modelRequest, yield yieldFunc) {
				close(streaming)
				select {
				case <-broken:
				case <-ctx.Done():
				}
				yield(model.Delta{}, &model.Error{Kind: model.Rejected, Message: "no"})
			}, say("ok"))
			s := b.session(t, func(o *Options, _ *event.Settings) { o.Steers = SteerRunningTurn })
			if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
				t.Fatal(err)
			}
			<-streaming
			for _, text := range []string{"a", "b"} {
				if err := s.Steer(t.Context(), Prompt{Text: text}); err != nil {
					t.Fatal(err)
				}
			}
			if test.end != nil {
				test.end(s)
			} else {
				close(broken)
			}
			if err := s.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			if st := s.State(); st.Turns != test.turns || len(st.Steering) != test.queue {
				t.Errorf("%d turns, queue %+v", st.Turns, st.Steering)
			}
			requests := b.requests()
			equal(t, "the last request", said(requests[len(requests)-1].Messages), test.last)
		})
	}
}

func interruptByOther(s *Session) { s.Join(ClientInfo{Name: "other"}).Interrupt() }
