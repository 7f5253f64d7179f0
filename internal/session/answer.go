package session

import (
	"fmt"
	"slices"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

func (f *Fold) answer(seq uint64, e event.AssistantMessage) {
	f.answers++
	f.Open.Grown = event.AnswerGrew{}
	f.spend(e.Usage, e.Cost)
	if !e.Partial && !e.Void {
		f.WholeAnswers++
	}
	f.accepted(seq, e)
	if e.Void {
		return
	}
	if blocks := historical(e); len(blocks) > 0 {
		m := model.Message{Role: model.Assistant, Blocks: blocks, Provider: e.Provider, Model: e.Model}
		f.Open.AsksForTools = len(m.Calls()) > 0
		f.add(seq, m)
	}
	switch {
	case !e.Usage.Estimated && e.Usage.Context() > 0:
		f.Measured, f.BytesSince = e.Usage.Context()+e.Usage.Output, 0
	case f.Measured > 0:
		f.BytesSince += e.Usage.Output * BytesPerToken
	}
}

// InterruptNote is what the model reads before the prompt that follows an answer which the user
// interrupted; after an interrupted call its result says so.
const InterruptNote = "[the user interrupted the answer above]"

// lastAnswer returns the record of the last message of the history, if that is an answer without
// calls; else 0.
func (f *Fold) lastAnswer() uint64 {
	if f.Incomplete || len(f.Entries) == 0 {
		return 0
	}
	last := f.Entries[len(f.Entries)-1]
	if last.Message.Role != model.Assistant || len(last.Message.Calls()) > 0 {
		return 0
	}
	return last.Seq
}

// LastAnswerText returns the text of the last answer in the history; "" if there is none.
func (f *Fold) LastAnswerText() string {
	for i := len(f.Entries) - 1; i >= 0; i-- {
		if f.Entries[i].Message.Role == model.Assistant {
			return f.Entries[i].Message.Text()
		}
	}
	return ""
}

// afterInterrupt returns the blocks of a user message, with InterruptNote before them where it is due.
func (f *Fold) afterInterrupt(blocks []model.Block) []model.Block {
	if f.interrupted == 0 || f.interrupted != f.lastAnswer() {
		return blocks
	}
	f.interrupted = 0
	return append([]model.Block{model.TextBlock(InterruptNote + "\n\n")}, blocks...)
}

// historical returns the blocks of an answer that later requests have. Reasoning that was cut has no
// signature yet: no provider accepts it.
func historical(e event.AssistantMessage) []model.Block {
	if !e.Partial {
		return e.Blocks
	}
	return slices.DeleteFunc(slices.Clone(e.Blocks), func(b model.Block) bool { return b.Kind == model.KindThinking })
}

// objected adds the message of an objection to the history.
func (f *Fold) objected(seq uint64, e event.RuleViolated) {
	for _, name := range e.Rules {
		f.Objections[name] = f.WholeAnswers
	}
	if len(e.Blocks) > 0 {
		f.tree.add(seq)
		f.add(seq, model.Message{Role: model.User, Blocks: e.Blocks})
	}
}

// NewCall returns id unless it is empty or used; then it returns call_<n>. The id it returns is used from now on.
func (f *Fold) NewCall(id event.CallID) event.CallID {
	for n := len(f.callIDs) + 1; id == "" || f.callIDs[id]; n++ {
		id = event.CallID(fmt.Sprintf("call_%d", n))
	}
	f.callIDs[id] = true
	return id
}

// DropCalls frees the ids of calls that NewCall returned and that are not recorded.
func (f *Fold) DropCalls(ids []event.CallID) {
	for _, id := range ids {
		delete(f.callIDs, id)
	}
}

// NextMessage returns the id of the next answer.
func (f *Fold) NextMessage() event.MessageID {
	return event.MessageID(fmt.Sprintf("m-%d", f.answers+1))
}
