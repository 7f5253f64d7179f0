package journal

import (
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// The limits in a Summary for texts that are not limited otherwise, in runes.
const (
	maxTitle = 120
	maxName  = 200
)

// Apply updates s with the session's next record.
func (s *Summary) Apply(r event.Record) {
	s.Updated = r.Time
	if stored, ok := r.Event.(event.Stored); ok {
		r.Event = stored.Event
	}
	switch e := r.Event.(type) {
	case event.SessionCreated:
		s.ID, s.Workspace, s.Parent, s.Created = e.ID, e.Workspace, e.Parent, r.Time
		s.applySettings(e.Settings)
	case event.SessionChanged:
		s.applySettings(e.Settings)
	case event.TurnStarted:
		s.Turns++
		s.Failed = false
	case event.TurnEnded:
		s.Cost += e.Cost
		s.Failed = e.Reason == event.TurnFailed
	case event.StepStarted:
		if s.Model == "" && s.FirstModel == "" {
			s.FirstModel = e.Model
		}
	case event.UserMessage:
		if s.Title == "" && e.Via != event.ByEngine {
			s.Title = oneLine(model.Message{Blocks: e.Blocks}.Title(), maxTitle)
		}
	}
}

// NeedsRecord reports whether Apply uses more than the time of a record of this kind. A driver that
// folds many records need not decode the others.
func (s *Summary) NeedsRecord(kind event.Kind) bool {
	switch kind {
	case event.KindSessionCreated, event.KindSessionChanged, event.KindTurnStarted, event.KindTurnEnded:
		return true
	case event.KindStepStarted:
		return s.Model == "" && s.FirstModel == ""
	case event.KindUserMessage:
		return s.Title == ""
	}
	return false
}

func (s *Summary) applySettings(now event.Settings) {
	s.Name = oneLine(now.Name, maxName)
	s.Model = now.Model
	s.Archived = now.Archived
	if now.Dir != "" {
		s.Workspace = now.Dir
	}
}

// oneLine returns text with every run of white space replaced by one space, cut to limit runes with
// an ellipsis as the last one.
func oneLine(text string, limit int) string {
	var line []rune
	for word := range strings.FieldsSeq(text) {
		if len(line) > 0 {
			line = append(line, ' ')
		}
		for _, r := range word {
			if len(line) >= limit {
				return string(line[:limit-1]) + "…"
			}
			line = append(line, r)
		}
	}
	return string(line)
}
