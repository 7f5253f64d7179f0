package engine

import (
	"slices"
	"strings"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// This file keeps what an answer says while it is streamed, so that a process that dies loses
// at most the last second of it.

const (
	// growEvery is how long text that clients have seen may be missing in the journal.
	growEvery = time.Second
	// cutNote is what the model reads after an answer that a dead process was receiving.
	cutNote = "[the answer above was cut: the process ended while it was streamed]"
)

// growth is what was streamed of an answer and is not in the journal yet. The session's lock
// guards it.
type growth struct {
	event  event.AnswerGrew // Pieces without their text
	texts  []*strings.Builder
	timer  *time.Timer // nil: nothing waits
	closed bool        // the model call is over
}

// add takes a piece that was shown. The first one starts the clock: the delta itself never
// waits for the disk.
func (g *growth) add(t *turn, p event.AnswerPiece) {
	pieces := g.event.Pieces
	last := len(pieces) - 1
	if last < 0 || pieces[last].Block != p.Block || pieces[last].Thinking != p.Thinking {
		last++
		g.event.Pieces = append(pieces, event.AnswerPiece{Block: p.Block, Thinking: p.Thinking, Summary: p.Summary})
		g.texts = append(g.texts, &strings.Builder{})
	}
	g.texts[last].WriteString(p.Text)
	if g.timer == nil {
		g.timer = time.AfterFunc(growEvery, func() { g.record(t) })
	}
}

// record appends what was added.
func (g *growth) record(t *turn) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	g.timer = nil
	if g.closed || t.s.slot != t.slot || t.s.log.Pending() > 0 { // the whole answer follows, or the disk is full
		return
	}
	e := g.event
	for i := range e.Pieces {
		e.Pieces[i].Text = g.texts[i].String()
	}
	g.event.Pieces, g.event.Restart, g.texts = nil, false, nil
	t.s.log.Append(t.id, e)
}

// close ends the growth: what the answer said in the end is recorded as a whole.
func (g *growth) close(t *turn) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	g.closed = true
	if g.timer != nil {
		g.timer.Stop()
	}
}

// answerGrew takes what an unfinished answer said.
func (f *fold) answerGrew(e event.AnswerGrew) {
	if e.Restart || f.open.grown.Message != e.Message {
		f.open.grown = event.AnswerGrew{Message: e.Message, Model: e.Model}
	}
	f.open.grown.Pieces = append(f.open.grown.Pieces, e.Pieces...)
}

// cutAnswer is the events that close an answer which was being streamed; none if there is none.
func (f *fold) cutAnswer() []event.Event {
	grown := f.open.grown
	var blocks []model.Block
	for _, p := range grown.Pieces {
		kind := model.KindText
		if p.Thinking {
			kind = model.KindThinking
		}
		if n := len(blocks); n > 0 && blocks[n-1].Kind == kind {
			blocks[n-1].Text += p.Text
			continue
		}
		blocks = append(blocks, model.Block{Kind: kind, Text: p.Text, Summary: p.Summary && p.Thinking})
	}
	if len(blocks) == 0 {
		return nil
	}
	events := []event.Event{event.AssistantMessage{
		ID: grown.Message, Model: grown.Model, Blocks: blocks, Partial: true, Usage: model.Usage{Estimated: true},
	}}
	if slices.ContainsFunc(blocks, func(b model.Block) bool { return b.Kind == model.KindText }) {
		events = append(events, event.UserMessage{
			ID: event.PromptID("cut-" + string(grown.Message)), Via: event.ByEngine, Blocks: []model.Block{model.TextBlock(cutNote)},
		})
	}
	return events
}
