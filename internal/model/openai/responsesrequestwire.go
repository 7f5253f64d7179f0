package openai

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model/sse"
)

// This file contains the body of a Responses request as Go types and nothing else. Source: OpenAI API
// reference, "Create a model response". Members that are not used here are left out. No member is
// sent as null; one with omitzero is absent when it is zero. The order of fields is the order on
// the wire.

// A responsesRequest is the body of POST /responses.
type responsesRequest struct {
	Stream          bool               `json:"stream"` // always true
	Instructions    string             `json:"instructions,omitzero"`
	MaxOutputTokens int                `json:"max_output_tokens,omitzero"` // with the reasoning; at least minOutput
	PromptCacheKey  string             `json:"prompt_cache_key,omitzero"`
	Store           bool               `json:"store"`                // always false; absent means true
	Temperature     *float64           `json:"temperature,omitzero"` // 0 to 2
	Include         []string           `json:"include,omitzero"`     // reasoning.encrypted_content
	ServiceTier     string             `json:"service_tier,omitzero"`
	Input           []inputItem        `json:"input"`
	Model           string             `json:"model"`
	Reasoning       responsesReasoning `json:"reasoning,omitzero"`
	Text            responsesText      `json:"text,omitzero"`
	Tools           []responsesTool    `json:"tools,omitzero"`
}

type responsesText struct {
	Format responsesFormat `json:"format,omitzero"` // absent: any text
}

type responsesFormat struct {
	Type   string         `json:"type"`   // json_schema
	Name   string         `json:"name"`   // of our choice
	Strict bool           `json:"strict"` // the schema is of the subset that the server can enforce
	Schema jsontext.Value `json:"schema"`
}

type responsesReasoning struct {
	Effort  string `json:"effort,omitzero"`
	Summary string `json:"summary,omitzero"` // auto, concise or detailed; absent: none
}

// An inputItem is the union of the items of the input; Type determines which members count.
type inputItem struct {
	Content          any         `json:"content,omitzero"`           // of a message: a string or []inputPart
	Role             string      `json:"role,omitzero"`              // of a message: user or assistant
	Output           any         `json:"output,omitzero"`            // of function_call_output: a string or []inputPart
	Arguments        string      `json:"arguments,omitzero"`         // of function_call: a JSON object
	CallID           string      `json:"call_id,omitzero"`           // of function_call and function_call_output
	Name             string      `json:"name,omitzero"`              // of function_call
	ID               *string     `json:"id,omitzero"`                // of reasoning
	Summary          []inputPart `json:"summary,omitzero"`           // of reasoning; not nil: [] is sent
	EncryptedContent string      `json:"encrypted_content,omitzero"` // of reasoning
	Type             string      `json:"type,omitzero"`              // absent: a message
}

// An inputPart is the union of the parts of content; Type determines which members count.
type inputPart struct {
	Detail   string       `json:"detail,omitzero"`    // of input_image; absent: auto
	ImageURL *sse.Picture `json:"image_url,omitzero"` // of input_image: an address, or data:TYPE;base64,DATA
	Text     *string      `json:"text,omitzero"`      // of input_text and summary_text
	Type     string       `json:"type"`
}

type responsesTool struct {
	Strict      bool           `json:"strict"` // absent would mean true
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Type        string         `json:"type"`       // function
	Parameters  jsontext.Value `json:"parameters"` // JSON Schema
}
