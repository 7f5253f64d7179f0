package budget

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley.dev/parley/internal/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// summary returns one short line per event.
func summary(events []event.Event) (words []string) {
	for _, e := range events {
		switch e := e.(type) {
		case event.BudgetWarned:
			words = append(words, string(e.Scope)+" near "+string(e.Snapshot.Reason))
		case event.BudgetExceeded:
			words = append(words, string(e.Scope)+" over "+string(e.Snapshot.Reason))
		}
	}
	return words
}

// TestDimensions uses each limit up in small steps: both events are reported once, at the right step.
func TestDimensions(t *testing.T) {
	for _, test := range []struct {
		limits Limits
		step   Use
		reason event.BudgetReason
		text   string
	}{
		{Limits{InputTokens: 10}, Use{InputTokens: 1, OutputTokens: 5}, event.BudgetInputTokens, "10 of 10 input tokens"},
		{Limits{OutputTokens: 20}, Use{InputTokens: 9, OutputTokens: 2}, event.BudgetOutputTokens, "20 of 20 output tokens"},
		{Limits{TotalTokens: 50}, Use{InputTokens: 2, OutputTokens: 3}, event.BudgetTotalTokens, "50 of 50 total tokens"},
		{Limits{Cost: 1}, Use{Cost: 0.1}, event.BudgetCost, "$1 of $1"},
		{Limits{ToolCalls: 10}, Use{ToolCalls: 1}, event.BudgetToolCalls, "10 of 10 tool calls"},
		{Limits{Subagents: 10}, Use{Subagents: 1}, event.BudgetSubagents, "10 of 10 subagents"},
	} {
		b := New(Plan{Limits: test.limits})
		for step := 1; step <= 12; step++ {
			found := b.Add(test.step)
			var want []string
			switch step {
			case 8:
				want = []string{"session near " + string(test.reason)}
			case 10:
				want = []string{"session over " + string(test.reason)}
			}
			if diff := cmp.Diff(want, summary(found)); diff != "" {
				t.Errorf("%s, step %d (-want +got):\n%s", test.reason, step, diff)
			}
			if over := b.Err() != nil; over != (step >= 10) {
				t.Errorf("%s, step %d: used up is %v", test.reason, step, over)
			}
			if step == 10 {
				if e := found[0].(event.BudgetExceeded); e.Text != "The budget is used up: "+test.text+"." {
					t.Errorf("%s: the event has %q", test.reason, e.Text)
				}
			}
		}
		e, ok := errors.AsType[*Error](b.Err())
		if !ok || e.Reason != test.reason || !errors.Is(e, ErrUsedUp) || e.Error() != "the budget is used up: "+test.text {
			t.Errorf("%s: %v", test.reason, b.Err())
		}
		if _, err := b.Claim(test.step); err != e {
			t.Errorf("%s: more could be claimed: %v", test.reason, err)
		}
		select {
		case <-b.Done():
		default:
			t.Errorf("%s: it is not done", test.reason)
		}
	}
}

func TestSnapshot(t *testing.T) {
	b := New(Plan{Limits: Limits{ToolCalls: 5, Cost: 1}})
	b.Add(Use{InputTokens: 100, OutputTokens: 20, Cost: 0.00014})
	found := b.Add(Use{ToolCalls: 4, Subagents: 1})
	want := event.BudgetSnapshot{
		Status: event.BudgetNear, InputTokens: 100, OutputTokens: 20, TotalTokens: 120, Cost: 0.00014, ToolCalls: 4, Subagents: 1,
		Reason: event.BudgetToolCalls,
	}
	if diff := cmp.Diff([]event.Event{event.BudgetWarned{
		Scope: event.BudgetOfSession, Snapshot: want, Text: "The budget is nearly used up: 4 of 5 tool calls.",
	}}, found); diff != "" {
		t.Errorf("warned (-want +got):\n%s", diff)
	}
	want.Reason = ""
	if diff := cmp.Diff(want, b.Snapshot()); diff != "" {
		t.Errorf("near (-want +got):\n%s", diff)
	}
	b.Add(Use{ToolCalls: 1})
	want.ToolCalls, want.Status, want.Reason = 5, event.BudgetUsedUp, event.BudgetToolCalls
	if diff := cmp.Diff(want, b.Snapshot()); diff != "" {
		t.Errorf("used up (-want +got):\n%s", diff)
	}
	if got := New(Plan{Limits: Limits{Cost: 1}}).Snapshot(); got != (event.BudgetSnapshot{Status: event.BudgetFine}) {
		t.Errorf("at the beginning: %+v", got)
	}
}

// TestOrder reaches several limits with one use: the first in order is the reason, and there is no
// warning about a limit that is reached.
func TestOrder(t *testing.T) {
	all := Limits{InputTokens: 10, OutputTokens: 10, TotalTokens: 20, Cost: 1, ToolCalls: 1, Subagents: 1}
	use := Use{InputTokens: 10, OutputTokens: 10, Cost: 1, ToolCalls: 1, Subagents: 1}
	for _, test := range []struct {
		limits Limits
		use    Use
		want   []string
	}{
		{all, use, []string{"session over input_tokens"}},
		{all, Use{OutputTokens: 10, InputTokens: 9, Cost: 1}, []string{"session over output_tokens"}},
		{all, Use{ToolCalls: 1, Subagents: 1, Cost: 1}, []string{"session over cost"}},
		{all, Use{ToolCalls: 1, Subagents: 1}, []string{"session over tool_calls"}},
		{all, Use{InputTokens: 8, OutputTokens: 8, Cost: 0.8}, []string{
			"session near input_tokens", "session near output_tokens", "session near total_tokens", "session near cost",
		}},
		{Limits{ToolCalls: 10}, Use{ToolCalls: 11}, []string{"session over tool_calls"}},
		{Limits{ToolCalls: 100, WarnAt: 0.55}, Use{ToolCalls: 55}, []string{"session near tool_calls"}},
		{Limits{ToolCalls: 100, WarnAt: 0.55}, Use{ToolCalls: 54}, nil},
		{Limits{ToolCalls: 10, WarnAt: 1}, Use{ToolCalls: 9}, nil},
	} {
		b := New(Plan{Limits: test.limits})
		if diff := cmp.Diff(test.want, summary(b.Add(test.use))); diff != "" {
			t.Errorf("%+v of %+v (-want +got):\n%s", test.use, test.limits, diff)
		}
	}
}

func TestChildren(t *testing.T) {
	parent := New(Plan{Limits: Limits{ToolCalls: 5}, Task: Limits{ToolCalls: 2}, Subagent: Limits{Cost: 1}})
	task := parent.Child(event.BudgetOfTask)
	free := newBudget(event.BudgetOfSubagent, Plan{}, parent)
	below := task.Child(event.BudgetOfSubagent)

	if got := summary(below.Add(Use{ToolCalls: 1, Cost: 0.8})); len(got) != 1 || got[0] != "subagent near cost" {
		t.Errorf("below: %q", got)
	}
	if got := summary(below.Add(Use{ToolCalls: 1})); got != nil {
		t.Errorf("below: %q", got)
	}
	if got := summary(task.TakeEvents()); len(got) != 1 || got[0] != "task over tool_calls" {
		t.Errorf("task: %q", got)
	}
	if task.Err() == nil || below.Err() == nil || free.Err() != nil || parent.Err() != nil {
		t.Errorf("task %v, below %v, free %v, parent %v", task.Err(), below.Err(), free.Err(), parent.Err())
	}
	if err := below.Err().Error(); err != "the budget of the task is used up: 2 of 2 tool calls" {
		t.Error(err)
	}
	free.Add(Use{ToolCalls: 2})
	select {
	case <-parent.EventsQueued():
	default:
		t.Error("there are no news of the parent")
	}
	if got := summary(parent.TakeEvents()); len(got) != 1 || got[0] != "session near tool_calls" {
		t.Errorf("parent: %q", got)
	}
	free.Add(Use{ToolCalls: 1})
	free.Add(Use{ToolCalls: 1})
	if got := summary(parent.TakeEvents()); len(got) != 1 || got[0] != "session over tool_calls" {
		t.Errorf("parent: %q", got)
	}
	if _, err := free.Claim(Use{ToolCalls: 1}); err != parent.Err() || err == nil {
		t.Errorf("a child of a used up budget: %v", err)
	}
	if used := parent.Snapshot().ToolCalls; used != 6 {
		t.Errorf("%d tool calls are counted, want 6", used)
	}
	if got := summary(free.TakeEvents()); got != nil {
		t.Errorf("a budget without limits has the events %q", got)
	}
}

// When the number of subagents is used up, those that run continue until another limit is reached,
// and cannot start further ones.
func TestSubagents(t *testing.T) {
	b := New(Plan{Limits: Limits{Subagents: 1, ToolCalls: 2, WarnAt: 1}})
	task := b.Child(event.BudgetOfTask)
	if _, err := task.Claim(Use{Subagents: 1}); err != nil {
		t.Fatal(err)
	}
	one := task.Child(event.BudgetOfSubagent)
	inner := one.Child(event.BudgetOfTask)
	if b.Err() == nil || task.Err() == nil || one.Err() != nil || inner.Err() != nil {
		t.Errorf("session %v, task %v, subagent %v, its own task %v", b.Err(), task.Err(), one.Err(), inner.Err())
	}
	for name, c := range map[string]*Budget{"task": task, "subagent": one, "its own task": inner} {
		if _, err := c.Claim(Use{Subagents: 1}); err != b.Err() {
			t.Errorf("%s may have another one: %v", name, err)
		}
	}
	e := inner.Refusal()
	if e.Scope != event.BudgetOfTask || e.Snapshot.Reason != event.BudgetSubagents || e.Snapshot.Subagents != 1 || e.Text != "A subagent was not begun: the budget is used up: 1 of 1 subagents." {
		t.Errorf("refused with %+v", e)
	}
	if _, err := inner.Claim(Use{ToolCalls: 1}); err != nil {
		t.Errorf("it may not go on: %v", err)
	}
	one.Add(Use{ToolCalls: 1})
	if err := inner.Err(); err == nil || err.Error() != "the budget is used up: 2 of 2 tool calls" || one.Err() != err {
		t.Errorf("it goes on: %v", err)
	}
	if got := summary(b.TakeEvents()); len(got) != 1 || got[0] != "session over subagents" {
		t.Errorf("session: %q", got)
	}
}

// Closing a budget does not affect its parents.
func TestClose(t *testing.T) {
	b := New(Plan{Limits: Limits{ToolCalls: 2}})
	child := b.Child(event.BudgetOfTask)
	child.Close()
	if b.Err() != nil {
		t.Error(b.Err())
	}
	(*Budget)(nil).Close()
}

func TestNone(t *testing.T) {
	none := New(Plan{Limits: Limits{WarnAt: 0.5}})
	if none != nil || none.Child(event.BudgetOfTask) != nil {
		t.Fatal("there is a budget without a limit")
	}
	none.Add(Use{ToolCalls: 1})
	none.CheckWallTime()
	none.Start()()
	if _, err := none.Claim(Use{Cost: 1e9}); err != nil || none.Err() != nil || none.TakeEvents() != nil || none.CheckInterval() != 0 || none.EventsQueued() != nil || none.Done() != nil {
		t.Error("it is not without limits")
	}
	if (none.Snapshot() != event.BudgetSnapshot{Status: event.BudgetFine}) || none.Plan().Any() {
		t.Error("it has counted")
	}
	child := New(Plan{Task: Limits{ToolCalls: 1}}).Child(event.BudgetOfTask)
	if got := summary(child.Add(Use{ToolCalls: 1})); len(got) != 1 || got[0] != "task over tool_calls" {
		t.Errorf("a part of a session without limits: %q", got)
	}
}

func TestWallClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Plan{Limits: Limits{WallTime: time.Minute}})
		stop := b.Start()
		time.Sleep(47 * time.Second)
		if got := summary(b.CheckWallTime()); got != nil {
			t.Errorf("after 47 s: %q", got)
		}
		stop()
		time.Sleep(time.Hour) // between turns no time counts
		if b.CheckWallTime(); b.Err() != nil || time.Duration(b.Snapshot().WallTime) != 47*time.Second {
			t.Errorf("between turns: %v, %+v", b.Err(), b.Snapshot())
		}
		stop = b.Start() // and a turn begins at none
		defer stop()
		time.Sleep(48 * time.Second)
		if got := summary(b.CheckWallTime()); len(got) != 1 || got[0] != "session near wall_time" {
			t.Errorf("after 48 s: %q", got)
		}
		other := b.Start() // of two that run the longer counts
		time.Sleep(11 * time.Second)
		other()
		if got := summary(b.CheckWallTime()); got != nil {
			t.Errorf("after 59 s: %q", got)
		}
		time.Sleep(time.Second)
		found := b.CheckWallTime()
		if got := summary(found); len(got) != 1 || got[0] != "session over wall_time" {
			t.Fatalf("after 60 s: %q", got)
		}
		e := found[0].(event.BudgetExceeded)
		if time.Duration(e.Snapshot.WallTime) != time.Minute || e.Text != "The budget is used up: 1m0s of 1m0s." {
			t.Errorf("%+v", e)
		}
	})
}

// TestWallClockFirst reaches the limit of the clock when something else is counted.
func TestWallClockFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Plan{Limits: Limits{WallTime: time.Second, ToolCalls: 1}})
		child := b.Child(event.BudgetOfTask)
		defer child.Start()()
		time.Sleep(time.Second)
		child.Add(Use{ToolCalls: 1})
		if got := summary(b.TakeEvents()); len(got) != 1 || got[0] != "session over wall_time" {
			t.Errorf("%q", got)
		}
	})
}

func TestEvery(t *testing.T) {
	for limit, want := range map[time.Duration]time.Duration{
		0: 0, 5 * time.Millisecond: time.Millisecond, time.Second: 100 * time.Millisecond, time.Hour: 5 * time.Second,
	} {
		if got := New(Plan{Limits: Limits{WallTime: limit, Cost: 1}}).CheckInterval(); got != want {
			t.Errorf("a limit of %v is looked at every %v, want %v", limit, got, want)
		}
		below := New(Plan{Limits: Limits{WallTime: limit, Cost: 1}, Task: Limits{WallTime: time.Hour}}).Child(event.BudgetOfTask)
		if want == 0 {
			want = 5 * time.Second
		}
		if got := below.CheckInterval(); got != want {
			t.Errorf("below a limit of %v it is looked at every %v", limit, got)
		}
	}
}

// Of many concurrent claims exactly as many succeed as the limit allows, and each event is reported once.
func TestConcurrent(t *testing.T) {
	b := New(Plan{Limits: Limits{ToolCalls: 100, Cost: 1000}})
	children := []*Budget{b, b.Child(event.BudgetOfTask), newBudget(event.BudgetOfTask, Plan{Limits: Limits{ToolCalls: 1000}}, b)}
	var mu sync.Mutex
	var got []string
	claimed := 0
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			defer children[i%3].Start()()
			for range 10 {
				found, err := children[i%3].Claim(Use{ToolCalls: 1, Cost: 0.001})
				found = append(found, b.TakeEvents()...)
				b.Snapshot()
				found = append(found, b.CheckWallTime()...)
				mu.Lock()
				if got = append(got, summary(found)...); err == nil {
					claimed++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if claimed != 100 || b.Snapshot().ToolCalls != 100 {
		t.Errorf("%d calls got through, %d were counted; want 100", claimed, b.Snapshot().ToolCalls)
	}
	count := map[string]int{}
	for _, word := range got {
		count[word]++
	}
	if diff := cmp.Diff(map[string]int{"session near tool_calls": 1, "session over tool_calls": 1}, count); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
