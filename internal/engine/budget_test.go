package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/budget"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// limited gives a session a budget of its own.
func limited(l Limits) func(*Options, *event.Settings) {
	return func(o *Options, _ *event.Settings) { o.Budget = NewBudget(BudgetPlan{Limits: l}) }
}

// course returns the records of a turn that a budget is about, in few words.
func course(records []event.Record) (all []string) {
	for _, rec := range records {
		switch e := rec.Event.(type) {
		case event.AssistantMessage:
			all = append(all, "answer")
		case event.ToolStarted:
			all = append(all, "start "+string(e.Call))
		case event.ToolEnded:
			all = append(all, "end "+string(e.Call)+" "+string(e.Outcome))
		case event.BudgetWarned:
			all = append(all, "near "+string(e.Snapshot.Reason))
		case event.BudgetExceeded:
			all = append(all, "over "+string(e.Snapshot.Reason))
		case event.Compacted:
			all = append(all, "compacted")
		case event.TurnEnded:
			all = append(all, string(e.Reason))
		}
	}
	return all
}

// overBudget checks that a turn ended because of a limit, and that nothing begins any more.
func overBudget(t testing.TB, s *Session, turn []event.Record, reason event.BudgetReason) {
	t.Helper()
	end := ended(t, turn)
	if end.Reason != event.TurnBudget || end.Failure == nil || end.Failure.Kind != FailBudget || end.Failure.Code != string(reason) {
		t.Errorf("end = %+v, %+v", end, end.Failure)
	}
	refusesAll(t, s, reason)
}

func refusesAll(t testing.TB, s *Session, reason event.BudgetReason) {
	t.Helper()
	refused := func(what string, err error) {
		if e, ok := errors.AsType[*BudgetError](err); !ok || e.Reason != reason || !errors.Is(err, ErrBudget) {
			t.Errorf("%s: %v, want a budget error for %s", what, err, reason)
		}
	}
	_, err := s.Prompt(t.Context(), Prompt{Text: "more"})
	refused("prompt", err)
	refused("steer", s.Steer(t.Context(), Prompt{Text: "more"}))
	refused("follow-up", s.FollowUp(t.Context(), Prompt{Text: "more"}))
	_, err = s.Compact(context.Background(), "")
	refused("compaction", err)
}

// TestBudgetOfCalls: exactly as many calls run as are allowed, however they run; they run to
// their ends, and the others end without having run.
func TestBudgetOfCalls(t *testing.T) {
	const text = "not run: the budget is used up: 2 of 2 tool calls"
	for name, order := range map[string]CallOrder{"in sequence": Sequential, "side by side": Parallel, "in order": ParallelReads} {
		t.Run(name, func(t *testing.T) {
			work := workTool(func(ctx context.Context, _ tool.Hooks, _ string) tool.Result {
				if ctx.Err() != nil {
					t.Error("a tool was interrupted")
				}
				return tool.Result{Text: "done"}
			})
			b := newBench(t, []fakeTool{work}, call(toolCall("a", "work", `{}`)), call(
				toolCall("b", "work", `{}`), toolCall("c", "work", `{}`), toolCall("d", "work", `{}`)))
			s := b.session(t, func(o *Options, settings *event.Settings) {
				limited(Limits{ToolCalls: 2, WarnAt: 0.5})(o, settings)
				o.Calls = order
			})
			turn := turnOf(t, s, "go", nil)
			overBudget(t, s, turn, event.BudgetToolCalls)
			if end := ended(t, turn); len(b.requests()) != 2 || end.Steps != 2 || end.Rounds != 2 {
				t.Errorf("the model was asked %d times, want 2; end = %+v", len(b.requests()), end)
			}
			ran, not := 0, 0
			for _, e := range find[event.ToolEnded](turn) {
				switch {
				case e.Outcome == event.Succeeded:
					ran++
				case e.Output == text && e.Ran == 0:
					not++
				}
			}
			if ran != 2 || not != 2 {
				t.Errorf("%d ran and %d did not, want 2 and 2: %q", ran, not, outcomes(turn))
			}
			all := course(turn)
			if !slices.Equal(all[:4], []string{"answer", "start a", "near tool_calls", "end a succeeded"}) {
				t.Errorf("the first step: %q", all)
			}
			if i := slices.Index(all, "over tool_calls"); i < 1 || !strings.HasPrefix(all[i-1], "start ") {
				t.Errorf("what used the budget up is not right before it: %q", all)
			}
			if ends := find[event.ToolEnded](turn); order != Parallel && (ends[1].Call != "b" || ends[2].Call != "c" || ends[3].Call != "d") {
				t.Errorf("the calls do not end in their order: %q", all)
			}
			if order == Sequential && !slices.Equal(all[4:], []string{
				"answer", "start b", "over tool_calls", "end b succeeded", "end c denied", "end d denied", "budget",
			}) {
				t.Errorf("the second step: %q", all[4:])
			}
		})
	}
}

// TestBudgetOfTokens: the calls of the answer that exceeds the budget do not run, and no approval
// is requested for them.
func TestBudgetOfTokens(t *testing.T) {
	for _, test := range []struct {
		limits Limits
		reason event.BudgetReason
	}{
		{Limits{InputTokens: 20}, event.BudgetInputTokens},
		{Limits{OutputTokens: 10}, event.BudgetOutputTokens},
		{Limits{TotalTokens: 30}, event.BudgetTotalTokens},
		{Limits{Cost: 40e-6}, event.BudgetCost},
	} {
		test.limits.WarnAt = 0.5
		b := newBench(t, []fakeTool{lookTool()}, call(toolCall("a", "look", `{}`)), call(toolCall("b", "look", `{}`)))
		s := b.session(t, limited(test.limits))
		turn := turnOf(t, s, "go", func(rec event.Record) {
			if a, ok := rec.Event.(event.ApprovalAsked); ok {
				t.Errorf("%s: an approval is requested for %s", test.reason, a.Call)
			}
		})
		overBudget(t, s, turn, test.reason)
		equal(t, string(test.reason), course(turn), []string{
			"answer", "near " + string(test.reason), "start a", "end a succeeded",
			"answer", "over " + string(test.reason), "end b denied", "budget",
		})
	}
}

// TestBudgetOfLastAnswer: a turn that was done anyway is completed; one that others wait for
// is not. What waits stays.
func TestBudgetOfLastAnswer(t *testing.T) {
	for _, test := range []struct {
		name   string
		where  FollowUpMode
		steer  bool
		queued int
		reason event.TurnReason
	}{
		{"nothing waits", 0, false, 0, event.TurnCompleted},
		{"a follow-up with a turn of its own", FollowUpInNewTurn, false, 1, event.TurnCompleted},
		{"a follow-up of the turn", 0, false, 1, event.TurnBudget},
		{"a steer", FollowUpInNewTurn, true, 0, event.TurnBudget},
	} {
		var s *Session
		b := newBench(t, nil, func(ctx context.Context, req *modelRequest, yield yieldFunc) {
			if test.queued > 0 {
				if err := s.FollowUp(ctx, Prompt{Text: "and then"}); err != nil {
					t.Error(err)
				}
			}
			if test.steer {
				steer(t, s)
			}
			say("ok")(ctx, req, yield)
		}, say("never"))
		s = b.session(t, func(o *Options, settings *event.Settings) {
			limited(Limits{OutputTokens: 2})(o, settings)
			o.FollowUps = test.where
		})
		end := ended(t, turnOf(t, s, "go", nil))
		if end.Reason != test.reason {
			t.Errorf("%s: %s, want %s", test.name, end.Reason, test.reason)
		}
		if err := s.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		if got := len(s.State().FollowUps); got != test.queued || len(b.requests()) != 1 {
			t.Errorf("%s: %d follow-ups wait, the model was asked %d times", test.name, got, len(b.requests()))
		}
		refusesAll(t, s, event.BudgetOutputTokens)
	}
}

// TestBudgetRepeat: a prompt that was accepted before is no new one.
func TestBudgetRepeat(t *testing.T) {
	b := newBench(t, nil, say("ok"))
	s := b.session(t, limited(Limits{OutputTokens: 1}))
	records := follow(t, s)
	turn, err := s.Prompt(t.Context(), Prompt{ID: "mine", Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	ended(t, untilEnd(t, records, nil))
	if again, err := s.Prompt(t.Context(), Prompt{ID: "mine", Text: "go"}); err != nil || again != turn {
		t.Errorf("the repeat: %q, %v; want %q", again, err, turn)
	}
}

// TestBudgetCompaction: a summary counts, and when it is too much no answer follows.
func TestBudgetCompaction(t *testing.T) {
	b := newBench(t, nil, filling("one", 60_000), say("a summary"), say("never"))
	s := b.session(t, func(o *Options, settings *event.Settings) {
		limited(Limits{InputTokens: 60_000})(o, settings)
		o.Compact = fixed{Limit: 50_000, Keep: 1}
	})
	ended(t, turnOf(t, s, "go", nil))
	turn := turnOf(t, s, "more", nil)
	overBudget(t, s, turn, event.BudgetInputTokens)
	if all := course(turn); !slices.Equal(all, []string{"compacted", "over input_tokens", "budget"}) {
		t.Errorf("%q", all)
	}
	if len(b.requests()) != 2 {
		t.Errorf("the model was asked %d times", len(b.requests()))
	}
}

// TestBudgetOfTime is what the wall clock ends: a model call, the wait before one is tried
// again, an approval and questions; and what it does not: a tool.
func TestBudgetOfTime(t *testing.T) {
	const limit = time.Minute
	ask := workTool(func(ctx context.Context, hooks tool.Hooks, _ string) tool.Result {
		if _, err := hooks.Ask(ctx, []event.Question{{Text: "Sure?"}}); err == nil || ctx.Err() != nil {
			t.Errorf("the question: %v, the tool: %v", err, ctx.Err())
		}
		_, err := hooks.Ask(ctx, []event.Question{{Text: "Really?"}}) // too late
		return tool.Result{Text: "no answer", IsError: err == nil}
	})
	slow := workTool(func(ctx context.Context, _ tool.Hooks, _ string) tool.Result {
		select {
		case <-time.After(3 * limit):
			return tool.Result{Text: "at last"}
		case <-ctx.Done():
			return tool.Failed("interrupted")
		}
	})
	unavailable := &model.Error{Kind: model.RateLimited, RetryAfter: 10 * limit}
	for _, test := range []struct {
		name    string
		tool    fakeTool
		answer  answerFunc
		asked   bool // each call is asked about
		took    time.Duration
		want    []string
		outcome string
	}{
		{"a model call", lookTool(), hang("Once upon", make(chan struct{})), false, limit, []string{"near wall_time", "over wall_time", "answer", "budget"}, ""},
		{"a wait", lookTool(), fail(unavailable), false, limit, []string{"near wall_time", "over wall_time", "budget"}, ""},
		{"a tool", slow, call(toolCall("a", "work", `{}`)), false, 3 * limit, []string{
			"answer", "start a", "near wall_time", "over wall_time", "end a succeeded", "budget",
		}, "a succeeded: at last"},
		{"questions", ask, call(toolCall("a", "work", `{}`)), false, limit, []string{
			"answer", "start a", "near wall_time", "over wall_time", "end a succeeded", "budget",
		}, "a succeeded: no answer"},
		{"an approval", slow, call(toolCall("a", "work", `{}`)), true, limit, []string{
			"answer", "near wall_time", "over wall_time", "end a denied", "budget",
		}, "a denied: not run: the budget is used up: 1m0s of 1m0s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answer := test.answer
				if test.name == "a model call" {
					answer = hang("Once upon", make(chan struct{})) // of this bubble
				}
				b := newBench(t, []fakeTool{test.tool}, answer)
				s := b.session(t, func(o *Options, settings *event.Settings) {
					limited(Limits{WallTime: limit})(o, settings)
					patient := DefaultRetries
					patient.Longest = time.Hour
					o.Retry = patient
					if test.asked {
						o.Approvals = ApproveEveryCall{}
					}
				})
				defer s.Attach(ClientInfo{}).Detach()
				start := time.Now()
				turn := turnOf(t, s, "go", nil)
				overBudget(t, s, turn, event.BudgetWallTime)
				if took := time.Since(start); took != test.took {
					t.Errorf("the turn took %v, want %v", took, test.took)
				}
				equal(t, "course", course(turn), test.want)
				if got := strings.Join(outcomes(turn), " "); got != test.outcome {
					t.Errorf("the call ended as %q, want %q", got, test.outcome)
				}
				if test.name == "a model call" {
					m := find[event.AssistantMessage](turn)
					if len(m) != 1 || !m[0].Partial || m[0].Blocks[0].Text != "Once upon" {
						t.Errorf("what was said: %+v", m)
					}
					if e := find[event.StepEnded](turn); len(e) != 1 || e[0].Failure != nil {
						t.Errorf("the step: %+v", e)
					}
				}
			})
		})
	}
}

// TestBudgetClockOfTurn: each turn has all the time, and idling costs none.
func TestBudgetClockOfTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slowly := func(ctx context.Context, req *modelRequest, yield yieldFunc) {
			time.Sleep(40 * time.Second)
			say("ok")(ctx, req, yield)
		}
		b := newBench(t, nil, slowly, slowly, slowly)
		s := b.session(t, limited(Limits{WallTime: time.Minute}))
		for range 3 {
			if all := course(turnOf(t, s, "go", nil)); !slices.Equal(all, []string{"answer", "completed"}) {
				t.Errorf("%q", all)
			}
			time.Sleep(time.Hour)
		}
	})
}

// TestBudgetWithdrawsApprovals: a call that uses the budget up ends the wait for those beside it.
func TestBudgetWithdrawsApprovals(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, call(toolCall("a", "look", `{}`), toolCall("b", "look", `{}`)))
	s := b.session(t, func(o *Options, settings *event.Settings) {
		limited(Limits{ToolCalls: 1})(o, settings)
		o.Approvals, o.Calls = ApproveEveryCall{}, Parallel
	})
	defer s.Attach(ClientInfo{}).Detach()
	var asked []event.ApprovalID
	turn := turnOf(t, s, "go", func(rec event.Record) {
		if a, ok := rec.Event.(event.ApprovalAsked); ok {
			if asked = append(asked, a.ID); len(asked) == 2 {
				if err := s.anyClient().Answer(asked[0], Decision{Allow: true}); err != nil {
					t.Error(err)
				}
			}
		}
	})
	overBudget(t, s, turn, event.BudgetToolCalls)
	answered := find[event.ApprovalAnswered](turn)
	if len(answered) != 2 || answered[1].Allowed || answered[1].By != event.ByPolicy || answered[1].Reason != "not run: the budget is used up: 1 of 1 tool calls" {
		t.Errorf("answers: %+v", answered)
	}
	if err := s.anyClient().Answer(asked[1], Decision{Allow: true}); !errors.Is(err, ErrNoApproval) {
		t.Errorf("a late answer: %v", err)
	}
}

// TestBudgetInterrupted: an interrupt ends a turn that is about to end, too.
func TestBudgetInterrupted(t *testing.T) {
	running := make(chan struct{})
	work := workTool(func(ctx context.Context, _ tool.Hooks, _ string) tool.Result {
		close(running)
		<-ctx.Done()
		return tool.Failed("half done")
	})
	b := newBench(t, []fakeTool{work}, call(toolCall("a", "work", `{}`)))
	s := b.session(t, limited(Limits{ToolCalls: 1}))
	turn := turnOf(t, s, "go", func(rec event.Record) {
		if _, ok := rec.Event.(event.BudgetExceeded); ok {
			<-running
			s.Interrupt()
		}
	})
	equal(t, "course", course(turn), []string{"answer", "start a", "over tool_calls", "end a interrupted", "interrupted"})
	ended(t, turn)
	refusesAll(t, s, event.BudgetToolCalls)
}

// TestBudgetShared: when one of several sessions with the same budget uses it up, the others end, too;
// the event is recorded once.
func TestBudgetShared(t *testing.T) {
	shared := NewBudget(BudgetPlan{Limits: Limits{ToolCalls: 2}})
	share := func(o *Options, _ *event.Settings) { o.Budget = shared }
	running, over := make(chan struct{}), make(chan struct{})
	wait := workTool(func(context.Context, tool.Hooks, string) tool.Result {
		close(running)
		<-over
		return tool.Result{Text: "done"}
	})
	first := newBench(t, []fakeTool{wait}, call(toolCall("a", "work", `{}`)), say("never")).session(t, share)
	records := follow(t, first)
	if _, err := first.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	<-running
	second := newBench(t, []fakeTool{lookTool()}, call(toolCall("b", "look", `{}`)), say("never")).session(t, share)
	turn := turnOf(t, second, "go", nil)
	overBudget(t, second, turn, event.BudgetToolCalls)
	equal(t, "the second", course(turn), []string{"answer", "start b", "over tool_calls", "end b succeeded", "budget"})
	close(over)
	turn = untilEnd(t, records, nil)
	overBudget(t, first, turn, event.BudgetToolCalls)
	equal(t, "the first", course(turn), []string{"answer", "start a", "end a succeeded", "budget"})
}

// TestBudgetOfPart: the use of a part of the work is recorded in the session that has begun it.
func TestBudgetOfPart(t *testing.T) {
	whole := NewBudget(BudgetPlan{Limits: Limits{Subagents: 4, WarnAt: 0.7}})
	part := whole.Child(event.BudgetOfTask)
	subagents := map[event.Kind]int{event.KindBudgetWarned: 3, event.KindBudgetExceeded: 1}
	var s *Session
	work := workTool(func(context.Context, tool.Hooks, string) tool.Result {
		for _, kind := range []event.Kind{event.KindBudgetWarned, event.KindBudgetExceeded} {
			part.Add(budget.Use{Subagents: subagents[kind]})
			for rec := range s.Log().Follow(t.Context(), 1) { // it is recorded while the tool runs
				if rec.Event.Kind() == kind {
					break
				}
			}
		}
		return tool.Result{Text: "done"}
	})
	s = newBench(t, []fakeTool{work}, call(toolCall("a", "work", `{}`))).session(t, func(o *Options, _ *event.Settings) { o.Budget = whole })
	turn := turnOf(t, s, "go", nil)
	overBudget(t, s, turn, event.BudgetSubagents)
	equal(t, "course", course(turn), []string{"answer", "start a", "near subagents", "over subagents", "end a succeeded", "budget"})
}

// TestBudgetHeir: what a dead process has used counts where the host says so, and only then.
func TestBudgetHeir(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, call(toolCall("a", "look", `{}`)), call(toolCall("b", "look", `{}`)))
	s := b.session(t, limited(Limits{ToolCalls: 2}))
	overBudget(t, s, turnOf(t, s, "go", nil), event.BudgetToolCalls)
	whole := b.store.only().lines
	for _, counts := range []bool{false, true} {
		for n := 1; n <= len(whole); n++ {
			heir := newBench(t, []fakeTool{lookTool()}, say("again"))
			heir.store.journals[s.ID()] = &memJournal{store: heir.store, id: s.ID(), lines: slices.Clone(whole[:n]), blobs: map[string][]byte{}}
			host := heir.host()
			host.cfg.Budget, host.cfg.CountResumed = NewBudget(BudgetPlan{Limits: Limits{ToolCalls: 2}}), counts
			got, err := host.Open(t.Context(), s.ID(), heir.options())
			if err != nil {
				t.Fatal(err)
			}
			began := len(find[event.ToolStarted](b.store.only().records(false)[:n]))
			if counts && began >= 2 {
				refusesAll(t, got, event.BudgetToolCalls)
			} else if end := ended(t, turnOf(t, got, "again", nil)); end.Reason != event.TurnCompleted {
				t.Errorf("after %d records, counting is %v: %s", n, counts, end.Reason)
			}
			if err := got.Close(t.Context()); err != nil {
				t.Error(err)
			}
			checkBalanced(t, heir.store.only().records(false))
			if counts { // what this process has seen is not counted again
				before := host.cfg.Budget.Snapshot().ToolCalls
				if got, err = host.Open(t.Context(), s.ID(), heir.options()); err != nil {
					t.Fatal(err)
				}
				if after := host.cfg.Budget.Snapshot().ToolCalls; before != began || after != began {
					t.Errorf("after %d records: %d calls count, then %d; want %d", n, before, after, began)
				}
				if err := got.Close(t.Context()); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestBudgetOfHost: sessions without a budget of their own use the host's.
func TestBudgetOfHost(t *testing.T) {
	b := newBench(t, nil, say("ok"))
	host := b.host()
	host.cfg.Budget = NewBudget(BudgetPlan{Limits: Limits{OutputTokens: 2}})
	if got := host.BudgetPlan().OutputTokens; got != 2 {
		t.Errorf("the host's limit is %d", got)
	}
	var sessions []*Session
	for i := range 2 {
		dir, err := os.MkdirTemp("", "engine-test-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		s, err := host.Create(t.Context(), NewSession{
			ID: event.SessionID(fmt.Sprint("s-", i)), Workspace: dir,
			Settings: event.Settings{Model: "test", Mode: string(approval.FullAccess)},
		}, b.options())
		if err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, s)
	}
	if all := course(turnOf(t, sessions[0], "go", nil)); !slices.Equal(all, []string{"answer", "over output_tokens", "completed"}) {
		t.Errorf("%q", all)
	}
	for _, s := range sessions {
		refusesAll(t, s, event.BudgetOutputTokens)
	}
	if err := host.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestBudgetEndsInOrder: what does not run ends after the calls before it, whether it was
// not asked about any more, still asked about, or about to begin.
func TestBudgetEndsInOrder(t *testing.T) {
	for allowed, rounds := range []int{20, 20, 100} {
		for range rounds {
			endsInOrder(t, allowed)
		}
	}
}

// endsInOrder has two calls side by side, of which as many are allowed by a user; 0: no user
// is asked.
func endsInOrder(t *testing.T, allowed int) {
	synctest.Test(t, func(t *testing.T) {
		work := workTool(func(context.Context, tool.Hooks, string) tool.Result {
			<-time.After(time.Second)
			return tool.Result{Text: "done"}
		})
		b := newBench(t, []fakeTool{work}, call(toolCall("a", "work", `{}`), toolCall("b", "work", `{}`)))
		s := b.session(t, func(o *Options, settings *event.Settings) {
			limited(Limits{ToolCalls: 1})(o, settings)
			o.Calls = Parallel
			if allowed > 0 {
				o.Approvals = ApproveEveryCall{}
			}
		})
		defer s.Attach(ClientInfo{}).Detach()
		var asked []event.ApprovalID
		turn := turnOf(t, s, "go", func(rec event.Record) {
			if e, ok := rec.Event.(event.ApprovalAsked); ok {
				if asked = append(asked, e.ID); len(asked) == 2 {
					for _, id := range asked[:allowed] {
						_ = s.anyClient().Answer(id, Decision{Allow: true}) // it may be withdrawn by now
					}
				}
			}
		})
		if ends := find[event.ToolEnded](turn); len(ends) != 2 || ends[0].Call != "a" || ends[1].Call != "b" {
			t.Errorf("%d are allowed: %q", allowed, course(turn))
		}
		overBudget(t, s, turn, event.BudgetToolCalls)
	})
}

// TestBudgetNoSummary: a turn that is done does not sum up what it cannot go on with.
func TestBudgetNoSummary(t *testing.T) {
	b := newBench(t, nil, filling("one", 10_000), filling("two", 60_000), say("never"))
	s := b.session(t, func(o *Options, settings *event.Settings) {
		limited(Limits{InputTokens: 60_000})(o, settings)
		o.Compact = fixed{Limit: 50_000, Keep: 1, AfterTurn: true}
	})
	ended(t, turnOf(t, s, "go", nil))
	equal(t, "course", course(turnOf(t, s, "more", nil)), []string{"answer", "over input_tokens", "completed"})
	if len(b.requests()) != 2 {
		t.Errorf("the model was asked %d times", len(b.requests()))
	}
}

// TestBudgetOfPartialAnswer: what was said of an answer that was cut counts.
func TestBudgetOfPartialAnswer(t *testing.T) {
	hanging := make(chan struct{})
	b := newBench(t, nil, hang("Once upon a time there was", hanging))
	s := b.session(t, limited(Limits{OutputTokens: 2}))
	records := follow(t, s)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	<-hanging
	s.Interrupt()
	turn := untilEnd(t, records, nil)
	ended(t, turn)
	equal(t, "course", course(turn), []string{"answer", "over output_tokens", "interrupted"})
	refusesAll(t, s, event.BudgetOutputTokens)
}
