package sse

import (
	"cmp"
	"slices"

	"parley.dev/parley/internal/model"
)

// This file keeps the deltas of a block together: some servers send the inputs of several calls by
// turns. While the input of a call is not whole, what belongs to other blocks waits.

// An inputScan follows the JSON of a call's input.
type inputScan struct {
	depth            int
	begun            bool
	inString, escape bool
}

// add takes the next piece, and whole reports whether the value has ended.
func (s *inputScan) add(piece string) (whole bool) {
	for i := range len(piece) {
		c := piece[i]
		switch {
		case s.escape:
			s.escape = false
		case s.inString:
			s.escape, s.inString = c == '\\', c != '"'
		case c == '"':
			s.inString = true
		case c == '{' || c == '[':
			s.begun = true
			s.depth++
		case c == '}' || c == ']':
			s.depth--
		}
	}
	return s.begun && s.depth <= 0 && !s.inString
}

// Close ends block n: nothing more of it follows.
func (a *Answer) Close(n int) {
	a.blocks[n].whole = true
	a.release()
}

// emit sends d, or keeps it until the call that grows is whole.
func (a *Answer) emit(d model.Delta) {
	if d.Kind != model.Done && d.Block != a.growing && a.growing < len(a.blocks) {
		if g := &a.blocks[a.growing]; g.call && !g.whole {
			a.held = append(a.held, d)
			return
		}
	}
	a.send(d)
	if d.Kind == model.ToolInputDelta && a.blocks[d.Block].input.add(d.Text) {
		a.Close(d.Block)
	}
}

// release sends what had to wait for a call that is whole now.
func (a *Answer) release() {
	if g := &a.blocks[a.growing]; g.call && !g.whole || len(a.held) == 0 {
		return
	}
	held := a.held
	a.held = nil
	for _, d := range held {
		a.emit(d)
	}
}

// flush sends all that waits, block by block: nothing more comes.
func (a *Answer) flush() {
	held := a.held
	a.held = nil
	slices.SortStableFunc(held, func(x, y model.Delta) int { return cmp.Compare(x.Block, y.Block) })
	for _, d := range held {
		a.send(d)
	}
}
