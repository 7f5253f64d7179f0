package budget

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"parley.dev/parley/internal/event"
)

// ErrUsedUp is every *Error.
var ErrUsedUp = errors.New("the budget is used up")

// An Error says that a budget is used up.
type Error struct {
	Scope  event.BudgetScope
	Reason event.BudgetReason // the limit that was reached first
	text   string
}

func (e *Error) Error() string { return e.text }

// Is makes it ErrUsedUp.
func (e *Error) Is(target error) bool { return target == ErrUsedUp }

// lead is how sentences about a budget begin.
var lead = map[event.BudgetScope]string{
	event.BudgetOfSession:  "the budget",
	event.BudgetOfTask:     "the budget of the task",
	event.BudgetOfSubagent: "the budget of the subagent",
}

// sentence is what people are told of a limit.
func (b *Budget) sentence(what string, d dimension) string {
	return "T" + strings.TrimPrefix(lead[b.scope], "t") + " " + what + ": " + d.text() + "."
}

// text is how much of what was used.
func (d dimension) text() string {
	switch d.reason {
	case event.BudgetWallTime:
		return spoken(d.used) + " of " + spoken(d.limit)
	case event.BudgetCost:
		return "$" + number(d.used) + " of $" + number(d.limit)
	}
	return number(d.used) + " of " + number(d.limit) + " " + strings.ReplaceAll(string(d.reason), "_", " ")
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// spoken is a time as people want to read it.
func spoken(nanoseconds float64) string {
	d := time.Duration(nanoseconds)
	if d >= 10*time.Second {
		return d.Round(time.Second).String()
	}
	return d.Round(time.Millisecond).String()
}
