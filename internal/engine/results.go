package engine

import (
	"fmt"
	"slices"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/session"
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
	calls := s.fold.LastCalls()
	for _, id := range calls {
		size := len(s.fold.Results[id].Text)
		sizes, total = append(sizes, size), total+size
	}
	limit := int(stepShare * float64(window) * session.BytesPerToken)
	if over := s.contextTokens() - (window - s.maxTokens(m.Info)); fit && over > 0 {
		limit = min(limit, max(total-over*session.BytesPerToken, 0))
	}
	if total <= limit {
		return false
	}
	longest := session.LongestFitting(sizes, limit*9/10) // room for the notes
	var e event.ResultsCut
	for _, id := range calls {
		if len(s.fold.Results[id].Text) > longest+session.MinExcerpt {
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
	old, _ := s.fold.Cut(s.compaction(m.Info).Keep)
	var e event.ResultsCut
	freed := 0
	for _, entry := range old {
		for _, c := range entry.Message.Calls() {
			id := event.CallID(c.ID)
			size := session.ResultBytes(s.fold.Results[id])
			if size < leastDropped || slices.Contains(keptResults, s.ownTool(c.Name)) {
				continue
			}
			e.Results = append(e.Results, event.CutResult{Call: id})
			freed += size
		}
	}
	if len(e.Results) == 0 || float64(freed) < least*float64(s.context.fixedBytes+s.fold.Bytes) {
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
