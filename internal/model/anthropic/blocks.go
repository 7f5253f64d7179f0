package anthropic

import (
	"encoding/base64"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
)

// What begins the Signature of a thinking block of this wire. Thinking of other wires is
// not told: its signature would be refused.
const (
	thinkingSignature = "anthropic:"          // then the wire's signature
	redactedSignature = "anthropic-redacted:" // then the data of a redacted_thinking block
)

// userBlocks is a message of the user, or tool results: results first.
func userBlocks(m model.Message) []anthropic.ContentBlockParamUnion {
	var results, rest []anthropic.ContentBlockParamUnion
	for _, b := range m.Blocks {
		switch b.Kind {
		case model.KindToolResult:
			results = append(results, resultBlock(b.Result))
		case model.KindText:
			rest = append(rest, textBlocks(b.Text)...)
		case model.KindImage:
			rest = append(rest, anthropic.ContentBlockParamUnion{OfImage: image(b.Image)})
		}
	}
	return append(results, rest...)
}

// assistantBlocks is an answer. Thinking that nothing follows, as an interrupt leaves it,
// is left out: the wire refuses it.
func assistantBlocks(m model.Message) []anthropic.ContentBlockParamUnion {
	var out, thoughts []anthropic.ContentBlockParamUnion
	for _, b := range m.Blocks {
		var said []anthropic.ContentBlockParamUnion
		switch b.Kind {
		case model.KindThinking:
			thoughts = append(thoughts, thinkingBlocks(b)...)
		case model.KindText:
			said = textBlocks(b.Text)
		case model.KindToolCall:
			said = append(said, anthropic.NewToolUseBlock(b.Call.ID, input(b.Call), b.Call.Name))
		}
		if len(said) > 0 {
			out = append(append(out, thoughts...), said...)
			thoughts = nil
		}
	}
	return out
}

// textBlocks is text as a block, or none: the wire refuses blank ones.
func textBlocks(text string) []anthropic.ContentBlockParamUnion {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return []anthropic.ContentBlockParamUnion{anthropic.NewTextBlock(text)}
}

func thinkingBlocks(b model.Block) []anthropic.ContentBlockParamUnion {
	if data, ok := strings.CutPrefix(b.Signature, redactedSignature); ok {
		return []anthropic.ContentBlockParamUnion{anthropic.NewRedactedThinkingBlock(data)}
	}
	if signature, ok := strings.CutPrefix(b.Signature, thinkingSignature); ok {
		return []anthropic.ContentBlockParamUnion{anthropic.NewThinkingBlock(signature, b.Text)}
	}
	return nil
}

func resultBlock(r *model.Result) anthropic.ContentBlockParamUnion {
	out := &anthropic.ToolResultBlockParam{ToolUseID: r.CallID}
	if r.IsError {
		out.IsError = anthropic.Bool(true)
	}
	if strings.TrimSpace(r.Text) != "" {
		out.Content = append(out.Content, anthropic.ToolResultBlockParamContentUnion{OfText: &anthropic.TextBlockParam{Text: r.Text}})
	}
	for i := range r.Images {
		out.Content = append(out.Content, anthropic.ToolResultBlockParamContentUnion{OfImage: image(&r.Images[i])})
	}
	return anthropic.ContentBlockParamUnion{OfToolResult: out}
}

func image(i *model.Image) *anthropic.ImageBlockParam {
	if i.URL != "" {
		return &anthropic.ImageBlockParam{Source: anthropic.ImageBlockParamSourceUnion{OfURL: &anthropic.URLImageSourceParam{URL: i.URL}}}
	}
	return anthropic.NewImageBlockBase64(i.MIME, base64.StdEncoding.EncodeToString(i.Data)).OfImage
}

// input is the input of a call, which the wire wants to be an object; what else the model
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
func resultsFirst(blocks []anthropic.ContentBlockParamUnion) []anthropic.ContentBlockParamUnion {
	var results, rest []anthropic.ContentBlockParamUnion
	for _, b := range blocks {
		if b.OfToolResult != nil {
			results = append(results, b)
		} else {
			rest = append(rest, b)
		}
	}
	return append(results, rest...)
}
