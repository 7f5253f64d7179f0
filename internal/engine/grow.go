package engine

import (
	"strings"
	"time"

	"parley.dev/parley/internal/event"
)

// This file keeps what an answer says while it is streamed, so that a process that dies loses
// at most the last second of it.

// growEvery is how long text that clients have seen may be missing in the journal.
const growEvery = time.Second

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
	if g.closed || t.s.slot != t.slot || t.s.log.Failing() { // the whole answer follows, or the disk is full
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
