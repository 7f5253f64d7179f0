package openai

import (
	"strings"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
	"parley.dev/parley/internal/model/sse"
)

// Roles of messages, and types of their parts.
const (
	roleSystem    = "system"
	roleUser      = "user"
	roleAssistant = "assistant"
	roleTool      = "tool"

	partText     = "text"
	partImage    = "image_url"
	partThinking = "thinking"
)

// typeFunction is the type of all tools and calls.
const typeFunction = "function"

// The format of answers that a schema describes: its type, and its name, which the wires demand.
const (
	typeSchema = "json_schema"
	schemaName = "output"
)

// noOutput is the result of a tool that said nothing: some servers refuse "".
const noOutput = "(no output)"

// onlyImages is the result of a tool that returned images alone, which follow in a message of their own.
const onlyImages = "(images only; they follow)"

// params returns the body of a request.
func (c *Chat) params(req *model.Request) *chatRequest {
	at := c.options.profile(profile.Chat, req.Model)
	p := &chatRequest{
		Stream:        true,
		Model:         req.Model,
		Messages:      chatMessages(req, &at),
		Temperature:   temperature(&at, req),
		ServiceTier:   c.options.ServiceTier,
		StreamOptions: chatStreamOptions{IncludeUsage: true},
		Tools:         chatTools(req.Tools),
	}
	if at.Limit == profile.MaxCompletionTokens {
		p.MaxCompletionTokens = max(req.MaxTokens, 0)
	} else {
		p.MaxTokens = max(req.MaxTokens, 0)
	}
	if at.Cache == profile.Breakpoints {
		setBreakpoints(p.Messages, c.options.CacheTTL)
	}
	if at.Cache == profile.CacheKey {
		p.PromptCacheKey = req.Session
	}
	if schema := req.Tuning.OutputSchema; schema != nil {
		p.ResponseFormat = chatFormat{Type: typeSchema, JSONSchema: chatSchema{Name: schemaName, Strict: strict(schema), Schema: schema}}
	}
	chatThinking(p, &at, req.Thinking)
	return p
}

func chatTools(specs []model.ToolSpec) []chatTool {
	var tools []chatTool
	for _, spec := range specs {
		f := chatFunction{Name: spec.Name, Description: spec.Description, Parameters: spec.Schema}
		tools = append(tools, chatTool{Type: typeFunction, Function: f})
	}
	return tools
}

func chatMessages(req *model.Request, at *profile.Profile) []chatMessage {
	h := chatHistory{at: at}
	if req.System != "" {
		h.out = append(h.out, chatMessage{Role: roleSystem, Content: req.System})
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
					h.add(chatMessage{Role: roleTool, Content: resultText(b.Result), ToolCallID: b.Result.CallID})
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
	out   []chatMessage
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

func (h *chatHistory) add(messages ...chatMessage) {
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
		h.out = append(h.out, chatMessage{Role: roleUser, Content: strings.Join(texts, "\n\n")})
	default:
		h.out = append(h.out, chatMessage{Role: roleUser, Content: parts})
	}
	h.users = nil
}

func chatParts(blocks []model.Block) []chatPart {
	var parts []chatPart
	for _, b := range blocks {
		switch b.Kind {
		case model.KindText:
			parts = append(parts, textPart(b.Text))
		case model.KindImage:
			parts = append(parts, chatPart{Type: partImage, ImageURL: &chatImageURL{URL: pictureOf(b.Image)}})
		}
	}
	return parts
}

// arguments returns the input of a call as both wires want it: JSON in a string. Text that the
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

// imagesOf returns the images of r under a line that says where they belong.
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

// pictureOf returns the address of i, which has its data if it has no other.
func pictureOf(i *model.Image) sse.Picture {
	if i.URL != "" {
		return sse.Picture{Prefix: i.URL}
	}
	return sse.Picture{Prefix: "data:" + i.MIME + ";base64,", Data: i.Data}
}
