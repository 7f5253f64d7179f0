package batch

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// This file keeps the budget of a batch: before an attempt its task's own limit is reserved, and afterwards replaced by what
// was used. The last entry of the LedgerLog is the whole ledger. What an attempt has used whose worker ended is not known:
// its reservation counts.

// A ledger is the state of the budget of a batch.
type ledger struct {
	Spent    Budget            `json:"spent,omitzero"`
	Reserved map[string]Budget `json:"reserved,omitempty"` // by task and attempt, see reservation
}

// reservation returns the name of what an attempt reserves.
func reservation(task string, attempt int) string { return fmt.Sprintf("%s.%d", task, attempt) }

// A dimension is one limit of a budget.
type dimension struct {
	name string
	get  func(*Budget) float64
	add  func(*Budget, float64)
}

func intDimension(name string, field func(*Budget) *int) dimension {
	return dimension{name, func(b *Budget) float64 { return float64(*field(b)) }, func(b *Budget, n float64) { *field(b) += int(n) }}
}

// dimensions are the limits that a batch can have: all but the time of turns.
var dimensions = []dimension{
	{"cost", func(b *Budget) float64 { return b.Cost }, func(b *Budget, n float64) { b.Cost = roundCost(b.Cost + n) }},
	intDimension("input_tokens", func(b *Budget) *int { return &b.InputTokens }),
	intDimension("output_tokens", func(b *Budget) *int { return &b.OutputTokens }),
	intDimension("total_tokens", func(b *Budget) *int { return &b.TotalTokens }),
	intDimension("tool_calls", func(b *Budget) *int { return &b.ToolCalls }),
	intDimension("subagents", func(b *Budget) *int { return &b.Subagents }),
}

func (b Budget) plus(c Budget) Budget {
	for _, d := range dimensions {
		d.add(&b, d.get(&c))
	}
	return b
}

// checkBudget returns an error for a budget of a batch that does not go with the tasks.
func checkBudget(total Budget, tasks []Task) error {
	if total.WallTime != 0 {
		return errors.New("the budget of a batch has no wall_time: set the timeout of tasks")
	}
	for _, d := range dimensions {
		if d.get(&total) == 0 {
			continue
		}
		for _, t := range tasks {
			if d.get(&t.Budget) == 0 {
				return fmt.Errorf("the batch has a budget of %s, and task %s has none of its own: set the budget of tasks", d.name, t.ID)
			}
		}
	}
	return nil
}

// A verdict is the answer to a reservation.
type verdict int

const (
	reserved verdict = iota
	later            // other attempts have reserved what is left, and may use less
	never            // too much is spent
)

// reserve reserves what an attempt may use. Reservations of earlier attempts of the task become spent.
func (l *ledger) reserve(total Budget, task string, attempt int, want Budget) verdict {
	own := reservation(task, attempt)
	if _, done := l.Reserved[own]; done {
		return reserved // the claim was interrupted
	}
	l.expire(task)
	var others Budget
	for _, r := range l.Reserved {
		others = others.plus(r)
	}
	answer := reserved
	for _, d := range dimensions {
		limit := d.get(&total)
		spent, needed := d.get(&l.Spent), d.get(&want)
		switch {
		case limit == 0:
		case roundCost(spent+needed) > limit:
			return never
		case roundCost(spent+needed+d.get(&others)) > limit:
			answer = later
		}
	}
	if answer == reserved {
		if l.Reserved == nil {
			l.Reserved = map[string]Budget{}
		}
		l.Reserved[own] = want
	}
	return answer
}

// expire makes all that a task has reserved spent.
func (l *ledger) expire(task string) {
	for _, name := range slices.Collect(maps.Keys(l.Reserved)) {
		if i := strings.LastIndexByte(name, '.'); name[:i] == task {
			l.Spent = l.Spent.plus(l.Reserved[name])
			delete(l.Reserved, name)
		}
	}
}

// settle replaces the reservation of an attempt by what it has used. It reports whether there was one.
func (l *ledger) settle(task string, attempt int, used Budget) bool {
	name := reservation(task, attempt)
	if _, open := l.Reserved[name]; !open {
		return false
	}
	delete(l.Reserved, name)
	l.Spent = l.Spent.plus(used)
	return true
}
