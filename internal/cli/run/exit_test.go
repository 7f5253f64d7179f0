package run

import (
	"errors"
	"testing"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/event"
)

func TestBudgetExit(t *testing.T) {
	err := runExit(event.TurnEnded{Reason: event.TurnBudget, Failure: &event.Failure{Kind: "budget", Message: "the budget is used up: 5 of 5 tool calls"}}, nil)
	e, ok := errors.AsType[*cli.ExitError](err)
	if !ok || e.Code != cli.ExitUnfinished || e.Error() != "stopped: the budget is used up: 5 of 5 tool calls" {
		t.Errorf("%v", err)
	}
}
