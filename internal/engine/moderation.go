package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// This file leaves out of requests what the moderation of an endpoint refused: else every later request
// of the session is refused, too. The records, which clients read, keep it.
//
// An endpoint does not say which message it refused. Results of tools that it has not answered yet are
// left out on trial; where the turn before was refused, too, so are the earlier messages. What is left
// out of a request that is answered stays left out. Else it is the prompt: the turn fails.

// A textRef is what is left out of requests: a message, or the result of a call.
type textRef struct {
	message uint64       // its record; 0: it is a result
	result  event.CallID // "": it is a message
}

// A modelText is a text that a model refused.
type modelText struct {
	model string // see modelKey
	textRef
}

// modelKey identifies a model among all providers.
func modelKey(info model.Info) string { return info.Provider + "/" + info.ID }

// The notes in the places of refused texts.
const (
	promptRefused = "[a message was omitted here: the provider refused it]"
	answerRefused = "[an answer was omitted here: the provider refused it]"
	resultRefused = "[the result was omitted: the provider refused it]"
)

func (f *fold) refuseText(e event.TextRefused) {
	key := modelKey(model.Info{Provider: e.Provider, ID: e.Model})
	for _, seq := range e.Messages {
		f.refusedTexts[modelText{key, textRef{message: seq}}] = true
	}
	for _, call := range e.Results {
		f.refusedTexts[modelText{key, textRef{result: call}}] = true
	}
	f.refusals[key]++
}

// accepted notes that a model has answered all that is before the record seq.
func (f *fold) accepted(seq uint64, e event.AssistantMessage) {
	if e.Stop == model.StopRefused {
		return
	}
	key := modelKey(model.Info{Provider: e.Provider, ID: e.Model})
	f.answered[key], f.refusals[key] = seq, 0
}

// withoutRefused returns all, the messages of the history, with notes in the places of texts that the
// model refused, and of those on trial.
func (f *fold) withoutRefused(all []model.Message, key string, trial []textRef) []model.Message {
	if len(f.refusedTexts) == 0 && len(trial) == 0 {
		return all
	}
	omits := func(t textRef) bool { return f.refusedTexts[modelText{key, t}] || slices.Contains(trial, t) }
	out := slices.Clone(all)
	next := 0
	for i, m := range out {
		if m.Role != model.Tool {
			if omits(textRef{message: f.entries[next].seq}) {
				out[i].Blocks = refusedBlocks(m)
			}
			next++
			continue
		}
		blocks := slices.Clone(m.Blocks)
		for j, b := range blocks {
			if omits(textRef{result: event.CallID(b.Result.CallID)}) {
				blocks[j].Result = &model.Result{CallID: b.Result.CallID, Text: resultRefused, IsError: b.Result.IsError}
			}
		}
		out[i].Blocks = blocks
	}
	return out
}

// refusedBlocks returns what stands for a refused message: a note, and the calls of an answer, which have
// results, without their inputs.
func refusedBlocks(m model.Message) []model.Block {
	if m.Role == model.User {
		return []model.Block{model.TextBlock(promptRefused)}
	}
	blocks := []model.Block{model.TextBlock(answerRefused)}
	for _, call := range m.Calls() {
		call.Input = []byte("{}")
		blocks = append(blocks, CallBlock(call))
	}
	return blocks
}

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
	s, t, key := r.t.s, r.t, modelKey(m.Info)
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.fold
	r.message = p.Message
	if !r.triedResults {
		r.triedResults = true
		t.trial = f.unrefused(key, f.lastResults())
		if r.resultsRefused = len(t.trial) > 0; r.resultsRefused {
			return true
		}
	}
	if !r.triedEarlier && (r.resultsRefused || f.refusals[key] > 0) {
		r.triedEarlier = true
		if t.trial = f.unrefused(key, f.earlierTexts(key)); len(t.trial) > 0 {
			return true
		}
	}
	t.trial = nil
	t.refuseText(m, f.unrefused(key, f.lastTexts()), r.message)
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
func (t *turn) refuseAnswered(m Model, last []textRef) {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.fold.entries); n > 0 && s.fold.entries[n-1].msg.Role == model.Assistant {
		last = append(last, textRef{message: s.fold.entries[n-1].seq})
	}
	t.refuseText(m, last, "")
}

// lastTexts returns what the next request has for the first time.
func (s *Session) lastTexts(m Model) []textRef {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fold.unrefused(modelKey(m.Info), s.fold.lastTexts())
}

// refuseText records that the moderation of m's endpoint refused texts. It runs under the session's lock.
func (t *turn) refuseText(m Model, texts []textRef, message string) {
	if len(texts) == 0 {
		return
	}
	e := event.TextRefused{Provider: m.Info.Provider, Model: m.Info.ID}
	for _, text := range texts {
		if text.result != "" {
			e.Results = append(e.Results, text.result)
		} else {
			e.Messages = append(e.Messages, text.message)
		}
	}
	notice := fmt.Sprintf("%s refused %s; later requests to it have a note there", modelKey(m.Info), t.s.fold.describe(e))
	if message != "" {
		notice += ": " + message
	}
	t.s.log.Append(t.id, e, event.Notice{Level: event.Warning, Code: NoticeTextRefused, Text: notice})
}

// maxDescribed is how many refused texts a notice names.
const maxDescribed = 3

// describe names what was refused, for users.
func (f *fold) describe(e event.TextRefused) string {
	var parts []string
	for _, entry := range f.entries {
		switch {
		case !slices.Contains(e.Messages, entry.seq):
		case entry.prompt:
			parts = append(parts, fmt.Sprintf("the prompt %q", shortArgument(promptText(entry.msg))))
		case entry.msg.Role == model.Assistant:
			parts = append(parts, "an answer")
		default:
			parts = append(parts, "a message")
		}
		for _, call := range entry.msg.Calls() {
			if slices.Contains(e.Results, event.CallID(call.ID)) {
				parts = append(parts, fmt.Sprintf("the result of %s%s", call.Name, argument(call.Input)))
			}
		}
	}
	if len(parts) > maxDescribed {
		return fmt.Sprintf("%d messages and results of the conversation", len(parts))
	}
	return strings.Join(parts, " and ")
}

// unrefused returns those of texts that the model is still sent.
func (f *fold) unrefused(key string, texts []textRef) []textRef {
	return slices.DeleteFunc(texts, func(t textRef) bool { return f.refusedTexts[modelText{key, t}] })
}

// lastEntry returns the index of the last answer; -1: there is none.
func (f *fold) lastEntry() int {
	n := len(f.entries) - 1
	for n >= 0 && f.entries[n].msg.Role != model.Assistant {
		n--
	}
	return n
}

// lastResults returns the results of the last answer's calls.
func (f *fold) lastResults() (texts []textRef) {
	if n := f.lastEntry(); n >= 0 {
		for _, call := range f.entries[n].msg.Calls() {
			texts = append(texts, textRef{result: event.CallID(call.ID)})
		}
	}
	return texts
}

// lastTexts returns the results of the last answer's calls, and the messages after them.
func (f *fold) lastTexts() []textRef {
	texts := f.lastResults()
	for _, e := range f.entries[f.lastEntry()+1:] {
		if e.note == nil || e.note.Topic != event.NotePermissions {
			texts = append(texts, textRef{message: e.seq})
		}
	}
	return texts
}

// earlierTexts returns the messages up to the last answer, and the results of their calls, that the model
// has not answered; all, where it refused more than the request before this one.
func (f *fold) earlierTexts(key string) (texts []textRef) {
	for _, e := range f.entries[:f.lastEntry()+1] {
		if e.seq < f.answered[key] && f.refusals[key] < 2 {
			continue
		}
		texts = append(texts, textRef{message: e.seq})
		for _, call := range e.msg.Calls() {
			texts = append(texts, textRef{result: event.CallID(call.ID)})
		}
	}
	return texts
}
