package batch

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// TestBackoff: the delay doubles with each attempt up to ten minutes, and is spread upwards only.
func TestBackoff(t *testing.T) {
	for _, test := range []struct {
		used          int
		least, spread time.Duration // with a spread of 1 the delay is least + spread
	}{
		{0, 10 * time.Second, 5 * time.Second},
		{1, 10 * time.Second, 5 * time.Second},
		{2, 20 * time.Second, 10 * time.Second},
		{3, 40 * time.Second, 20 * time.Second},
		{6, 320 * time.Second, 160 * time.Second},
		{7, 10 * time.Minute, 0},
		{99, 10 * time.Minute, 0},
	} {
		if got := backoff(defaultFirstDelay, test.used, 0); got != test.least {
			t.Errorf("after %d attempts at least %s, want %s", test.used, got, test.least)
		}
		if got := backoff(defaultFirstDelay, test.used, 1); got != test.least+test.spread {
			t.Errorf("after %d attempts at most %s, want %s", test.used, got, test.least+test.spread)
		}
	}
}

// TestDelaysDiffer: tasks whose attempts ended together do not return together.
func TestDelaysDiffer(t *testing.T) {
	b := New(nil)
	seconds := map[int]int{}
	for i := range 1000 {
		seconds[int(b.delay("b", &TaskState{ID: fmt.Sprintf("t%d", i), Attempt: 1, Used: 1})/time.Second)]++
	}
	if len(seconds) != 5 {
		t.Fatalf("delays in seconds, and how often: %v", seconds)
	}
	for _, n := range seconds {
		if n < 100 {
			t.Errorf("delays in seconds, and how often: %v", seconds)
		}
	}
}

// TestLedger plays reservations of tasks against a budget of 10 calls.
func TestLedger(t *testing.T) {
	calls := func(n int) Budget { return Budget{ToolCalls: n} }
	for _, test := range []struct {
		name  string
		play  func(l *ledger) []verdict
		want  []verdict
		spent int
		open  int
	}{
		{"fits", func(l *ledger) []verdict {
			return []verdict{l.reserve(calls(10), "a", 1, calls(5)), l.reserve(calls(10), "b", 1, calls(5))}
		}, []verdict{reserved, reserved}, 0, 2},
		{"is reserved by others", func(l *ledger) []verdict {
			return []verdict{l.reserve(calls(10), "a", 1, calls(6)), l.reserve(calls(10), "b", 1, calls(6))}
		}, []verdict{reserved, later}, 0, 1},
		{"is spent", func(l *ledger) []verdict {
			first := l.reserve(calls(10), "a", 1, calls(6))
			l.settle("a", 1, calls(6))
			return []verdict{first, l.reserve(calls(10), "b", 1, calls(6))}
		}, []verdict{reserved, never}, 6, 0},
		{"less was used", func(l *ledger) []verdict {
			first := l.reserve(calls(10), "a", 1, calls(6))
			l.settle("a", 1, calls(1))
			return []verdict{first, l.reserve(calls(10), "b", 1, calls(6))}
		}, []verdict{reserved, reserved}, 1, 1},
		{"twice", func(l *ledger) []verdict {
			return []verdict{l.reserve(calls(10), "a", 1, calls(6)), l.reserve(calls(10), "a", 1, calls(6))}
		}, []verdict{reserved, reserved}, 0, 1},
		{"of a lost attempt", func(l *ledger) []verdict {
			return []verdict{l.reserve(calls(10), "a", 1, calls(4)), l.reserve(calls(10), "a", 2, calls(4)), l.reserve(calls(10), "b", 1, calls(4))}
		}, []verdict{reserved, reserved, later}, 4, 1},
		{"settled late", func(l *ledger) []verdict {
			l.reserve(calls(10), "a", 1, calls(4))
			l.reserve(calls(10), "a", 2, calls(4))
			if l.settle("a", 1, calls(1)) {
				return nil
			}
			return []verdict{reserved}
		}, []verdict{reserved}, 4, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l ledger
			got := test.play(&l)
			if !slices.Equal(got, test.want) || l.Spent.ToolCalls != test.spent || len(l.Reserved) != test.open {
				t.Errorf("%v, %+v", got, l)
			}
		})
	}
}

func TestLedgerOfCosts(t *testing.T) {
	var l ledger
	for i := range 10 {
		if got := l.reserve(Budget{Cost: 1}, fmt.Sprint(i), 1, Budget{Cost: 0.1}); got != reserved {
			t.Fatalf("the sum of ten times 0.1 is more than 1: %+v", l)
		}
	}
	if got := l.reserve(Budget{Cost: 1}, "last", 1, Budget{Cost: 0.1}); got != later {
		t.Errorf("verdict %d", got)
	}
	l.expire("0")
	if l.Spent.Cost != 0.1 || len(l.Reserved) != 9 {
		t.Errorf("%+v", l)
	}
}

// TestTaskState holds the fold to the order of events.
func TestTaskState(t *testing.T) {
	result := func(s Status) Event { return Event{Kind: TaskFinished, Result: &Result{Status: s, CostUSD: 1}} }
	task, attempt, requeue, retry := Event{Kind: TaskDefined, Task: &Task{}}, Event{Kind: AttemptBegun, Attempt: 1}, Event{Kind: TaskRequeued, Cause: CauseProvider, CostUSD: 2}, Event{Kind: TaskRetried}
	free := Event{Kind: TaskRequeued, Free: true}
	for _, test := range []struct {
		events []Event
		want   string // status, attempts that count, cost; or "error" of the last one
	}{
		{[]Event{task}, "queued 0 0"},
		{[]Event{attempt}, "error"},
		{[]Event{task, task}, "error"},
		{[]Event{task, attempt}, "running 1 0"},
		{[]Event{task, attempt, attempt}, "running 2 0"},
		{[]Event{task, requeue}, "error"},
		{[]Event{task, attempt, requeue}, "queued 1 2"},
		{[]Event{task, attempt, free}, "queued 0 0"},
		{[]Event{task, {Kind: CommitPinned}}, "error"},
		{[]Event{task, attempt, {Kind: CommitPinned, Commit: "c"}, requeue, attempt}, "running 2 2"},
		{[]Event{task, result(Cancelled)}, "cancelled 0 1"},
		{[]Event{task, attempt, requeue, attempt, result(Done)}, "done 2 3"},
		{[]Event{task, attempt, result(Done), attempt}, "error"},
		{[]Event{task, attempt, result(Done), result(Done)}, "error"},
		{[]Event{task, retry}, "error"},
		{[]Event{task, attempt, result(Dead), retry}, "queued 0 1"},
		{[]Event{task, attempt, result(Dead), retry, attempt, result(Done)}, "done 1 2"},
		{[]Event{task, {Kind: "other"}}, "error"},
	} {
		var s TaskState
		var err error
		for i, ev := range test.events {
			if err != nil {
				t.Fatalf("%+v: %v", test.events, err)
			}
			data, _ := json.Marshal(ev)
			err = s.Apply(Entry{Log: Log{Batch: "b", Kind: TaskLog, Task: "t"}, Number: uint64(i + 1), Data: data})
		}
		got := fmt.Sprintf("%s %d %v", s.Status, s.Used, s.CostUSD)
		if err != nil {
			got = "error"
		}
		if got != test.want {
			t.Errorf("%+v: %s, want %s", test.events, got, test.want)
		}
	}
}

// TestReport: the rate is that of the last results, so that a pause of hours does not count for ever.
func TestReport(t *testing.T) {
	s := newState()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	number := uint64(0)
	apply := func(log Log, at time.Time, v any) {
		t.Helper()
		data, _ := json.Marshal(v)
		number++
		if err := s.Apply(Entry{Log: log, Number: number, Time: at, Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	apply(Log{Batch: "b", Kind: DefinitionLog}, start, Definition{Version: 1, Batch: "b", Tasks: 400})
	if r := s.Report(start); r.Queued != 400 || r.ETA != nil || r.Finished {
		t.Errorf("%+v", r)
	}
	at := start
	for i := range 300 {
		if at = at.Add(500 * time.Millisecond); i == 100 {
			at = at.Add(5 * time.Hour)
		}
		log := Log{Batch: "b", Kind: TaskLog, Task: fmt.Sprint(i)}
		apply(log, start, Event{Kind: TaskDefined, Task: &Task{}})
		status := Done
		if i%100 == 0 {
			status = Failed
		}
		apply(log, at, Event{Kind: TaskFinished, Result: &Result{Status: status, Usage: Usage{1, 2}, CostUSD: 0.01}})
	}
	r := s.Report(at)
	if r.Done != 297 || r.Failed != 3 || r.Queued != 100 || r.CostUSD != 3 || r.Usage != (Usage{300, 600}) || *r.ETA != 50 {
		t.Errorf("%+v, eta %d", r, *r.ETA)
	}
	line, _ := json.Marshal(r)
	const want = `{"batch":"b","tasks":400,"queued":100,"running":0,"done":297,"failed":3,"budget":0,"timeout":0,"cancelled":0,"dead":0,"finished":false,"cost_usd":3,"usage":{"input":300,"output":600},"eta_s":50}`
	if string(line) != want {
		t.Errorf("%s\nwant %s", line, want)
	}
}

// TestResultForm holds the line of results to its documented form.
func TestResultForm(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	full := Result{
		Batch: "3fa9", Task: "tax-17", Status: Done, Attempt: 1, Worker: "h-7f3a", Session: "b-3fa9-tax-17-1", Commit: "9c1e",
		Patch:  &Patch{Bytes: 812, SHA256: "ab", Files: []FileChange{{"tax.go", "change", 3, 1}}},
		Answer: "Fixed.", Verify: []Verification{{"go test ./...", 0, "ok"}}, Usage: Usage{1480, 310}, CostUSD: 0.011, Steps: 4, Started: &at, Ended: at,
	}
	for _, test := range []struct {
		r    Result
		want string
	}{
		{full, `{"batch":"3fa9","task":"tax-17","status":"done","attempt":1,"worker":"h-7f3a","session":"b-3fa9-tax-17-1","commit":"9c1e",` +
			`"patch":{"bytes":812,"sha256":"ab","files":[{"path":"tax.go","op":"change","added":3,"removed":1}]},"answer":"Fixed.",` +
			`"verify":[{"command":"go test ./...","exit":0,"output":"ok"}],"usage":{"input":1480,"output":310},"cost_usd":0.011,"steps":4,` +
			`"started":"2026-01-02T03:04:05Z","ended":"2026-01-02T03:04:05Z","error":null}`},
		{
			Result{Batch: "b", Task: "t", Status: Dead, Verify: []Verification{}, Ended: at, Error: &Failure{"lost", "its worker ended"}},
			`{"batch":"b","task":"t","status":"dead","attempt":0,"worker":"","session":"","commit":"","patch":null,"answer":"","verify":[],` +
				`"usage":{"input":0,"output":0},"cost_usd":0,"steps":0,"started":null,"ended":"2026-01-02T03:04:05Z","error":{"kind":"lost","message":"its worker ended"}}`,
		},
	} {
		got, err := json.Marshal(test.r)
		if err != nil || string(got) != test.want {
			t.Errorf("%s\nwant %s (%v)", got, test.want, err)
		}
	}
}

func TestWorkerSuits(t *testing.T) {
	w := Worker{Labels: map[string]string{"os": "linux", "gpu": "no"}, Accepts: func(repo string) bool { return repo == "/srv/a" }}
	for _, test := range []struct {
		task Task
		want bool
	}{
		{Task{}, true},
		{Task{Labels: map[string]string{"os": "linux"}}, true},
		{Task{Labels: map[string]string{"os": "darwin"}}, false},
		{Task{Labels: map[string]string{"arch": ""}}, false},
		{Task{Labels: map[string]string{"arch": "arm64"}}, false},
		{Task{Repo: "/srv/a"}, true},
		{Task{Repo: "/srv/b"}, false},
	} {
		if got := w.suits(test.task); got != test.want {
			t.Errorf("%+v: %t", test.task, got)
		}
	}
}
