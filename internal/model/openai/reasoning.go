package openai

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model/sse"
)

// paragraph stands between the parts of a reasoning item.
var paragraph = jsontext.Value(`"\n\n"`)

// A reasoningText is a summary of reasoning or, at few servers, the reasoning itself. Each
// has a block of its own.
type reasoningText struct {
	begun bool
	block int
	part  int // index of the part that grows
}

// reason takes a piece of a reasoning item, of its summary or of the reasoning itself.
func (r *responsesAnswer) reason(ev *responseEvent, summary bool, part int, to *sse.Answer) error {
	open, err := r.grow(ev, "reasoning", to)
	if err != nil {
		return err
	}
	return open.reason(summary, part, ev.Delta, to)
}

func (o *responseOpen) reason(summary bool, part int, piece jsontext.Value, to *sse.Answer) error {
	if !says(piece) {
		return nil
	}
	text, other, say := &o.thought, &o.summary, to.Thinking
	if summary {
		text, other, say = other, text, to.Summary
	}
	if !text.begun {
		*text = reasoningText{begun: true, block: o.block, part: part}
		if other.begun {
			text.block = to.Open()
		}
	}
	if part > text.part {
		text.part = part
		if err := say(text.block, paragraph); err != nil {
			return err
		}
	}
	return say(text.block, piece)
}

// reasoned takes what a whole reasoning item says and did not stream, and its signature,
// which belongs to the summary: that is what goes back.
func (o *responseOpen) reasoned(item *responseItem, to *sse.Answer) error {
	if err := o.whole(true, o.summary, item.Summary, to); err != nil {
		return err
	}
	if err := o.whole(false, o.thought, item.Content, to); err != nil {
		return err
	}
	block := o.block
	if o.summary.begun {
		block = o.summary.block
	}
	to.Sign(block, reasoningItem{ID: item.ID, Encrypted: item.Encrypted}.signature())
	return nil
}

func (o *responseOpen) whole(summary bool, streamed reasoningText, parts []responsePart, to *sse.Answer) error {
	if streamed.begun && to.Size(streamed.block) > 0 {
		return nil
	}
	for i, part := range parts {
		if err := o.reason(summary, i, part.Text, to); err != nil {
			return err
		}
	}
	return nil
}
