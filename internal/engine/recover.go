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

// inheritQueue notes whether prompts wait that the process which had the session before would have run by itself. What a
// session that was idle has accepted for the next prompt waits for that here, too.
func (s *Session) inheritQueue() {
	st := &s.fold.State
	s.opened.queue = s.slot == nil && (s.fold.LastTurn.QueueLeft ||
		len(st.Steering) > 0 && s.opts.Steers&SteerRunningTurn != 0 || len(st.FollowUps) > 0 && s.opts.FollowUps&FollowUpInNewTurn != 0)
}

// beginInherited starts a turn with the first prompt that the process which had the session before has accepted, if one
// waits, and a client is there that may give the session prompts. The others follow as they do after any turn.
//
// It is called whenever such a client comes, and after each verb: a verb may have got the session from a process that has
// died meanwhile. The prompt of a client that comes first begins its own turn, and the queue follows it.
func (s *Session) beginInherited() {
	st := &s.fold.State
	if !s.opened.queue || s.clients.drivers == 0 || s.slot != nil || s.ended != "" || s.lease.claims > 0 || s.lease.queueHolds > 0 ||
		s.opts.Budget.Err() != nil || s.host.finishing.Load() || !s.log.Leased() {
		return
	}
	s.opened.queue = false
	switch {
	case len(st.Steering) > 0:
		s.beginFirstSteer()
	case len(st.FollowUps) > 0:
		s.beginFollowUp(0)
	}
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
