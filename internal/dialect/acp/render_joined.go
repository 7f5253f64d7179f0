package acp

import "parley.dev/parley/internal/event"

// This file shows an answer that was under way when the client came to the session, or came back to it. The pieces before
// that are lost: what has grown of the answer is shown as the journal has it, at most a second late.

// growLive shows a piece of an answer of which the client is sent every piece.
func (v *view) growLive(kind string, message event.MessageID, block int, piece string) {
	if !v.turn.missed {
		v.grow(kind, message, block, piece)
	}
}

// grew shows what has grown of an answer of which pieces were missed, beyond what the client was sent of it.
func (v *view) grew(e event.AnswerGrew) {
	t := v.turn
	if e.Restart {
		t.grown = nil
		if t.missed && len(t.shown) > 0 {
			t.shown, t.tries = nil, t.tries+1
		}
	}
	if t.grown == nil {
		t.grown = map[int]int{}
	}
	for _, p := range e.Pieces {
		begin := t.grown[p.Block]
		t.grown[p.Block] += len(p.Text)
		if known := max(t.shown[p.Block]-begin, 0); t.missed && known < len(p.Text) {
			v.grow(chunkKind(p.Thinking), e.Message, p.Block, p.Text[known:])
		}
	}
}
