package openai

import (
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
)

// noOutput is the result of a tool that said nothing: some servers refuse "".
const noOutput = "(no output)"

// onlyImages is the result of a tool that returned images alone, which follow in a message of their own.
const onlyImages = "(images only; they follow)"

// params is all of a request but its tools.
func (c *Chat) params(req *model.Request) openai.ChatCompletionNewParams {
	at := c.options.profile(profile.Chat, req.Model)
	p := openai.ChatCompletionNewParams{
		Model:         req.Model,
		Messages:      chatMessages(req, &at),
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	if req.MaxTokens > 0 {
		limit := openai.Int(int64(req.MaxTokens))
		if at.Limit == profile.MaxCompletionTokens {
			p.MaxCompletionTokens = limit
		} else {
			p.MaxTokens = limit
		}
	}
	if at.Cache == profile.Breakpoints {
		setBreakpoints(p.Messages, c.options.CacheTTL)
	}
	p.ServiceTier = openai.ChatCompletionNewParamsServiceTier(c.options.ServiceTier)
	chatThinking(&p, &at, req.Thinking)
	if t := temperature(&at, req); t != nil {
		p.Temperature = openai.Float(*t)
	}
	if req.Session != "" && at.Cache == profile.CacheKey {
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

func chatMessages(req *model.Request, at *profile.Profile) []openai.ChatCompletionMessageParamUnion {
	h := chatHistory{at: at}
	if req.System != "" {
		h.out = append(h.out, openai.SystemMessage(req.System))
	}
	var shown []model.Block // images of tool results: this wire has no place for them there
	for _, m := range req.Messages {
		if m.Role != model.Tool && len(shown) > 0 {
			h.user(shown)
			shown = nil
		}
		switch m.Role {
		case model.User:
			h.user(m.Blocks)
		case model.Assistant:
			h.add(chatAssistant(m, at)...)
		case model.Tool:
			for _, b := range m.Blocks {
				if b.Kind == model.KindToolResult {
					h.add(openai.ToolMessage(resultText(b.Result), b.Result.CallID))
					shown = append(shown, imagesOf(b.Result)...)
				}
			}
		}
	}
	h.user(shown)
	h.flush()
	return h.out
}

// A chatHistory is the messages of a request while they are made.
type chatHistory struct {
	at    *profile.Profile
	out   []openai.ChatCompletionMessageParamUnion
	users [][]model.Block // messages of the user that are not in out yet
}

// user adds a message of the user. Where messages have to alternate, neighbours become one.
func (h *chatHistory) user(blocks []model.Block) {
	if !h.at.Alternate {
		h.flush()
	}
	if len(blocks) > 0 {
		h.users = append(h.users, blocks)
	}
}

func (h *chatHistory) add(messages ...openai.ChatCompletionMessageParamUnion) {
	if len(messages) > 0 {
		h.flush()
		h.out = append(h.out, messages...)
	}
}

// flush adds the messages of the user as one, as a plain string where it can be, which every
// server takes.
func (h *chatHistory) flush() {
	texts, all := []string{}, []model.Block{}
	for _, blocks := range h.users {
		all = append(all, blocks...)
		if len(blocks) == 1 && blocks[0].Kind == model.KindText {
			texts = append(texts, blocks[0].Text)
		}
	}
	parts := chatParts(all)
	switch {
	case len(parts) == 0:
	case len(texts) == len(h.users):
		h.out = append(h.out, openai.UserMessage(strings.Join(texts, "\n\n")))
	default:
		h.out = append(h.out, openai.UserMessage(parts))
	}
	h.users = nil
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
	switch {
	case r.Text == "" && len(r.Images) > 0:
		return onlyImages
	case r.Text == "":
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
