package engine

import (
	"context"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
)

// A delegation is one prompt that an agent works on. Its methods are called by the goroutine of the turn.
type delegation struct {
	t     *turn
	ctx   context.Context
	agent *runningAgent

	step    int    // that is open; 0: none is
	message string // the agent's name of the answer under way
	id      event.MessageID
	texts   []*strings.Builder // of the answer under way, by block
	kinds   []model.BlockKind
	grown   *growth // nil: no answer is under way

	calls   map[string]*delegatedCall
	order   []*delegatedCall // as they came
	asks    sync.WaitGroup
	noted   map[string]bool // codes of notices of this prompt
	reason  event.TurnReason
	ended   backend.End
	failure error

	used     bool // it has reported what it uses
	costed   bool // it has reported what that costs
	unpriced bool // the cost of an answer is not known
	written  int  // bytes of answers
}

// take records what the agent reports.
func (d *delegation) take(u backend.Update) {
	switch u := u.(type) {
	case backend.Text:
		d.say(model.KindText, u.Message, u.Text)
	case backend.Thought:
		d.say(model.KindThinking, u.Message, u.Text)
	case backend.MessageEnd:
		d.endMessage(nil, d.priced(u))
	case backend.Call:
		d.call(u)
	case backend.Output:
		d.output(u)
	case backend.CallEnd:
		d.endCall(u)
	case backend.Ask:
		d.ask(u)
	case backend.Plan:
		d.t.append(event.PlanUpdated{Items: u.Items})
	case backend.Usage:
		d.use(u)
	case backend.Note:
		d.t.append(event.Notice{Level: u.Level, Code: u.Code, Text: u.Text})
	case backend.End:
		d.end(u)
	}
}

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
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if d.step == 0 {
		d.step = t.s.fold.Open.Steps + 1
		t.s.log.Append(t.id, event.StepStarted{Step: d.step, Model: d.model()})
	}
	d.message, d.id = message, t.s.fold.NextMessage()
	d.grown = &growth{event: event.AnswerGrew{Message: d.id, Model: d.model(), Restart: true}}
}

// closeStep ends the step, if all its calls have ended.
func (d *delegation) closeStep() {
	if d.step == 0 || d.open() {
		return
	}
	d.t.append(event.StepEnded{Step: d.step})
	d.step = 0
}

// model is the name of the model for records.
func (d *delegation) model() string {
	if name := d.t.agentModel(d.agent.name); name != "" {
		return name
	}
	return d.agent.name
}

// endMessage records the answer under way, with a call if that is not nil.
func (d *delegation) endMessage(call *model.Call, end backend.MessageEnd) {
	if d.grown == nil {
		if call == nil {
			return
		}
		d.begin("")
	}
	t := d.t
	d.grown.close(t)
	var blocks []model.Block
	for i, kind := range d.kinds {
		blocks = append(blocks, model.Block{Kind: kind, Text: d.texts[i].String()})
	}
	stop := model.StopEnd
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

// use shows how full the agent's context is, and counts what it has cost.
func (d *delegation) use(u backend.Usage) {
	t := d.t
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if u.Context > 0 {
		t.s.log.Show(t.id, event.ContextEstimated{Tokens: u.Context, Window: u.Window})
	}
	if u.Cost > 0 {
		d.costed = true
		t.s.spend(t.id, model.Usage{}, u.Cost)
	}
}

// end takes the end that the agent reports. What comes after it does not count.
func (d *delegation) end(u backend.End) {
	if d.reason != "" {
		return
	}
	d.asks.Wait() // those that were withdrawn
	if d.grown != nil {
		d.endMessage(nil, d.priced(backend.MessageEnd{Usage: u.Usage}))
		u.Usage = model.Usage{}
	}
	d.endUsage(u.Usage)
	d.reason, d.ended = u.Reason, u
}

// close ends what is open.
func (d *delegation) close() {
	d.asks.Wait()
	if d.grown != nil {
		d.endMessage(nil, backend.MessageEnd{})
	}
	for _, c := range d.order {
		d.finish(c, event.ToolEnded{
			Call: c.id, Outcome: event.Interrupted, Output: "[the agent has not reported the end of this call]", Ran: event.Duration(time.Since(c.begun)),
		})
	}
	d.closeStep()
}

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
