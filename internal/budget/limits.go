package budget

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Limits are the amounts that may be used. Zero means no limit.
type Limits struct {
	WallTime     time.Duration // of a turn
	InputTokens  int           // including those of caches
	OutputTokens int           // including those of reasoning
	TotalTokens  int
	Cost         float64 // US dollars
	ToolCalls    int
	Subagents    int
	// WarnAt is the fraction of a limit at which a warning is reported; 0 means four fifths, 1 means never.
	WarnAt float64
}

// A Plan is the limits of a session and, within those, of parts of its work.
type Plan struct {
	Limits
	Task     Limits // of all subagents of one call together
	Subagent Limits // of each subagent
}

// Tighter returns the lower of each limit, as Limits.Tighter does.
func (p Plan) Tighter(q Plan) Plan {
	return Plan{p.Limits.Tighter(q.Limits), p.Task.Tighter(q.Task), p.Subagent.Tighter(q.Subagent)}
}

// defaultWarnAt is used if Limits.WarnAt is 0.
const defaultWarnAt = 0.8

// Any reports whether any limit is set.
func (l Limits) Any() bool {
	l.WarnAt = 0
	return l != Limits{}
}

// Check returns an error if a limit is negative or not a finite number.
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

// Tighter returns the lower of each limit, and WarnAt of l, or of m if l has none.
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

// A field is a limit and its name in text.
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
	{"input_tokens", func(l Limits) float64 { return float64(l.InputTokens) }, intField(func(l *Limits) *int { return &l.InputTokens })},
	{"output_tokens", func(l Limits) float64 { return float64(l.OutputTokens) }, intField(func(l *Limits) *int { return &l.OutputTokens })},
	{"total_tokens", func(l Limits) float64 { return float64(l.TotalTokens) }, intField(func(l *Limits) *int { return &l.TotalTokens })},
	{"cost", func(l Limits) float64 { return l.Cost }, floatField(func(l *Limits) *float64 { return &l.Cost })},
	{"tool_calls", func(l Limits) float64 { return float64(l.ToolCalls) }, intField(func(l *Limits) *int { return &l.ToolCalls })},
	{"subagents", func(l Limits) float64 { return float64(l.Subagents) }, intField(func(l *Limits) *int { return &l.Subagents })},
	{"warn_at", func(l Limits) float64 { return l.WarnAt }, floatField(func(l *Limits) *float64 { return &l.WarnAt })},
}

func intField(target func(*Limits) *int) func(*Limits, string) error {
	return func(l *Limits, v string) (err error) {
		*target(l), err = strconv.Atoi(v)
		return err
	}
}

func floatField(target func(*Limits) *float64) func(*Limits, string) error {
	return func(l *Limits, v string) (err error) {
		*target(l), err = strconv.ParseFloat(v, 64)
		return err
	}
}

// Parse parses limits in one line: "cost=2.50,wall_time=30m". The names are those of
// event.BudgetReason, and warn_at.
func Parse(text string) (Limits, error) {
	var l Limits
	seen := map[string]bool{}
	for _, pair := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok {
			return Limits{}, fmt.Errorf("%q: expected NAME=VALUE, separated by commas", pair)
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
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	return fmt.Errorf("%q: no such limit; possible are %s", name, strings.Join(names, ", "))
}

// String formats l for Parse; "" if no limit is set.
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
