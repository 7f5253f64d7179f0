package engine

import (
	"fmt"

	"parley.dev/parley/internal/event"
)

// closeInherited closes what the process that had the session before left open.
func (s *Session) closeInherited() error {
	turn, reason := s.fold.State.Turn, event.TurnInterrupted
	if s.fold.LastTurn.Refused && !s.keepsTurn(event.TurnRefused) {
		reason = event.TurnRefused // only its end was missing
	}
	for _, e := range s.fold.Unclosed(event.OutcomeUnknown) {
		s.log.Append(turn, e)
	}
	if turn != "" {
		end := s.turnEnd(reason, nil)
		end.Recovered = true
		if err := s.log.Commit(turn, end); err != nil {
			return err
		}
	}
	if commands := s.fold.Commands.Unclosed(); len(commands) > 0 {
		if err := s.log.Commit("", commands...); err != nil {
			return err
		}
	}
	return s.forgetInherited()
}

// forgetInherited takes a refused turn out of the history that was to leave it, where the process ended in between.
func (s *Session) forgetInherited() error {
	last := s.fold.LastTurn
	if !last.Refused || last.After != s.fold.Head() || s.keepsTurn(event.TurnRefused) {
		return nil
	}
	_, err := s.moveHead(last.Before)
	return err
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
