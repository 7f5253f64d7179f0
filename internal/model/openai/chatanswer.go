package openai

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/sse"
)

// chatStops are the finish reasons that say more than what the answer shows.
var chatStops = map[string]model.Stop{
	"length":         model.StopTokens,
	"content_filter": model.StopRefused,
}

// A chatAnswer decodes the events of one answer.
type chatAnswer struct {
	kind     model.DeltaKind // of the block that grows, if it is text or thinking
	open     int             // its number
	calls    []chatOpenCall
	began    bool
	finished bool // a finish reason was given
}

// A chatOpenCall is a tool call that may grow.
type chatOpenCall struct {
	block int
	index int    // the server's; -1: it gives none
	id    string // the server's
}

// Decode takes one event. The stream ends with [DONE]; the usage comes after the finish reason.
func (c *chatAnswer) Decode(ev sse.Event, to *sse.Answer) (bool, error) {
	if ev.Name == "error" {
		return false, sse.NewFault(ev.Data)
	}
	if string(ev.Data) == "[DONE]" {
		if !c.began {
			return true, errors.New("the stream ended before it began")
		}
		return true, nil
	}
	var chunk chatChunk
	if err := json.Unmarshal(ev.Data, &chunk, sse.Lenient); err != nil {
		return false, err
	}
	if kind := chunk.Error.Kind(); kind == '{' || kind == '"' {
		return false, sse.NewFault(ev.Data)
	}
	c.began = true
	if chunk.Model != "" {
		to.Model = chunk.Model
	}
	if chunk.Usage != nil {
		to.Usage = chunk.Usage.usage()
	}
	if len(chunk.Choices) == 0 {
		return false, nil
	}
	choice := &chunk.Choices[0]
	if choice.FinishReason != "" {
		c.finished = true
		to.Stop = chatStops[choice.FinishReason]
	}
	return false, c.delta(&choice.Delta, to)
}

// End is lenient with servers that never send [DONE].
func (c *chatAnswer) End(*sse.Answer) error {
	if !c.finished {
		return errors.New("the stream ended without a finish reason")
	}
	return nil
}

func (c *chatAnswer) delta(d *chatDelta, to *sse.Answer) error {
	thought, field := d.ReasoningContent, reasoningFields[0]
	if !says(thought) {
		thought, field = d.Reasoning, reasoningFields[1]
	}
	if says(thought) {
		if fresh := c.turnTo(model.ThinkingDelta, to); fresh {
			to.Sign(c.open, field)
		}
		if err := to.Thinking(c.open, thought); err != nil {
			return err
		}
	}
	for _, text := range []jsontext.Value{d.Content, d.Refusal} {
		if says(text) {
			c.turnTo(model.TextDelta, to)
			if err := to.Text(c.open, text); err != nil {
				return err
			}
		}
	}
	if says(d.Refusal) {
		to.Stop = model.StopRefused
	}
	for i := range d.ToolCalls {
		if err := c.call(&d.ToolCalls[i], to); err != nil {
			return err
		}
	}
	return nil
}

// turnTo opens a block of kind unless one is growing.
func (c *chatAnswer) turnTo(kind model.DeltaKind, to *sse.Answer) (fresh bool) {
	if c.kind == kind {
		return false
	}
	c.kind, c.open = kind, to.Open()
	return true
}

// call takes a piece of a tool call. Index and id may each be missing.
func (c *chatAnswer) call(d *chatCall, to *sse.Answer) error {
	c.kind = 0
	at := c.find(d)
	if at < 0 {
		if signature := d.Extra.Google.ThoughtSignature; signature != "" {
			to.Sign(to.Open(), googleSignature+signature)
		}
		open := chatOpenCall{block: to.Call(d.ID, d.Function.Name), index: -1, id: d.ID}
		if d.Index != nil {
			open.index = *d.Index
		}
		c.calls = append(c.calls, open)
		at = len(c.calls) - 1
	}
	return to.Input(c.calls[at].block, d.Function.Arguments)
}

// find is which call d continues; -1: it begins one. The last match counts: some servers
// number every call 0 and tell them apart by id.
func (c *chatAnswer) find(d *chatCall) int {
	for i := len(c.calls) - 1; i >= 0; i-- {
		open := &c.calls[i]
		switch {
		case d.ID != "" && d.ID != open.id && (open.id != "" || d.Function.Name != ""):
			continue
		case d.Index != nil && *d.Index == open.index:
			return i
		case d.Index == nil && (d.ID != "" || d.Function.Name == ""):
			return i
		}
	}
	return -1
}

// says whether a text member is there and not empty.
func says(v jsontext.Value) bool { return len(v) > 0 && v.Kind() != 'n' && string(v) != `""` }
