package engine

import (
	"errors"
	"fmt"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
)

// This file leaves out of requests what the moderation of an endpoint refused: else every later request
// of the session is refused, too. The records, which clients read, keep it.
//
// An endpoint does not say which message it refused. Results of tools that it has not answered yet are
// left out on trial; where the turn before was refused, too, so are the earlier messages. What is left
// out of a request that is answered stays left out. Else it is the prompt: the turn fails.

// A moderation is what one model call has tried to have a refused request answered.
type moderation struct {
	t              *turn
	triedResults   bool // looked for results of tools to leave out
	resultsRefused bool // and left them out
	triedEarlier   bool // looked for earlier messages to leave out
	message        string
}

// refusalOf returns err if it is a refusal by moderation; nil: it is none.
func refusalOf(err error) *model.Error {
	if p, ok := errors.AsType[*model.Error](err); ok && p.Moderated {
		return p
	}
	return nil
}

// retry reports whether a call that failed with err is made again without something. Where it is not and
// moderation refused the request, what came last stays out of later requests.
func (r *moderation) retry(m Model, err error) bool {
	p := refusalOf(err)
	if p == nil {
		return false
	}
	s, t, key := r.t.s, r.t, session.ModelKey(m.Info)
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.fold
	r.message = p.Message
	if !r.triedResults {
		r.triedResults = true
		t.trial = f.Unrefused(key, f.LastResults())
		if r.resultsRefused = len(t.trial) > 0; r.resultsRefused {
			return true
		}
	}
	if !r.triedEarlier && (r.resultsRefused || f.Refusals[key] > 0) {
		r.triedEarlier = true
		if t.trial = f.Unrefused(key, f.EarlierTexts(key)); len(t.trial) > 0 {
			return true
		}
	}
	t.trial = nil
	t.refuseText(m, f.Unrefused(key, f.LastTexts()), r.message)
	return false
}

// answered records what was left out of a request that m answered.
func (r *moderation) answered(m Model) {
	t := r.t
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.refuseText(m, t.trial, r.message)
	t.trial = nil
}

// refuseAnswered records that m refused last, which was answered with a refusal: later requests lack
// both.
func (t *turn) refuseAnswered(m Model, last []session.TextRef) {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.fold.Entries); n > 0 && s.fold.Entries[n-1].Message.Role == model.Assistant {
		last = append(last, session.TextRef{Message: s.fold.Entries[n-1].Seq})
	}
	t.refuseText(m, last, "")
}

// refuseText records that the moderation of m's endpoint refused texts. It runs under the session's lock.
func (t *turn) refuseText(m Model, texts []session.TextRef, message string) {
	if len(texts) == 0 {
		return
	}
	e := event.TextRefused{Provider: m.Info.Provider, Model: m.Info.ID}
	for _, text := range texts {
		if text.Result != "" {
			e.Results = append(e.Results, text.Result)
		} else {
			e.Messages = append(e.Messages, text.Message)
		}
	}
	notice := fmt.Sprintf("%s refused %s; later requests to it have a note there", session.ModelKey(m.Info), t.s.fold.DescribeRefused(e))
	if message != "" {
		notice += ": " + message
	}
	t.s.log.Append(t.id, e, event.Notice{Level: event.Warning, Code: NoticeTextRefused, Text: notice})
}

// lastTexts returns what the next request has for the first time.
func (s *Session) lastTexts(m Model) []session.TextRef {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fold.Unrefused(session.ModelKey(m.Info), s.fold.LastTexts())
}
