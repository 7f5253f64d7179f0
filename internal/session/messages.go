package session

import (
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// NeverRan is the result of a call that did not run: an interrupt, a steering message or the step limit
// came first.
const NeverRan = "not run: the turn moved on before this call"

// Messages returns the history as a request has it: every call is followed by exactly one result, in the
// model's order. The result of calls that have none is the text skipped.
func (f *Fold) Messages(skipped string) []model.Message {
	messages := make([]model.Message, 0, 2*len(f.Entries))
	for _, e := range f.Entries {
		messages = append(messages, e.Message)
		calls := e.Message.Calls()
		if len(calls) == 0 {
			continue
		}
		results := model.Message{Role: model.Tool}
		for _, call := range calls {
			r, ok := f.Results[event.CallID(call.ID)]
			if !ok {
				r = model.Result{CallID: call.ID, Text: skipped, IsError: true}
			}
			results.Blocks = append(results.Blocks, model.Block{Kind: model.KindToolResult, Result: &r})
		}
		messages = append(messages, results)
	}
	return messages
}
