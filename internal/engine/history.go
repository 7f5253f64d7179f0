package engine

import (
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// neverRan is what the model is told of a call that was not taken up: an interrupt, a
// steer or the step limit came first. Texts.Skipped is in its place where it is set.
const neverRan = "not run: the turn moved on before this call"

// messages is the history as a request has it: every call is followed by exactly one
// result, whatever became of it, and results keep the model's order. Calls without one are
// told skipped.
func (f *fold) messages(skipped string) []model.Message {
	messages := make([]model.Message, 0, 2*len(f.entries))
	for _, e := range f.entries {
		messages = append(messages, e.msg)
		calls := e.msg.Calls()
		if len(calls) == 0 {
			continue
		}
		results := model.Message{Role: model.Tool}
		for _, call := range calls {
			r, ok := f.results[event.CallID(call.ID)]
			if !ok {
				r = model.Result{CallID: call.ID, Text: skipped, IsError: true}
			}
			results.Blocks = append(results.Blocks, model.Block{Kind: model.KindToolResult, Result: &r})
		}
		messages = append(messages, results)
	}
	return messages
}
