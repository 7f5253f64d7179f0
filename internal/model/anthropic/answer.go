package anthropic

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/sse"
)

// deltas says in which blocks each kind of delta belongs.
var deltas = map[string]model.DeltaKind{
	"text_delta":       model.TextDelta,
	"thinking_delta":   model.ThinkingDelta,
	"signature_delta":  model.ThinkingDelta,
	"input_json_delta": model.ToolInputDelta,
}

// An answer decodes the events of one answer.
type answer struct {
	blocks map[int]openBlock // by the wire's index; kinds we do not know are not in it
}

type openBlock struct {
	kind  model.DeltaKind // ToolInputDelta for a call
	block int
}

// Decode takes one event; message_stop is the last.
func (a *answer) Decode(e sse.Event, to *sse.Answer) (bool, error) {
	if e.Name == "error" {
		return false, sse.NewFault(e.Data)
	}
	var ev event
	if err := json.Unmarshal(e.Data, &ev, sse.Lenient); err != nil {
		return false, err
	}
	switch ev.Type {
	case "message_start":
		to.Model = ev.Message.Model
		ev.Message.Usage.update(&to.Usage)
		to.Counted()
	case "content_block_start":
		return false, a.start(&ev, to)
	case "content_block_delta":
		return false, a.delta(&ev, to)
	case "content_block_stop":
		if b, open := a.blocks[ev.Index]; open {
			to.Close(b.block)
		}
	case "message_delta":
		ev.Usage.update(&to.Usage)
		return false, stopped(ev.Delta.StopReason, to)
	case "message_stop":
		return true, nil
	case "message":
		return true, a.whole(&ev, to)
	case "error":
		return false, sse.NewFault(e.Data)
	}
	return false, nil
}

// whole takes an answer that comes in one piece.
func (a *answer) whole(ev *event, to *sse.Answer) error {
	to.Model = ev.Model
	ev.Usage.update(&to.Usage)
	for i, block := range ev.Content {
		if err := a.start(&event{Index: i, ContentBlock: block}, to); err != nil {
			return err
		}
	}
	return stopped(ev.StopReason, to)
}

// stopped takes the reason why an answer ended. After a refusal the conversation is refused for as
// long as it has the turn that caused it ("Handle streaming refusals").
func stopped(reason string, to *sse.Answer) error {
	stop, err := sse.StopOf(reason)
	if stop != "" {
		to.Stop, to.Moderated = stop, stop == model.StopRefused
	}
	return err
}

// End: only message_stop ends an answer.
func (a *answer) End(*sse.Answer) error {
	return errors.New("the stream ended without message_stop")
}

// start opens a block. What it already holds counts as its first delta.
func (a *answer) start(ev *event, to *sse.Answer) error {
	if a.blocks == nil {
		a.blocks = make(map[int]openBlock)
	}
	switch b := &ev.ContentBlock; b.Type {
	case "text":
		n := a.open(ev.Index, model.TextDelta, to.Open())
		return to.Text(n, b.Text)
	case "thinking":
		n := a.open(ev.Index, model.ThinkingDelta, to.Open())
		to.Sign(n, signed(b.Signature))
		return to.Thinking(n, b.Thinking)
	case "redacted_thinking":
		n := a.open(ev.Index, model.ThinkingDelta, to.Open())
		to.Sign(n, redactedSignature+b.Data)
	case "tool_use":
		n := a.open(ev.Index, model.ToolInputDelta, to.Call(b.ID, b.Name))
		if len(b.Input) > 2 { // not the usual {}: a server that does not stream inputs
			return to.Input(n, b.Input)
		}
	}
	return nil
}

func (a *answer) open(index int, kind model.DeltaKind, block int) int {
	a.blocks[index] = openBlock{kind, block}
	return block
}

func (a *answer) delta(ev *event, to *sse.Answer) error {
	b, open := a.blocks[ev.Index]
	d := &ev.Delta
	kind, known := deltas[d.Type]
	switch {
	case !open || !known:
		return nil // of a kind we do not know
	case kind != b.kind:
		return fmt.Errorf("%s in a block that is none", d.Type)
	}
	switch d.Type {
	case "text_delta":
		return to.Text(b.block, d.Text)
	case "thinking_delta":
		return to.Thinking(b.block, d.Thinking)
	case "signature_delta":
		to.Sign(b.block, signed(d.Signature))
		return nil
	}
	return to.Input(b.block, d.PartialJSON)
}

// signed returns a signature of the wire as ours; "" stays "".
func signed(signature string) string {
	if signature == "" {
		return ""
	}
	return thinkingSignature + signature
}
