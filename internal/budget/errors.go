package budget

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"parley.dev/parley/internal/event"
)

// ErrUsedUp matches every *Error.
var ErrUsedUp = errors.New("the budget is used up")

// An Error reports that a budget is used up.
type Error struct {
	Scope  event.BudgetScope
	Reason event.BudgetReason // the limit that was reached first
	text   string
}

func (e *Error) Error() string { return e.text }

// Is reports whether target is ErrUsedUp.
func (e *Error) Is(target error) bool { return target == ErrUsedUp }

// sentenceStart is the beginning of sentences about a budget.
var sentenceStart = map[event.BudgetScope]string{
	event.BudgetOfSession:  "the budget",
	event.BudgetOfTask:     "the budget of the task",
	event.BudgetOfSubagent: "the budget of the subagent",
}

// sentence returns the text about a limit for the user.
func (b *Budget) sentence(what string, d dimension) string {
	return "T" + strings.TrimPrefix(sentenceStart[b.scope], "t") + " " + what + ": " + d.text() + "."
}

// text formats the amount used and the limit.
func (d dimension) text() string {
	switch d.reason {
	case event.BudgetWallTime:
		return durationText(d.used) + " of " + durationText(d.limit)
	case event.BudgetCost:
		return "$" + number(d.used) + " of $" + number(d.limit)
	}
	return number(d.used) + " of " + number(d.limit) + " " + strings.ReplaceAll(string(d.reason), "_", " ")
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// durationText formats a duration, rounded to seconds from ten seconds on.
func durationText(nanoseconds float64) string {
	d := time.Duration(nanoseconds)
	if d >= 10*time.Second {
		return d.Round(time.Second).String()
	}
	return d.Round(time.Millisecond).String()
}
