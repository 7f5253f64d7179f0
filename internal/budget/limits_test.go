package budget

import (
	"math"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		text string
		want Limits
		fail string
	}{
		{text: "tool_calls=5", want: Limits{ToolCalls: 5}},
		{text: "cost=2.50, wall_time=1h30m", want: Limits{Cost: 2.5, WallTime: 90 * time.Minute}},
		{
			text: "wall_time=1s,input_tokens=1,output_tokens=2,total_tokens=3,cost=0.5,tool_calls=4,subagents=5,warn_at=0.5",
			want: Limits{WallTime: time.Second, InputTokens: 1, OutputTokens: 2, TotalTokens: 3, Cost: 0.5, ToolCalls: 4, Subagents: 5, WarnAt: 0.5},
		},
		{text: "", fail: `"": expected NAME=VALUE, separated by commas`},
		{text: "tool_calls", fail: `"tool_calls": expected NAME=VALUE, separated by commas`},
		{text: "tools=5", fail: `"tools": no such limit; possible are wall_time, input_tokens, output_tokens, total_tokens, cost, tool_calls, subagents, warn_at`},
		{text: "tool_calls=5,tool_calls=6", fail: "tool_calls: twice"},
		{text: "tool_calls=many", fail: `tool_calls: cannot read "many"`},
		{text: "tool_calls=1.5", fail: `tool_calls: cannot read "1.5"`},
		{text: "wall_time=30", fail: `wall_time: cannot read "30"`},
		{text: "cost=-1", fail: "cost: want a number above 0"},
		{text: "cost=NaN", fail: "cost: want a number above 0"},
		{text: "cost=Inf", fail: "cost: want a number above 0"},
		{text: "warn_at=2", fail: "warn_at: want a number from 0 to 1"},
	} {
		got, err := Parse(test.text)
		if test.fail != "" {
			if err == nil || err.Error() != test.fail {
				t.Errorf("%q: error %v, want %s", test.text, err, test.fail)
			}
			continue
		}
		if err != nil || got != test.want {
			t.Errorf("%q is %+v, %v; want %+v", test.text, got, err, test.want)
		}
		if again, err := Parse(got.String()); err != nil || again != got {
			t.Errorf("%q is read as %+v, %v; want %+v", got.String(), again, err, got)
		}
	}
}

func TestTighter(t *testing.T) {
	a := Limits{WallTime: time.Hour, InputTokens: 5, Cost: 1, ToolCalls: 7}
	b := Limits{WallTime: time.Minute, InputTokens: 9, OutputTokens: 3, Subagents: 2, WarnAt: 0.5}
	want := Limits{WallTime: time.Minute, InputTokens: 5, OutputTokens: 3, Cost: 1, ToolCalls: 7, Subagents: 2, WarnAt: 0.5}
	if got := a.Tighter(b); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := b.Tighter(a); got != want {
		t.Errorf("the other way round: %+v, want %+v", got, want)
	}
	a.WarnAt = 0.9
	if got := a.Tighter(b); got.WarnAt != 0.9 {
		t.Errorf("warned at %v, want 0.9", got.WarnAt)
	}
	if (Limits{WarnAt: 0.5}).Any() || !(Limits{Cost: 0.1}).Any() {
		t.Error("a limit is not distinguished from none")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("cost=2.50,wall_time=30m")
	f.Add("tool_calls=5,warn_at=0.5")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := Parse(text)
		if err != nil || !l.Any() {
			return
		}
		if err := l.Check(); err != nil {
			t.Fatal(err)
		}
		again, err := Parse(l.String())
		if err != nil || again.WallTime != l.WallTime || math.Abs(again.Cost-l.Cost) > 1e-9*l.Cost || again.ToolCalls != l.ToolCalls {
			t.Fatalf("%q is written as %q, which is %+v, %v", text, l.String(), again, err)
		}
	})
}
