package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
)

// This file contains what a turn does when a provider refuses a request as too long. The refusal may be
// the first that is known of the model's window.

// fitting is the part of the window, without the room for an answer, that is filled where the size
// of a request is only an estimate.
const fitting = 0.7

// shortenings is how often the texts of one request are shortened, each time more.
const shortenings = 4

// overflow is how far one model call has gone to make its request fit.
type overflow struct {
	capped, compacted, clipped bool
	shortened                  int // times
}

func isKind(err error, kind model.ErrorKind) bool {
	p, ok := errors.AsType[*model.Error](err)
	return ok && p.Kind == kind
}

// overflowed reports whether err says that a request to m was too long. Some servers (Cerebras) say
// nothing but 400, which is taken for it where at least half of the window is filled.
func (t *turn) overflowed(m Model, err error) bool {
	p, ok := errors.AsType[*model.Error](err)
	if !ok || p.Kind != model.Rejected || p.Status != http.StatusBadRequest || p.Code != "" || p.Message != http.StatusText(http.StatusBadRequest) {
		return ok && p.Kind == model.ContextTooLong
	}
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	return t.s.contextTokens() > m.Info.ContextWindow/2
}

// filled reports whether an answer is empty because its request filled the window of m: some servers
// do not refuse such a request.
func filled(m Model, r *model.Response) bool {
	return r.Stop == model.StopTokens && len(r.Message.Blocks) == 0 && !r.Usage.Estimated && r.Usage.Context() >= m.Info.ContextWindow*99/100
}

// minAffordable is the shortest answer that is worth a request, in tokens.
const minAffordable = 256

// affords reports whether the call that failed with err can be made with a shorter answer: one that the
// account can pay. It can once in a turn.
func (t *turn) affords(err error) bool {
	p, ok := errors.AsType[*model.Error](err)
	if !ok || p.Kind != model.Quota || p.MaxTokens < minAffordable || t.affordable > 0 {
		return false
	}
	t.affordable = p.MaxTokens
	return true
}

// fit makes the next request of the turn smaller than the one that was refused, and reports whether
// there was a way left: a smaller answer where that is known to suffice, shorter results of the last step
// where they are what is too large, a summary of the older messages, a smaller answer, shorter texts.
func (o *overflow) fit(ctx context.Context, t *turn, m *Model, failed error) bool {
	if t.compaction(*m).Never {
		return false
	}
	known, fits := t.learnWindow(m, failed)
	fits = fits && !o.capped
	if known && fits {
		o.capped = true
		return true
	}
	if known && t.clipStep(*m, false) && t.s.leavesRoom(*m) {
		return true // the results of the last step were as large as a larger window allows
	}
	if !o.compacted && t.s.compactable(*m) {
		o.compacted = true
		started := event.CompactionStarted{Reason: event.CompactOverflow, Failure: failing(failed)}
		if t.compactNow(ctx, *m, started) {
			return true
		}
	}
	if ctx.Err() != nil || !fits && o.shortened == shortenings {
		return false
	}
	if !o.clipped && t.clipStep(*m, true) {
		o.clipped = true
		return true
	}
	if fits {
		o.capped = true
		return true
	}
	if !t.s.shortenable() {
		return false
	}
	o.shortened++
	if !t.shorten {
		t.append(event.Notice{
			Level: event.Warning, Code: NoticeShortened,
			Text: fmt.Sprintf("the context window of %s is too small: long texts are shortened for it", m.Info.ID),
		})
	}
	t.shorten = true
	return true
}

// learnWindow makes the window of m what the provider says, and keeps that for the turn, or less than
// what it refused. It reports whether it is known that a shorter answer helps: the provider says the
// window, or the request allowed a longer one than is kept free. And it reports whether the request
// fits with that.
func (t *turn) learnWindow(m *Model, failed error) (known, fits bool) {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	tokens := s.contextTokens()
	before := t.answerLimit(m.Info, tokens)
	t.tooLong = true
	p, _ := errors.AsType[*model.Error](failed)
	switch {
	case p != nil && p.Window > 0 && p.Window < m.Info.ContextWindow:
		known = true
		t.window, m.Info.ContextWindow = p.Window, p.Window
	case before > s.maxTokens(m.Info):
		known = true
	default:
		m.Info.ContextWindow = min(m.Info.ContextWindow, (tokens+before)*3/4) // together they were too much
		if t.shorten {
			m.Info.ContextWindow = m.Info.ContextWindow * 3 / 4 // what was sent was shorter than tokens
		}
	}
	after := s.maxTokens(m.Info)
	return known, after < before && tokens < int(fitting*float64(m.Info.ContextWindow-after))
}

// leavesRoom reports whether the next request leaves the room for an answer to m.
func (s *Session) leavesRoom(m Model) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.contextTokens() <= m.Info.ContextWindow-s.maxTokens(m.Info)
}

// compactable reports whether there is more than one message, and the context has grown since the
// last compaction.
func (s *Session) compactable(m Model) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.fold.Entries) > 1 && s.grown(m)
}

// shortenable reports whether the history has a text that a shorter one can stand for.
func (s *Session) shortenable() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.fold.Entries {
		for _, b := range e.Message.Blocks {
			if text := shortenable(b); text != nil && len(*text) > session.MinExcerpt {
				return true
			}
		}
	}
	return false
}

// room returns the bytes of messages that a request to m has room for, by an estimate.
func (s *Session) room(m Model) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	tokens := int(fitting*float64(m.Info.ContextWindow-s.maxTokens(m.Info))) - s.context.fixedBytes/session.BytesPerToken
	return max(tokens*session.BytesPerToken, session.MinExcerpt)
}

// shortened returns messages whose texts have at most limit bytes together, as far as that can be: the
// longest lose their middles, down to one length. Reasoning and the inputs of calls stay as they are.
func shortened(messages []model.Message, limit int) []model.Message {
	var sizes []int
	for _, m := range messages {
		for _, b := range m.Blocks {
			if text := shortenable(b); text != nil {
				sizes = append(sizes, len(*text))
			} else {
				limit -= session.MessageBytes(model.Message{Blocks: []model.Block{b}})
			}
		}
	}
	longest := session.LongestFitting(sizes, limit)
	out := slices.Clone(messages)
	for i, m := range out {
		blocks := slices.Clone(m.Blocks)
		for j := range blocks {
			if r := blocks[j].Result; r != nil {
				own := *r
				blocks[j].Result = &own
			}
			if text := shortenable(blocks[j]); text != nil && len(*text) > longest {
				if blocks[j].Result != nil {
					blocks[j].Result.Text = withoutMiddle(*text, longest)
				} else {
					blocks[j].Text = withoutMiddle(*text, longest)
				}
			}
		}
		out[i].Blocks = blocks
	}
	return out
}

// shortenable returns the text of b that may be cut; nil: there is none.
func shortenable(b model.Block) *string {
	switch b.Kind {
	case model.KindText:
		return &b.Text
	case model.KindToolResult:
		return &b.Result.Text
	}
	return nil
}

// withoutMiddle returns text with at most about limit bytes: its beginning and its end.
func withoutMiddle(text string, limit int) string {
	return session.CutMiddle(text, limit, "left out: the context window is too small")
}
