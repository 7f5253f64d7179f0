package main

import (
	"errors"
	"testing"

	"parley.dev/parley/internal/event"
)

func TestBudgetExit(t *testing.T) {
	err := runExit(event.TurnEnded{Reason: event.TurnBudget, Failure: &event.Failing{Kind: "budget", Message: "the budget is used up: 5 of 5 tool calls"}}, nil)
	e, ok := errors.AsType[*exitError](err)
	if !ok || e.code != exitUnfinished || e.Error() != "stopped: the budget is used up: 5 of 5 tool calls" {
		t.Errorf("%v", err)
	}
}
