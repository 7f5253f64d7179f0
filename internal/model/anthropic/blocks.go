package anthropic

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/sse"
)

// Types of blocks.
const (
	typeText             = "text"
	typeImage            = "image"
	typeThinking         = "thinking"
	typeRedactedThinking = "redacted_thinking"
	typeToolUse          = "tool_use"
	typeToolResult       = "tool_result"
)

// What begins the Signature of a thinking block of this wire. Thinking of other wires is
// not sent: its signature would be refused.
const (
	thinkingSignature = "anthropic:"          // then the wire's signature
	redactedSignature = "anthropic-redacted:" // then the data of a redacted_thinking block
)

// userBlocks returns a message of the user, or tool results: results first.
func userBlocks(m model.Message) []requestBlock {
	var results, rest []requestBlock
	for _, b := range m.Blocks {
		switch b.Kind {
		case model.KindToolResult:
			results = append(results, resultBlock(b.Result))
		case model.KindText:
			rest = append(rest, textBlocks(b.Text)...)
		case model.KindImage:
			rest = append(rest, imageBlock(b.Image))
		}
	}
	return append(results, rest...)
}

// assistantBlocks returns an answer. Thinking that nothing follows, as an interrupt leaves it,
// is left out: the wire refuses it.
func assistantBlocks(m model.Message) []requestBlock {
	var out, thoughts []requestBlock
	for _, b := range m.Blocks {
		var said []requestBlock
		switch b.Kind {
		case model.KindThinking:
			thoughts = append(thoughts, thinkingBlocks(b)...)
		case model.KindText:
			said = textBlocks(b.Text)
		case model.KindToolCall:
			said = append(said, requestBlock{Type: typeToolUse, ID: b.Call.ID, Name: b.Call.Name, Input: input(b.Call)})
		}
		if len(said) > 0 {
			out = append(append(out, thoughts...), said...)
			thoughts = nil
		}
	}
	return out
}

// textBlocks returns text as a block, or none: the wire refuses blank ones.
func textBlocks(text string) []requestBlock {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return []requestBlock{{Type: typeText, Text: text}}
}

func thinkingBlocks(b model.Block) []requestBlock {
	if data, ok := strings.CutPrefix(b.Signature, redactedSignature); ok {
		return []requestBlock{{Type: typeRedactedThinking, Data: data}}
	}
	if signature, ok := strings.CutPrefix(b.Signature, thinkingSignature); ok {
		return []requestBlock{{Type: typeThinking, Signature: signature, Thinking: &b.Text}}
	}
	return nil
}

func resultBlock(r *model.Result) requestBlock {
	out := requestBlock{Type: typeToolResult, ToolUseID: r.CallID, IsError: r.IsError, Content: textBlocks(r.Text)}
	for i := range r.Images {
		out.Content = append(out.Content, imageBlock(&r.Images[i]))
	}
	return out
}

func imageBlock(i *model.Image) requestBlock {
	source := imageSource{Type: "base64", MediaType: i.MIME, Data: sse.Picture{Data: i.Data}}
	if i.URL != "" {
		source = imageSource{Type: "url", URL: i.URL}
	}
	return requestBlock{Type: typeImage, Source: source}
}

// input returns the input of a call, which the wire wants to be an object; what else the model
// wrote is wrapped.
func input(c *model.Call) jsontext.Value {
	switch c.Input.Kind() {
	case '{':
		return c.Input
	case '"':
		return jsontext.Value(`{"invalid_json":` + string(c.Input) + `}`)
	}
	return jsontext.Value("{}")
}

// resultsFirst moves the tool results of a merged message to its front.
func resultsFirst(blocks []requestBlock) []requestBlock {
	var results, rest []requestBlock
	for _, b := range blocks {
		if b.Type == typeToolResult {
			results = append(results, b)
		} else {
			rest = append(rest, b)
		}
	}
	return append(results, rest...)
}
