package session

import (
	"slices"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// CutNote is what the model reads after an answer that a dead process was receiving.
const CutNote = "[the answer above was cut: the process ended while it was streamed]"

// answerGrew takes what an unfinished answer said.
func (f *Fold) answerGrew(e event.AnswerGrew) {
	if e.Restart || f.Open.Grown.Message != e.Message {
		f.Open.Grown = event.AnswerGrew{Message: e.Message, Model: e.Model}
	}
	f.Open.Grown.Pieces = append(f.Open.Grown.Pieces, e.Pieces...)
}

// cutAnswer returns the events that close an answer which was being streamed; none if there is none.
func (f *Fold) cutAnswer() []event.Event {
	grown := f.Open.Grown
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
			ID: event.PromptID("cut-" + string(grown.Message)), Via: event.ByEngine, Blocks: []model.Block{model.TextBlock(CutNote)},
		})
	}
	return events
}
