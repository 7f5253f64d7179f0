package engine

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// This file makes results of calls shorter in the history: those of the last step where they do not
// fit, and old ones where that frees much. The records of the calls stay whole.

const (
	// stepShare is the part of the window that the results of one step may take.
	stepShare = 0.5
	// leastDropped is the size of the smallest result that is dropped, in bytes.
	leastDropped = 500
)

// keptResults lists tools whose results are never dropped: asking again does not bring them back, or
// costs much. The names are our own.
var keptResults = []string{skillTool, "ask", "task", "plan", "todo"}

// cutResults applies e, also to results that the head of the history is moved back to. Results that
// are not in memory are not looked for.
func (f *fold) cutResults(e event.ResultsCut) {
	if f.partly {
		return
	}
	last := f.lastCalls()
	calls := map[event.CallID]model.Call{}
	for _, entry := range f.entries {
		for _, c := range entry.msg.Calls() {
			calls[event.CallID(c.ID)] = c
		}
	}
	for _, cut := range e.Results {
		r, ok := f.results[cut.Call]
		if !ok {
			continue
		}
		before := resultBytes(r)
		if cut.Keep > 0 {
			r.Text = cutMiddle(r.Text, cut.Keep, "left out: the results of this step did not fit into the context window; ask for less at once")
		} else {
			c := calls[cut.Call]
			r.Images = nil
			r.Text = fmt.Sprintf("[result of %s%s, %d bytes, dropped to make room: call it again if you need it]", c.Name, argument(c.Input), before)
		}
		f.results[cut.Call] = r
		freed := before - resultBytes(r)
		f.bytes -= freed
		if slices.Contains(last, cut.Call) {
			f.since -= freed
		} else {
			f.known = 0 // what was counted had it
		}
	}
}

// lastCalls returns the calls of the last answer.
func (f *fold) lastCalls() (ids []event.CallID) {
	for _, e := range slices.Backward(f.entries) {
		if e.msg.Role != model.Assistant {
			continue
		}
		for _, c := range e.msg.Calls() {
			ids = append(ids, event.CallID(c.ID))
		}
		break
	}
	return ids
}

// argument returns the first text of an input, after a space, in at most 80 bytes; "" if it has none.
func argument(input jsontext.Value) string {
	dec := jsontext.NewDecoder(bytes.NewReader(input))
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return ""
		}
		if kind, n := dec.StackIndex(dec.StackDepth()); token.Kind() == '"' && (kind != '{' || n%2 == 0) {
			return " " + shortArgument(token.String())
		}
	}
}

// shortArgument returns the first line of text, in at most 80 bytes.
func shortArgument(text string) string {
	line, _, more := strings.Cut(text, "\n")
	if len(line) > 80 {
		line, more = strings.ToValidUTF8(line[:80], ""), true
	}
	if more {
		line += "…"
	}
	return line
}

// clipStep cuts the results of the last step, the largest first, where they take more of the window
// than stepShare, or, with fit, so that the next request fits. It reports whether it cut any.
func (t *turn) clipStep(m Model, fit bool) bool {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	window := m.Info.ContextWindow
	if window <= 0 {
		return false
	}
	total := 0
	var sizes []int
	calls := s.fold.lastCalls()
	for _, id := range calls {
		size := len(s.fold.results[id].Text)
		sizes, total = append(sizes, size), total+size
	}
	limit := int(stepShare * float64(window) * bytesPerToken)
	if over := s.contextTokens() - (window - s.maxTokens(m.Info)); fit && over > 0 {
		limit = min(limit, max(total-over*bytesPerToken, 0))
	}
	if total <= limit {
		return false
	}
	longest := longestFitting(sizes, limit*9/10) // room for the notes
	var e event.ResultsCut
	for _, id := range calls {
		if len(s.fold.results[id].Text) > longest+minExcerpt {
			e.Results = append(e.Results, event.CutResult{Call: id, Keep: longest})
		}
	}
	if len(e.Results) == 0 {
		return false
	}
	s.log.Append(t.id, e)
	return true
}

// dropOldResults drops the results before the part of the history that compactions keep, where that
// frees at least the part least of the context. It reports whether it dropped any.
func (t *turn) dropOldResults(m Model, least float64) bool {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	old, _ := s.fold.cut(s.opts.Compact.keep(m.Info.ContextWindow))
	var e event.ResultsCut
	freed := 0
	for _, entry := range old {
		for _, c := range entry.msg.Calls() {
			id := event.CallID(c.ID)
			size := resultBytes(s.fold.results[id])
			if size < leastDropped || slices.Contains(keptResults, s.ownTool(c.Name)) {
				continue
			}
			e.Results = append(e.Results, event.CutResult{Call: id})
			freed += size
		}
	}
	if len(e.Results) == 0 || float64(freed) < least*float64(s.fixedBytes+s.fold.bytes) {
		return false
	}
	s.log.Append(t.id, e, event.Notice{
		Level: event.Info, Code: NoticeResultsDropped,
		Text: fmt.Sprintf("%d old tool results (%d bytes) were dropped from what the model reads, to make room", len(e.Results), freed),
	})
	return true
}

// ownTool returns our own name of the tool that models call name; name where it has none.
func (s *Session) ownTool(name string) string {
	for _, b := range s.tools.bound {
		if b.Name == name {
			return b.Tool
		}
	}
	return name
}
