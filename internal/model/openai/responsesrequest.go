package openai

import (
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
)

// Types of parts of the input.
const (
	inputText  = "input_text"
	inputImage = "input_image"
)

// minOutput is the least the wire takes as max_output_tokens.
const minOutput = 16

// A reasoningItem is what of a reasoning item must come back, kept in a thinking block's
// Signature after reasoningSignature.
type reasoningItem struct {
	ID        string `json:"id"`
	Encrypted string `json:"encrypted_content"`
}

const reasoningSignature = "openai:"

func (i reasoningItem) signature() string {
	if i.Encrypted == "" {
		return "" // without it the server, which stored nothing, would not know the id
	}
	b, err := json.Marshal(i)
	if err != nil {
		return ""
	}
	return reasoningSignature + string(b)
}

// params returns the body of a request.
func (r *Responses) params(req *model.Request) *responsesRequest {
	at := r.options.profile(profile.Responses, req.Model)
	p := &responsesRequest{
		Stream:         true,
		Model:          req.Model,
		Instructions:   req.System,
		Input:          inputItems(req.Messages),
		Temperature:    temperature(&at, req),
		ServiceTier:    r.options.ServiceTier,
		PromptCacheKey: req.Session,
		Tools:          functionTools(req.Tools),
	}
	if schema := req.Tuning.OutputSchema; schema != nil {
		p.Text.Format = responsesFormat{Type: typeSchema, Name: schemaName, Strict: strict(schema), Schema: schema}
	}
	if req.MaxTokens > 0 {
		p.MaxOutputTokens = max(req.MaxTokens, minOutput)
	}
	p.Reasoning.Effort = at.Word(req.Thinking)
	if thinks(req) {
		p.Reasoning.Summary = summaryOf(req.Tuning)
	}
	if at.Reasons || req.Reasons || thinks(req) {
		p.Include = []string{"reasoning.encrypted_content"}
	}
	return p
}

// summaryOf returns how reasoning is to be summarised; "": not at all.
func summaryOf(t model.Tuning) string {
	switch t.Summary {
	case "concise", "detailed":
		return t.Summary
	case "none":
		return ""
	}
	return "auto"
}

func functionTools(specs []model.ToolSpec) []responsesTool {
	var tools []responsesTool
	for _, spec := range specs {
		tools = append(tools, responsesTool{
			Name:        spec.Name,
			Description: spec.Description,
			Strict:      strict(spec.Schema),
			Type:        typeFunction,
			Parameters:  spec.Schema,
		})
	}
	return tools
}

func inputItems(messages []model.Message) []inputItem {
	var items []inputItem
	for _, m := range messages {
		switch m.Role {
		case model.User:
			items = append(items, userItem(m)...)
		case model.Assistant:
			items = append(items, assistantItems(m)...)
		case model.Tool:
			for _, b := range m.Blocks {
				if b.Kind == model.KindToolResult {
					items = append(items, outputItem(b.Result))
				}
			}
		}
	}
	return items
}

func userItem(m model.Message) []inputItem {
	var content []inputPart
	for _, b := range m.Blocks {
		switch b.Kind {
		case model.KindText:
			content = append(content, inputPart{Type: inputText, Text: &b.Text})
		case model.KindImage:
			content = append(content, inputPart{Type: inputImage, Detail: "auto", ImageURL: new(pictureOf(b.Image))})
		}
	}
	if len(content) == 0 {
		return nil
	}
	return []inputItem{{Role: roleUser, Content: content}}
}

// assistantItems returns m in its own order. Reasoning is only sent before what it led
// to: the server refuses an item of it that nothing follows, as an interrupt leaves it.
func assistantItems(m model.Message) []inputItem {
	var items, thoughts []inputItem
	for _, b := range m.Blocks {
		switch {
		case b.Kind == model.KindThinking:
			thoughts = append(thoughts, reasoningItems(b)...)
			continue
		case b.Kind == model.KindText && b.Text != "":
			items = append(items, thoughts...)
			items = append(items, inputItem{Role: roleAssistant, Content: b.Text})
		case b.Kind == model.KindToolCall:
			items = append(items, thoughts...)
			items = append(items, inputItem{Type: "function_call", CallID: b.Call.ID, Name: b.Call.Name, Arguments: arguments(b.Call)})
		}
		thoughts = nil
	}
	return items
}

// reasoningItems returns a thinking block that came from this wire, or none.
func reasoningItems(b model.Block) []inputItem {
	raw, ok := strings.CutPrefix(b.Signature, reasoningSignature)
	var kept reasoningItem
	if !ok || json.Unmarshal([]byte(raw), &kept) != nil {
		return nil
	}
	summary := []inputPart{}
	if b.Summary && b.Text != "" {
		summary = append(summary, inputPart{Type: "summary_text", Text: &b.Text})
	}
	return []inputItem{{Type: "reasoning", ID: &kept.ID, EncryptedContent: kept.Encrypted, Summary: summary}}
}

func outputItem(r *model.Result) inputItem {
	item := inputItem{Type: "function_call_output", CallID: r.CallID, Output: resultText(r)}
	if len(r.Images) > 0 {
		item.Output = outputContent(r)
	}
	return item
}

func outputContent(r *model.Result) []inputPart {
	var content []inputPart
	if r.Text != "" {
		content = append(content, inputPart{Type: inputText, Text: &r.Text})
	}
	for i := range r.Images {
		content = append(content, inputPart{Type: inputImage, ImageURL: new(pictureOf(&r.Images[i]))})
	}
	return content
}
