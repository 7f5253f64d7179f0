package codex

import "strings"

// The tags of a proposed plan in a text of a model. The first one begins a line.
const (
	planBegin = "<proposed_plan>"
	planEnd   = "</proposed_plan>"
)

// blanks are the signs around a plan that are part of neither it nor the text.
const blanks = " \t\r\n"

// A planCutter cuts a text that arrives in chunks into the proposed plans in it and the rest. How the text is divided into chunks does not
// change the result.
type planCutter struct {
	pending string // not cut yet: blanks, and what may be the beginning of a tag
	inside  bool   // in a plan
	written bool   // a sign of the plan or, outside, of the line was returned
	found   bool   // there was a plan
}

// A planPiece is a piece of a text or of a plan in it.
type planPiece struct {
	text string
	plan bool
	end  bool // the plan ends after it
}

// next returns the pieces that a chunk completes.
func (c *planCutter) next(chunk string) (pieces []planPiece) {
	c.pending += chunk
	for {
		at, length := c.tag()
		if at < 0 {
			break
		}
		before := strings.TrimRight(c.pending[:at], blanks)
		pieces = c.appendPiece(pieces, before)
		c.pending = c.pending[at+length:]
		if c.inside {
			pieces = append(pieces, planPiece{plan: true, end: true})
		}
		c.inside, c.written, c.found = !c.inside, false, true
	}
	ready := strings.TrimRight(c.pending[:c.open()], blanks)
	pieces = c.appendPiece(pieces, ready)
	c.pending = c.pending[len(ready):]
	return pieces
}

// end returns the last pieces. A plan that has no end yet ends there.
func (c *planCutter) end() (pieces []planPiece) {
	rest := c.pending
	if c.found {
		rest = strings.TrimRight(rest, blanks)
	}
	c.pending = ""
	pieces = c.appendPiece(nil, rest)
	if c.inside {
		pieces = append(pieces, planPiece{plan: true, end: true})
	}
	return pieces
}

// appendPiece appends a text to the pieces, without the blanks at the beginning of a plan.
func (c *planCutter) appendPiece(pieces []planPiece, text string) []planPiece {
	if c.inside && !c.written {
		text = strings.TrimLeft(text, blanks)
	}
	if text == "" {
		return pieces
	}
	c.written = true
	return append(pieces, planPiece{text: text, plan: c.inside})
}

// tag returns the place of the next tag and its length; -1: there is none.
func (c *planCutter) tag() (at, length int) {
	if c.inside {
		return strings.Index(c.pending, planEnd), len(planEnd)
	}
	for from := 0; ; {
		i := strings.Index(c.pending[from:], planBegin)
		if i < 0 {
			return -1, 0
		}
		if c.beginsLine(from + i) {
			return from + i, len(planBegin)
		}
		from += i + 1
	}
}

// open returns the place of what may be the beginning of a tag at the end of the pending text, or the length of that text.
func (c *planCutter) open() int {
	tag := planBegin
	if c.inside {
		tag = planEnd
	}
	for at := max(0, len(c.pending)-len(tag)+1); at < len(c.pending); at++ {
		if strings.HasPrefix(tag, c.pending[at:]) && (c.inside || c.beginsLine(at)) {
			return at
		}
	}
	return len(c.pending)
}

// beginsLine reports whether there are only blanks before a place of the pending text in its line.
func (c *planCutter) beginsLine(at int) bool {
	line := strings.TrimRight(c.pending[:at], " \t")
	return line == "" && !c.written || strings.HasSuffix(line, "\n")
}
