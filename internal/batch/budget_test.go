package batch

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestBudgetForm: limits are an object of those that are set, and what was used is one even if it is nothing.
func TestBudgetForm(t *testing.T) {
	for _, test := range []struct {
		text string
		want string // as it is written again; or the error
		ok   bool
	}{
		{`{"cost":0.5,"tool_calls":100}`, `{"cost":0.5,"tool_calls":100}`, true},
		{`{"tool_calls":100,"cost":0.5}`, `{"cost":0.5,"tool_calls":100}`, true},
		{`{"wall_time":"10m"}`, `{"wall_time":"10m0s"}`, true},
		{`{}`, `{}`, true},
		{`null`, `{}`, true},
		{`{"dollars":1}`, "dollars", false},
		{`{"cost":"1"}`, "cost: want a number", false},
		{`{"cost":-1}`, "cost", false},
		{`{"wall_time":10}`, "wall_time: want a number, or of wall_time a text", false},
		{`{"wall_time":"1s,cost=3"}`, "cannot read", false},
		{`[1]`, "want an object of limits", false},
	} {
		var b Budget
		err := json.Unmarshal([]byte(test.text), &b)
		if !test.ok {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: error %v, want %q", test.text, err, test.want)
			}
			continue
		}
		got, err2 := json.Marshal(b)
		if err != nil || err2 != nil || string(got) != test.want {
			t.Errorf("%s: %s, %v, %v; want %s", test.text, got, err, err2, test.want)
		}
	}
	for _, used := range []Spending{{}, {ToolCalls: 3, Cost: 0.25}} {
		data, err := json.Marshal(Event{Kind: TaskFinished, Used: &used})
		var again Event
		if err2 := json.Unmarshal(data, &again); err != nil || err2 != nil || again.Used == nil || *again.Used != used {
			t.Errorf("%+v is read as %+v from %s: %v, %v", used, again.Used, data, err, err2)
		}
	}
}

// FuzzBudget: what is read is written in a form that is read as the same.
func FuzzBudget(f *testing.F) {
	for _, text := range []string{`{"cost":0.5,"tool_calls":100}`, `{"wall_time":"10m"}`, `{"total_tokens":1e9}`, `{"wall_time":"="}`, `[]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var b, again Budget
		if json.Unmarshal(text, &b) != nil {
			return
		}
		data, err := json.Marshal(b)
		if err == nil {
			err = json.Unmarshal(data, &again)
		}
		if err != nil || again != b {
			t.Errorf("%s is %+v, and %s is %+v: %v", text, b, data, again, err)
		}
	})
}

// TestCheckBudget: each limit of a batch needs one of its kind in each task.
func TestCheckBudget(t *testing.T) {
	tasks := func(budgets ...Budget) (list []Task) {
		for i, b := range budgets {
			list = append(list, Task{ID: string(rune('a' + i)), Budget: b})
		}
		return list
	}
	for _, test := range []struct {
		total Budget
		tasks []Task
		want  string // of the error; "": none
	}{
		{Budget{}, tasks(Budget{}), ""},
		{Budget{Cost: 1}, tasks(Budget{Cost: 0.1}, Budget{Cost: 0.1, ToolCalls: 1}), ""},
		{Budget{Cost: 1}, tasks(Budget{Cost: 0.1}, Budget{ToolCalls: 1}), "task b has none of its own"},
		{Budget{Cost: 1, Subagents: 1}, tasks(Budget{Cost: 0.1}), "a budget of subagents, and task a"},
		{Budget{WallTime: 1}, tasks(Budget{WallTime: 1}), "no wall_time"},
	} {
		err := checkBudget(test.total, test.tasks)
		if (test.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.total, err, test.want)
		}
	}
}

// TestBudgetOfDimensions: each kind of limit bounds the batch on its own.
func TestBudgetOfDimensions(t *testing.T) {
	for _, d := range dimensions {
		var total, want Budget
		d.add(&total, 10)
		d.add(&want, 4)
		var l ledger
		var got []verdict
		for _, task := range []string{"a", "b", "c"} {
			got = append(got, l.reserve(total, task, 1, want))
		}
		if got[0] != reserved || got[1] != reserved || got[2] != later {
			t.Errorf("%s: %v", d.name, got)
		}
		l.settle("a", 1, want)
		l.expire("b")
		if again := l.reserve(total, "c", 1, want); again != never || d.get(&l.Spent) != 8 {
			t.Errorf("%s: %v after %v were spent", d.name, again, d.get(&l.Spent))
		}
	}
}
