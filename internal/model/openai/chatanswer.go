package openai

import (
	"cmp"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
	"parley.dev/parley/internal/model/sse"
)

// A chatAnswer decodes the events of one answer.
type chatAnswer struct {
	profile  profile.Profile // of the endpoint
	kind     model.DeltaKind // of the block that grows, if it is text or thinking
	open     int             // its number
	calls    []chatOpenCall
	began    bool
	finished bool // a finish reason was given

	thought  bool // some reasoning came
	thinking int  // the first block of it
	details  []detail
	marked   bool // the last content was marked as a thought of Gemini
}

// A chatOpenCall is a tool call that may grow.
type chatOpenCall struct {
	block  int
	index  int    // the server's; -1: it gives none
	id     string // the server's
	name   string
	input  bool // some of it has come
	signed bool // by Gemini
}

// rename takes a name in a piece that continues the call. Some servers divide names, some repeat
// them in each piece, whole or as far as they are.
func (o *chatOpenCall) rename(name string, to *sse.Answer) {
	if name == "" || name == o.name || o.input {
		return
	}
	if !strings.HasPrefix(name, o.name) {
		name = o.name + name
	}
	o.name = name
	to.Rename(o.block, name)
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
		c.seal(to)
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
	if u := chunk.usage(); u != nil {
		to.Usage = u.read(c.profile.Usage)
		if c.profile.Name == "openrouter" {
			to.Cost = u.cost()
		}
	}
	if len(chunk.Choices) == 0 {
		return false, nil
	}
	choice := &chunk.Choices[0]
	if kind := choice.Error.Kind(); kind == '{' || kind == '"' {
		return false, sse.NewFault(choice.Error)
	}
	if d := cmp.Or(choice.Delta, choice.Message); d != nil {
		if err := c.delta(d, to); err != nil {
			return false, err
		}
	}
	if choice.FinishReason == "" {
		return false, nil
	}
	c.finished = true
	stop, err := sse.StopOf(choice.FinishReason)
	if stop != "" {
		to.Stop = stop
	}
	return false, err
}

// usage returns the usage wherever the chunk has it; nil: it has none.
func (c *chatChunk) usage() *chatUsage {
	if c.Usage == nil && len(c.Choices) > 0 {
		return cmp.Or(c.Choices[0].Usage, c.Groq.Usage)
	}
	return cmp.Or(c.Usage, c.Groq.Usage)
}

// End is lenient with servers that never send [DONE].
func (c *chatAnswer) End(to *sse.Answer) error {
	if !c.finished {
		return errors.New("the stream ended without a finish reason")
	}
	c.seal(to)
	return nil
}

func (c *chatAnswer) delta(d *chatDelta, to *sse.Answer) error {
	thought, field := d.ReasoningContent, reasoningFields[0]
	if !says(thought) {
		thought, field = d.Reasoning, reasoningFields[1]
	}
	if !says(thought) {
		thought = detailsText(d.ReasoningDetails)
	}
	if err := c.think(thought, field, to); err != nil {
		return err
	}
	c.addDetails(d.ReasoningDetails)
	if err := c.content(d, to); err != nil {
		return err
	}
	if says(d.Refusal) {
		if err := c.say(d.Refusal, to); err != nil {
			return err
		}
		to.Stop = model.StopRefused
	}
	first := len(c.calls)
	for i := range d.ToolCalls {
		if err := c.call(&d.ToolCalls[i], to); err != nil {
			return err
		}
	}
	if len(c.calls) == first {
		first = -1 // no call began here
	}
	c.googleSign(first, d.Extra.Google.ThoughtSignature, to)
	return nil
}

// content takes the content of a delta: text, or parts.
func (c *chatAnswer) content(d *chatDelta, to *sse.Answer) error {
	switch marked := d.Extra.Google.Thought; {
	case d.Content.Kind() == '[':
		return c.parts(d.Content, to)
	case (marked || c.marked) && d.Content.Kind() == '"':
		return c.googleContent(d.Content, marked, to)
	}
	return c.say(d.Content, to)
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
		signature := d.Extra.Google.ThoughtSignature
		if signature != "" {
			to.Sign(to.Open(), googleSignature+signature)
		}
		open := chatOpenCall{block: to.Call(d.ID, d.Function.Name), index: -1, id: d.ID, name: d.Function.Name, signed: signature != ""}
		if d.Index != nil {
			open.index = int(*d.Index)
		}
		c.calls = append(c.calls, open)
		at = len(c.calls) - 1
	}
	c.googleSign(at, d.Extra.Google.ThoughtSignature, to)
	c.calls[at].rename(d.Function.Name, to)
	c.calls[at].input = c.calls[at].input || says(d.Function.Arguments)
	return to.Input(c.calls[at].block, d.Function.Arguments)
}

// find returns which call d continues; -1: it begins one. The last match counts: some servers
// number every call 0 and distinguish them by ID.
func (c *chatAnswer) find(d *chatCall) int {
	for i := len(c.calls) - 1; i >= 0; i-- {
		open := &c.calls[i]
		switch {
		case d.ID != "" && d.ID != open.id && (open.id != "" || d.Function.Name != ""):
			continue
		case d.Index != nil && int(*d.Index) == open.index:
			return i
		case d.Index == nil && (d.ID != "" || d.Function.Name == ""):
			return i
		}
	}
	return -1
}

// reports whether a text member is there and not empty.
func says(v jsontext.Value) bool { return len(v) > 0 && v.Kind() != 'n' && string(v) != `""` }
