package openai

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/sse"
)

// partsSignature is the Signature of thinking that came as a part of the content.
const partsSignature = "content"

// A contentPart is a part of the content of an answer, or of its reasoning (Mistral, "Reasoning").
type contentPart struct {
	Type     string         `json:"type"` // text or thinking
	Text     jsontext.Value `json:"text"`
	Thinking jsontext.Value `json:"thinking"` // parts of type text, or one string
}

// parts takes content that is an array of parts.
func (c *chatAnswer) parts(content jsontext.Value, to *sse.Answer) error {
	var parts []contentPart
	if err := json.Unmarshal(content, &parts, sse.Lenient); err != nil {
		return err
	}
	for _, part := range parts {
		texts := []jsontext.Value{part.Thinking}
		if part.Thinking.Kind() == '[' {
			var inner []contentPart
			if err := json.Unmarshal(part.Thinking, &inner, sse.Lenient); err != nil {
				return err
			}
			texts = nil
			for _, p := range inner {
				texts = append(texts, p.Text)
			}
		}
		for _, text := range texts {
			if err := c.think(text, partsSignature, to); err != nil {
				return err
			}
		}
		if err := c.say(part.Text, to); err != nil {
			return err
		}
	}
	return nil
}

// say adds a piece of text.
func (c *chatAnswer) say(text jsontext.Value, to *sse.Answer) error {
	if !says(text) {
		return nil
	}
	c.turnTo(model.TextDelta, to)
	return to.Text(c.open, text)
}

// think adds a piece of reasoning that came in the member called field.
func (c *chatAnswer) think(text jsontext.Value, field string, to *sse.Answer) error {
	if !says(text) {
		return nil
	}
	if fresh := c.turnTo(model.ThinkingDelta, to); fresh {
		to.Sign(c.open, field)
	}
	if !c.thought {
		c.thought, c.thinking = true, c.open
	}
	return to.Thinking(c.open, text)
}

// replayedParts returns the content of an answer with its reasoning as a part.
func replayedParts(thought, text string) []chatPart {
	parts := []chatPart{{Type: partThinking, Thinking: []chatPart{textPart(thought)}}}
	if text != "" {
		parts = append(parts, textPart(text))
	}
	return parts
}

func textPart(text string) chatPart { return chatPart{Type: partText, Text: &text} }
