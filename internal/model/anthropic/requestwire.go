package anthropic

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model/sse"
)

// This file contains the body of a request as Go types and nothing else. Source: Anthropic API
// reference, "Create a Message". Members that are not used here are left out. No member is
// sent as null; one with omitzero is absent when it is zero. The order of fields is the
// order on the wire.

// A messagesRequest is the body of POST /v1/messages.
type messagesRequest struct {
	Stream       bool             `json:"stream"` // always true
	MaxTokens    int64            `json:"max_tokens"`
	Messages     []requestMessage `json:"messages"`
	Model        string           `json:"model"`
	OutputConfig outputConfig     `json:"output_config,omitzero"`
	Temperature  *float64         `json:"temperature,omitzero"` // 0 to 1
	ServiceTier  string           `json:"service_tier,omitzero"`
	System       []requestBlock   `json:"system,omitzero"` // of type text
	Thinking     thinkingConfig   `json:"thinking,omitzero"`
	Tools        []requestTool    `json:"tools,omitzero"`
}

// A requestMessage is one message; neighbours have different roles.
type requestMessage struct {
	Content []requestBlock `json:"content"`
	Role    string         `json:"role"` // user or assistant
}

// A requestBlock is the union of the content blocks; Type determines which members count.
type requestBlock struct {
	ToolUseID    string         `json:"tool_use_id,omitzero"` // of tool_result
	ID           string         `json:"id,omitzero"`          // of tool_use
	Text         string         `json:"text,omitzero"`        // of text; the wire refuses blank ones
	Source       imageSource    `json:"source,omitzero"`      // of image
	Signature    string         `json:"signature,omitzero"`   // of thinking
	Input        jsontext.Value `json:"input,omitzero"`       // of tool_use: an object
	IsError      bool           `json:"is_error,omitzero"`    // of tool_result; absent means false
	Data         string         `json:"data,omitzero"`        // of redacted_thinking
	Thinking     *string        `json:"thinking,omitzero"`    // of thinking; "" where it was not shown
	CacheControl cacheControl   `json:"cache_control,omitzero"`
	Name         string         `json:"name,omitzero"`    // of tool_use
	Content      []requestBlock `json:"content,omitzero"` // of tool_result: text and image; absent: it said nothing
	Type         string         `json:"type"`
}

// An imageSource is the union of the sources of images; Type determines which members count.
type imageSource struct {
	Data      sse.Picture `json:"data,omitzero"` // of base64
	URL       string      `json:"url,omitzero"`  // of url
	MediaType string      `json:"media_type,omitzero"`
	Type      string      `json:"type"`
}

// A cacheControl ends what is to be cached.
type cacheControl struct {
	TTL  string `json:"ttl,omitzero"` // 5m or 1h; absent: 5m
	Type string `json:"type"`         // ephemeral
}

type requestTool struct {
	InputSchema  jsontext.Value `json:"input_schema"`
	Name         string         `json:"name"`
	Description  string         `json:"description"`
	CacheControl cacheControl   `json:"cache_control,omitzero"`
}

// A thinkingConfig is the union of the ways to think; Type determines which members count.
type thinkingConfig struct {
	BudgetTokens int64  `json:"budget_tokens,omitzero"` // of enabled
	Display      string `json:"display,omitzero"`       // of enabled and adaptive: summarized or omitted
	Type         string `json:"type"`                   // enabled, adaptive or disabled
}

type outputConfig struct {
	Effort string       `json:"effort,omitzero"` // low, medium, high, xhigh or max
	Format outputFormat `json:"format,omitzero"` // absent: any text
}

type outputFormat struct {
	Type   string         `json:"type"` // json_schema
	Schema jsontext.Value `json:"schema"`
}
