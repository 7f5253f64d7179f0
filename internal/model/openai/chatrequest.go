package openai

import (
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"parley.dev/parley/internal/model"
)

// reasoningFields are the members in which servers tell, and take back, their reasoning.
// The one it came in is the block's Signature.
var reasoningFields = []string{"reasoning_content", "reasoning"}

// googleSignature begins the Signature of an empty thinking block that Gemini's signature
// of the tool call behind it is kept in.
const googleSignature = "google:"

// noOutput is the result of a tool that said nothing: some servers refuse "".
const noOutput = "(no output)"

// params is all of a request but its tools.
func (c *Chat) params(req *model.Request) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{
		Model:           req.Model,
		Messages:        chatMessages(req),
		ReasoningEffort: shared.ReasoningEffort(c.options.effort(req.Thinking)),
		StreamOptions:   openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	if req.MaxTokens > 0 {
		limit := openai.Int(int64(req.MaxTokens))
		if c.options.Compatible {
			p.MaxTokens = limit
		} else {
			p.MaxCompletionTokens = limit
		}
	}
	if t := c.options.temperature(req); t != nil {
		p.Temperature = openai.Float(*t)
	}
	if req.Session != "" && !c.options.Compatible {
		p.PromptCacheKey = openai.String(req.Session)
	}
	return p
}

func chatTools(specs []model.ToolSpec) []openai.ChatCompletionToolUnionParam {
	var tools []openai.ChatCompletionToolUnionParam
	for _, spec := range specs {
		f := shared.FunctionDefinitionParam{Name: spec.Name, Description: openai.String(spec.Description)}
		f.SetExtraFields(map[string]any{"parameters": spec.Schema}) // as it is: its order guides the model
		tools = append(tools, openai.ChatCompletionFunctionTool(f))
	}
	return tools
}

func chatMessages(req *model.Request) []openai.ChatCompletionMessageParamUnion {
	var out []openai.ChatCompletionMessageParamUnion
	if req.System != "" {
		out = append(out, openai.SystemMessage(req.System))
	}
	var shown []model.Block // images of tool results: this wire has no place for them there
	for _, m := range req.Messages {
		if m.Role != model.Tool && len(shown) > 0 {
			out, shown = append(out, openai.UserMessage(chatParts(shown))), nil
		}
		switch m.Role {
		case model.User:
			out = append(out, chatUser(m)...)
		case model.Assistant:
			out = append(out, chatAssistant(m)...)
		case model.Tool:
			for _, b := range m.Blocks {
				if b.Kind == model.KindToolResult {
					out = append(out, openai.ToolMessage(resultText(b.Result), b.Result.CallID))
					shown = append(shown, imagesOf(b.Result)...)
				}
			}
		}
	}
	if len(shown) > 0 {
		out = append(out, openai.UserMessage(chatParts(shown)))
	}
	return out
}

// chatUser is m as one message: a plain string where it can be, which every server takes.
func chatUser(m model.Message) []openai.ChatCompletionMessageParamUnion {
	parts := chatParts(m.Blocks)
	switch {
	case len(parts) == 0:
		return nil
	case len(parts) == 1 && parts[0].OfText != nil:
		return []openai.ChatCompletionMessageParamUnion{openai.UserMessage(parts[0].OfText.Text)}
	}
	return []openai.ChatCompletionMessageParamUnion{openai.UserMessage(parts)}
}

func chatParts(blocks []model.Block) []openai.ChatCompletionContentPartUnionParam {
	var parts []openai.ChatCompletionContentPartUnionParam
	for _, b := range blocks {
		switch b.Kind {
		case model.KindText:
			parts = append(parts, openai.TextContentPart(b.Text))
		case model.KindImage:
			parts = append(parts, openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: address(b.Image)}))
		}
	}
	return parts
}

// chatAssistant is m as one message, or none if nothing of it can be told on this wire.
func chatAssistant(m model.Message) []openai.ChatCompletionMessageParamUnion {
	a := openai.ChatCompletionAssistantMessageParam{ToolCalls: chatCalls(m)}
	text := m.Text()
	if text != "" {
		a.Content.OfString = openai.String(text)
	}
	if text == "" && len(a.ToolCalls) == 0 {
		return nil
	}
	if field, thought := reasoningOf(m); thought != "" {
		a.SetExtraFields(map[string]any{field: thought})
	}
	return []openai.ChatCompletionMessageParamUnion{{OfAssistant: &a}}
}

func chatCalls(m model.Message) []openai.ChatCompletionMessageToolCallUnionParam {
	var calls []openai.ChatCompletionMessageToolCallUnionParam
	signature := ""
	for _, b := range m.Blocks {
		switch b.Kind {
		case model.KindThinking:
			if rest, ok := strings.CutPrefix(b.Signature, googleSignature); ok {
				signature = rest
			}
		case model.KindToolCall:
			f := openai.ChatCompletionMessageFunctionToolCallParam{ID: b.Call.ID}
			f.Function.Name, f.Function.Arguments = b.Call.Name, arguments(b.Call)
			if signature != "" {
				google := map[string]any{"thought_signature": signature}
				f.SetExtraFields(map[string]any{"extra_content": map[string]any{"google": google}})
				signature = ""
			}
			calls = append(calls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: &f})
		}
	}
	return calls
}

// reasoningOf is the reasoning of m that came from this wire, and the member it belongs in.
func reasoningOf(m model.Message) (field, text string) {
	var all strings.Builder
	for _, b := range m.Blocks {
		if b.Kind == model.KindThinking && slices.Contains(reasoningFields, b.Signature) {
			field = b.Signature
			all.WriteString(b.Text)
		}
	}
	return field, all.String()
}

// arguments is the input of a call as both wires want it: JSON in a string. Text that the
// model wrote instead of an object is wrapped, since servers parse the arguments again.
func arguments(call *model.Call) string {
	switch call.Input.Kind() {
	case '{':
		return string(call.Input)
	case '"':
		return `{"invalid_json":` + string(call.Input) + `}`
	}
	return "{}"
}

func resultText(r *model.Result) string {
	if r.Text == "" {
		return noOutput
	}
	return r.Text
}

// imagesOf is the images of r under a line that says where they belong.
func imagesOf(r *model.Result) []model.Block {
	if len(r.Images) == 0 {
		return nil
	}
	blocks := []model.Block{model.TextBlock("Images in the result of tool call " + r.CallID + ":")}
	for i := range r.Images {
		blocks = append(blocks, model.Block{Kind: model.KindImage, Image: &r.Images[i]})
	}
	return blocks
}

func address(i *model.Image) string {
	if i.URL != "" {
		return i.URL
	}
	return i.DataURL()
}
