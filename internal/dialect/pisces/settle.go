package pisces

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
)

// This file implements how clients learn that the work of a prompt, and all work, is done: an agent_end
// does not say that no other run follows.

// An openPrompt was acknowledged, and has no prompt_result yet.
type openPrompt struct {
	id    jsontext.Value // of the command; nil: none
	turn  event.TurnID   // that does its work; "": it joined the messages that wait
	after uint64         // of a message that waits: the last record before it
	// command is a command of an extension that runs. It began during a turn, or between turns, as
	// the session had begun so many; the end of the next turn is the end of its work.
	command bool
	during  event.TurnID
	turns   int
}

// accept notes a prompt that was acknowledged.
func (s *session) accept(p *openPrompt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prompts = append(s.prompts, p)
}

// disposition returns what was done with a prompt; err is why nothing was.
func (p openPrompt) disposition(err error) Disposition {
	switch {
	case err != nil:
		return DispositionHandled
	case p.turn == "":
		return DispositionQueued
	}
	return DispositionStarted
}

// doneWith reports whether the work of a prompt is done with the end of a turn. One that waited
// is done with the turn after which no message waits.
func (p openPrompt) doneWith(end event.Record, waiting bool) bool {
	switch {
	case p.turn != "":
		return p.turn == end.Turn
	case p.command:
		return p.during != end.Turn
	}
	return end.Seq > p.after && !waiting
}

// settle returns what follows the end of a turn: the results of the prompts whose work it did,
// and whether all work is done.
func (s *session) settle(rec event.Record, e event.TurnEnded) [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting := s.view.waiting > 0
	result := PromptResult{AgentInvoked: true, Status: PromptCompleted, SessionSettled: !waiting}
	switch {
	case e.Reason == event.TurnInterrupted:
		result.Status = PromptAborted
	case e.Failure != nil:
		result.Status, result.Error = PromptFailed, promptError(*e.Failure)
	}
	var lines [][]byte
	var open []*openPrompt
	for _, p := range s.prompts {
		if !p.doneWith(rec, waiting) {
			open = append(open, p)
			continue
		}
		result.ID = p.id
		lines = append(lines, encode(result))
	}
	s.prompts = open
	lines = append(lines, encode(AgentSettled{Aborted: e.Reason == event.TurnInterrupted}))
	if s.unsettled = waiting; !waiting {
		lines = append(lines, encode(SessionSettled{}))
	}
	return lines
}

// answerMoved ends the prompts that no record will end, in a session that has moved to another process.
func (s *session) answerMoved(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines [][]byte
	for _, p := range s.prompts {
		lines = append(lines, encode(PromptResult{ID: p.id, AgentInvoked: true, Status: PromptFailed, Error: &PromptError{Message: problemOf(err)}, SessionSettled: true}))
	}
	s.prompts = nil
	if s.unsettled {
		s.unsettled = false
		lines = append(lines, encode(SessionSettled{}))
	}
	s.pump.Reply(lines...)
}

// refused returns what follows a prompt that failed after its acknowledgement.
func (s *session) refused(id jsontext.Value, problem string) [][]byte {
	s.mu.Lock()
	idle, waiting := !s.view.busy, s.view.waiting > 0 // as the client knows it
	s.mu.Unlock()
	lines := [][]byte{encode(PromptResult{
		ID: id, Status: PromptFailed, Error: &PromptError{Message: problem}, SessionSettled: idle && !waiting,
	})}
	if idle { // a client may wait for it
		lines = append(lines, encode(AgentSettled{}))
	}
	return lines
}

// drop ends the prompts whose messages were taken out of the queues.
func (s *session) drop() {
	s.pump.Later(func() [][]byte {
		idle := s.eng.State().Turn == ""
		s.mu.Lock()
		defer s.mu.Unlock()
		var lines [][]byte
		var open []*openPrompt
		for _, p := range s.prompts {
			if p.turn != "" || p.command {
				open = append(open, p)
				continue
			}
			lines = append(lines, encode(PromptResult{ID: p.id, AgentInvoked: true, Status: PromptAborted, SessionSettled: idle}))
		}
		s.prompts = open
		if idle && s.unsettled {
			s.unsettled = false
			lines = append(lines, encode(SessionSettled{}))
		}
		return lines
	})
}

// promptError returns a failure of a turn as clients see it.
func promptError(f event.Failure) *PromptError {
	return &PromptError{Message: f.Message, Provider: f.Provider, HTTPStatus: f.Status, Retryable: f.Temporary()}
}
