package openai

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
)

// minOutput is the least the wire takes as max_output_tokens.
const minOutput = 16

// A reasoningItem is what of a reasoning item must come back, kept in a thinking block's
// Signature behind reasoningSignature.
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

// params is all of a request but its tools.
func (r *Responses) params(req *model.Request) responses.ResponseNewParams {
	at := r.options.profile(profile.Responses, req.Model)
	p := responses.ResponseNewParams{
		Model: req.Model,
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: inputItems(req.Messages)},
		Store: openai.Bool(false),
	}
	if req.System != "" {
		p.Instructions = openai.String(req.System)
	}
	if req.MaxTokens > 0 {
		p.MaxOutputTokens = openai.Int(int64(max(req.MaxTokens, minOutput)))
	}
	p.ServiceTier = responses.ResponseNewParamsServiceTier(r.options.ServiceTier)
	if req.Session != "" {
		p.PromptCacheKey = openai.String(req.Session)
	}
	if t := temperature(&at, req); t != nil {
		p.Temperature = openai.Float(*t)
	}
	if word := at.Word(req.Thinking); word != "" {
		p.Reasoning.Effort = shared.ReasoningEffort(word)
	}
	if thinks(req) {
		p.Reasoning.Summary = summaryOf(req.Tuning)
	}
	if at.Reasons || req.Reasons || thinks(req) {
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	return p
}

// summaryOf is how reasoning is to be summarised; "": not at all.
func summaryOf(t model.Tuning) shared.ReasoningSummary {
	switch s := shared.ReasoningSummary(t.Summary); s {
	case shared.ReasoningSummaryConcise, shared.ReasoningSummaryDetailed:
		return s
	case "none":
		return ""
	}
	return shared.ReasoningSummaryAuto
}

func functionTools(specs []model.ToolSpec) []responses.ToolUnionParam {
	var tools []responses.ToolUnionParam
	for _, spec := range specs {
		f := responses.FunctionToolParam{
			Name:        spec.Name,
			Description: openai.String(spec.Description),
			Strict:      openai.Bool(strict(spec.Schema)), // absent would mean true
		}
		f.SetExtraFields(map[string]any{"parameters": spec.Schema}) // as it is: its order guides the model
		tools = append(tools, responses.ToolUnionParam{OfFunction: &f})
	}
	return tools
}

func inputItems(messages []model.Message) responses.ResponseInputParam {
	var items responses.ResponseInputParam
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

func userItem(m model.Message) responses.ResponseInputParam {
	var content responses.ResponseInputMessageContentListParam
	for _, b := range m.Blocks {
		switch b.Kind {
		case model.KindText:
			content = append(content, responses.ResponseInputContentParamOfInputText(b.Text))
		case model.KindImage:
			image := responses.ResponseInputContentParamOfInputImage(responses.ResponseInputImageDetailAuto)
			image.OfInputImage.ImageURL = openai.String(address(b.Image))
			content = append(content, image)
		}
	}
	if len(content) == 0 {
		return nil
	}
	return responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage(content, responses.EasyInputMessageRoleUser)}
}

// assistantItems is m in its own order. Reasoning is only told in front of what it led
// to: the server refuses an item of it that nothing follows, as an interrupt leaves it.
func assistantItems(m model.Message) responses.ResponseInputParam {
	var items, thoughts responses.ResponseInputParam
	for _, b := range m.Blocks {
		switch {
		case b.Kind == model.KindThinking:
			thoughts = append(thoughts, reasoningItems(b)...)
			continue
		case b.Kind == model.KindText && b.Text != "":
			items = append(items, thoughts...)
			items = append(items, responses.ResponseInputItemParamOfMessage(b.Text, responses.EasyInputMessageRoleAssistant))
		case b.Kind == model.KindToolCall:
			items = append(items, thoughts...)
			items = append(items, responses.ResponseInputItemParamOfFunctionCall(arguments(b.Call), b.Call.ID, b.Call.Name))
		}
		thoughts = nil
	}
	return items
}

// reasoningItems is a thinking block that came from this wire, or none.
func reasoningItems(b model.Block) responses.ResponseInputParam {
	raw, ok := strings.CutPrefix(b.Signature, reasoningSignature)
	var kept reasoningItem
	if !ok || json.Unmarshal([]byte(raw), &kept) != nil {
		return nil
	}
	summary := []responses.ResponseReasoningItemSummaryParam{}
	if b.Summary && b.Text != "" {
		summary = append(summary, responses.ResponseReasoningItemSummaryParam{Text: b.Text})
	}
	item := responses.ResponseInputItemParamOfReasoning(kept.ID, summary)
	item.OfReasoning.EncryptedContent = openai.String(kept.Encrypted)
	return responses.ResponseInputParam{item}
}

func outputItem(r *model.Result) responses.ResponseInputItemUnionParam {
	item := responses.ResponseInputItemFunctionCallOutputParam{CallID: openai.String(r.CallID)}
	if len(r.Images) == 0 {
		item.Output.OfString = openai.String(resultText(r))
	} else {
		item.Output.OfResponseFunctionCallOutputItemArray = outputContent(r)
	}
	return responses.ResponseInputItemUnionParam{OfFunctionCallOutput: &item}
}

func outputContent(r *model.Result) responses.ResponseFunctionCallOutputItemListParam {
	var content responses.ResponseFunctionCallOutputItemListParam
	if r.Text != "" {
		content = append(content, responses.ResponseFunctionCallOutputItemParamOfInputText(r.Text))
	}
	for i := range r.Images {
		content = append(content, responses.ResponseFunctionCallOutputItemUnionParam{
			OfInputImage: &responses.ResponseInputImageContentParam{ImageURL: openai.String(address(&r.Images[i]))},
		})
	}
	return content
}
