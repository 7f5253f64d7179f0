package budget

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Limits is how much may be used. A limit that is zero is none.
type Limits struct {
	WallTime     time.Duration // of a turn
	InputTokens  int           // those of caches included
	OutputTokens int           // those of reasoning included
	TotalTokens  int
	Cost         float64 // US dollars
	ToolCalls    int
	Subagents    int
	// WarnAt is the part of a limit that is warned at; 0: four fifths. From 1 on nothing is.
	WarnAt float64
}

// defaultWarnAt is Limits.WarnAt where it is not set.
const defaultWarnAt = 0.8

// Any says whether there is a limit.
func (l Limits) Any() bool {
	l.WarnAt = 0
	return l != Limits{}
}

// Check says what is wrong with limits: one is below zero, or no number.
func (l Limits) Check() error {
	for _, f := range fields {
		if f.get(l) < 0 || math.IsNaN(f.get(l)) || math.IsInf(f.get(l), 0) {
			return fmt.Errorf("%s: want a number above 0", f.name)
		}
	}
	if !(l.WarnAt >= 0 && l.WarnAt <= 1) {
		return errors.New("warn_at: want a number from 0 to 1")
	}
	return nil
}

// Tighter is the lower of each limit. It warns as l does, where that says when.
func (l Limits) Tighter(m Limits) Limits {
	tight := Limits{
		WallTime:    lower(l.WallTime, m.WallTime),
		InputTokens: lower(l.InputTokens, m.InputTokens), OutputTokens: lower(l.OutputTokens, m.OutputTokens),
		TotalTokens: lower(l.TotalTokens, m.TotalTokens), Cost: lower(l.Cost, m.Cost),
		ToolCalls: lower(l.ToolCalls, m.ToolCalls), Subagents: lower(l.Subagents, m.Subagents),
		WarnAt: l.WarnAt,
	}
	if tight.WarnAt == 0 {
		tight.WarnAt = m.WarnAt
	}
	return tight
}

func lower[N int | float64 | time.Duration](a, b N) N {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// A field is a limit with the name that its text form has.
type field struct {
	name string
	get  func(Limits) float64
	set  func(*Limits, string) error
}

var fields = []field{
	{"wall_time", func(l Limits) float64 { return float64(l.WallTime) }, func(l *Limits, v string) (err error) {
		l.WallTime, err = time.ParseDuration(v)
		return err
	}},
	{"input_tokens", func(l Limits) float64 { return float64(l.InputTokens) }, whole(func(l *Limits) *int { return &l.InputTokens })},
	{"output_tokens", func(l Limits) float64 { return float64(l.OutputTokens) }, whole(func(l *Limits) *int { return &l.OutputTokens })},
	{"total_tokens", func(l Limits) float64 { return float64(l.TotalTokens) }, whole(func(l *Limits) *int { return &l.TotalTokens })},
	{"cost", func(l Limits) float64 { return l.Cost }, part(func(l *Limits) *float64 { return &l.Cost })},
	{"tool_calls", func(l Limits) float64 { return float64(l.ToolCalls) }, whole(func(l *Limits) *int { return &l.ToolCalls })},
	{"subagents", func(l Limits) float64 { return float64(l.Subagents) }, whole(func(l *Limits) *int { return &l.Subagents })},
	{"warn_at", func(l Limits) float64 { return l.WarnAt }, part(func(l *Limits) *float64 { return &l.WarnAt })},
}

func whole(place func(*Limits) *int) func(*Limits, string) error {
	return func(l *Limits, v string) (err error) {
		*place(l), err = strconv.Atoi(v)
		return err
	}
}

func part(place func(*Limits) *float64) func(*Limits, string) error {
	return func(l *Limits, v string) (err error) {
		*place(l), err = strconv.ParseFloat(v, 64)
		return err
	}
}

// Parse reads limits as people write them in one line: "cost=2.50,wall_time=30m". The names
// are those of event.BudgetReason, and warn_at.
func Parse(text string) (Limits, error) {
	var l Limits
	seen := map[string]bool{}
	for _, pair := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok {
			return Limits{}, fmt.Errorf("%q: want NAME=VALUE, with commas between", pair)
		}
		if seen[name] {
			return Limits{}, fmt.Errorf("%s: twice", name)
		}
		seen[name] = true
		if err := l.parse(name, value); err != nil {
			return Limits{}, err
		}
	}
	return l, l.Check()
}

func (l *Limits) parse(name, value string) error {
	for _, f := range fields {
		if f.name != name {
			continue
		}
		if err := f.set(l, value); err != nil {
			return fmt.Errorf("%s: cannot read %q", name, value)
		}
		return nil
	}
	return fmt.Errorf("%q: no such limit", name)
}

// String is the form that Parse reads; "" without a limit.
func (l Limits) String() string {
	if !l.Any() {
		return ""
	}
	var pairs []string
	for _, f := range fields {
		n := f.get(l)
		switch {
		case n == 0:
		case f.name == "wall_time":
			pairs = append(pairs, f.name+"="+l.WallTime.String())
		default:
			pairs = append(pairs, f.name+"="+strconv.FormatFloat(n, 'f', -1, 64))
		}
	}
	return strings.Join(pairs, ",")
}
