package engine

import (
	"fmt"

	"parley.dev/parley/internal/event"
)

// closeInherited closes what the process that had the session before left open.
func (s *Session) closeInherited() error {
	turn := s.fold.State.Turn
	for _, e := range s.fold.Unclosed(event.OutcomeUnknown) {
		s.log.Append(turn, e)
	}
	if turn != "" {
		end := s.turnEnd(event.TurnInterrupted, nil)
		end.Recovered = true
		if err := s.log.Commit(turn, end); err != nil {
			return err
		}
	}
	if commands := s.fold.Commands.Unclosed(); len(commands) > 0 {
		return s.log.Commit("", commands...)
	}
	return nil
}

// checkVersion returns an error if rec begins a journal that a newer program wrote.
func checkVersion(rec event.Record) error {
	if e, ok := rec.Event.(event.SessionCreated); ok && e.Version > event.Version {
		return fmt.Errorf("its journal has version %d, this program reads up to %d: use a newer one", e.Version, event.Version)
	}
	return nil
}

func (s *Session) turnEnd(reason event.TurnReason, failure *event.Failure) event.TurnEnded {
	open := s.fold.Open
	mutations := open.Mutations
	if mutations == nil {
		mutations = []event.Mutation{}
	}
	rounds := open.Rounds
	if reason == event.TurnBudget && open.AsksForTools {
		rounds++ // the step that would count it does not come
	}
	return event.TurnEnded{
		Reason: reason, Failure: failure, Usage: open.Usage, Cost: open.Cost,
		Steps: open.Steps, Rounds: rounds, Mutations: mutations, Context: s.contextTokens(), Window: s.context.window,
	}
}
