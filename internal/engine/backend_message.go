package engine

import (
	"fmt"
	"runtime"
	"strings"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
)

// This file contains the answers of an agent, and the steps that they belong to.

// say shows more of an answer.
func (d *delegation) say(kind model.BlockKind, message, text string) {
	if text == "" || d.reason != "" {
		return
	}
	if d.grown != nil && message != d.message {
		d.endMessage(nil, backend.MessageEnd{})
	}
	d.begin(message)
	last := len(d.kinds) - 1
	if last < 0 || d.kinds[last] != kind {
		last++
		d.kinds, d.texts = append(d.kinds, kind), append(d.texts, &strings.Builder{})
	}
	d.texts[last].WriteString(text)
	t := d.t
	for rest := text; rest != ""; {
		var piece string
		piece, rest = splitDelta(rest)
		thinking := kind == model.KindThinking
		var shown event.Event = event.TextDelta{Message: d.id, Block: last, Text: piece}
		if thinking {
			shown = event.ThinkingDelta{Message: d.id, Block: last, Text: piece}
		}
		t.s.mu.Lock()
		t.s.log.Show(t.id, shown)
		d.grown.add(t, event.AnswerPiece{Block: last, Thinking: thinking, Text: piece})
		t.s.mu.Unlock()
	}
}

// begin opens an answer, unless one is under way, and the step that it belongs to.
func (d *delegation) begin(message string) {
	if d.grown != nil {
		return
	}
	t := d.t
	d.closeStep()
	d.steering.record()
	d.steering.answer()
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	d.openStep()
	d.message, d.id = message, t.s.fold.NextMessage()
	d.grown = &growth{event: event.AnswerGrew{Message: d.id, Model: d.model(), Restart: true}}
}

// openStep begins a step, unless one is open. The caller holds the session's lock.
func (d *delegation) openStep() {
	if t := d.t; d.step == 0 {
		d.step = t.s.fold.Open.Steps + 1
		t.s.log.Append(t.id, event.StepStarted{Step: d.step, Model: d.model()})
	}
}

// closeStep ends the step, if all its calls have ended.
func (d *delegation) closeStep() {
	if d.step == 0 || d.open() {
		return
	}
	d.t.append(event.StepEnded{Step: d.step})
	d.step = 0
}

// open reports whether a call has not ended.
func (d *delegation) open() bool {
	for _, c := range d.order {
		if !c.hasEnded() {
			return true
		}
	}
	return false
}

// endMessage records the answer under way, with a call if that is not nil.
func (d *delegation) endMessage(call *model.Call, end backend.MessageEnd) {
	if d.grown == nil {
		if call == nil {
			d.count(end)
			return
		}
		d.begin("")
	}
	t := d.t
	runtime.Gosched() // followers send the last deltas before the journal is written
	d.grown.close(t)
	blocks, stop := d.blocks(), model.StopEnd
	if call != nil {
		blocks = append(blocks, model.Block{Kind: model.KindToolCall, Call: call})
		stop = model.StopTools
	}
	d.written += session.MessageBytes(model.Message{Role: model.Assistant, Blocks: blocks})
	name := end.Model
	if name == "" {
		name = d.model()
	}
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.s.log.Append(t.id, event.AssistantMessage{
		ID: d.id, Provider: d.agent.name, Model: name, Blocks: blocks, Stop: stop, Usage: end.Usage, Cost: end.Cost,
	})
	if end.Usage != (model.Usage{}) || end.Cost != 0 {
		t.s.spend(t.id, end.Usage, end.Cost)
		t.s.log.Show(t.id, event.UsageTicked{Usage: t.s.fold.Open.Usage, Cost: t.s.fold.Open.Cost})
	}
	d.grown, d.texts, d.kinds = nil, nil, nil
}

// blocks returns what there is of the answer under way.
func (d *delegation) blocks() (blocks []model.Block) {
	for i, kind := range d.kinds {
		blocks = append(blocks, model.Block{Kind: kind, Text: d.texts[i].String()})
	}
	return blocks
}

// count records what was used where no answer is under way that could have it, such as one that a call has ended before.
func (d *delegation) count(end backend.MessageEnd) {
	if end.Usage == (model.Usage{}) && end.Cost == 0 {
		return
	}
	t := d.t
	name := end.Model
	if name == "" {
		name = d.model()
	}
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.s.log.Append(t.id, event.AssistantMessage{ID: t.s.fold.NextMessage(), Provider: d.agent.name, Model: name, Void: true, Usage: end.Usage, Cost: end.Cost})
	t.s.spend(t.id, end.Usage, end.Cost)
	t.s.log.Show(t.id, event.UsageTicked{Usage: t.s.fold.Open.Usage, Cost: t.s.fold.Open.Cost})
}

// model is the name of the model for records.
func (d *delegation) model() string { return d.agent.modelName() }

// note records a notice, once for each prompt.
func (d *delegation) note(level event.NoticeLevel, code, text string) {
	if d.noted == nil {
		d.noted = map[string]bool{}
	}
	if !d.noted[code] {
		d.noted[code] = true
		d.t.append(event.Notice{Level: level, Code: code, Text: text})
	}
}

// stray notes that the agent has reported something that does not fit.
func (d *delegation) stray(what string) {
	d.note(event.Warning, NoticeStray, fmt.Sprintf("%s reports something that does not fit: %s.", d.agent.name, what))
}
