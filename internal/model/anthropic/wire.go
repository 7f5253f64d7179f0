package anthropic

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/sse"
)

// This file contains the Messages stream as Go types and nothing else. Source: Anthropic docs,
// "Streaming messages". Any member may be absent or null; members that do not matter here
// are left out.

// An event is the union of the events; Type determines which members count.
type event struct {
	Type         string       `json:"type"`
	Index        int          `json:"index"`
	Message      messageStart `json:"message"`
	ContentBlock contentBlock `json:"content_block"`
	Delta        delta        `json:"delta"`
	Usage        *usage       `json:"usage"`

	// Of a whole message, from gateways that do not stream.
	Model      string         `json:"model"`
	Content    []contentBlock `json:"content"`
	StopReason string         `json:"stop_reason"`
}

type messageStart struct {
	Model string `json:"model"`
	Usage *usage `json:"usage"`
}

type contentBlock struct {
	Type      string         `json:"type"`
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Text      jsontext.Value `json:"text"`
	Thinking  jsontext.Value `json:"thinking"`
	Signature string         `json:"signature"`
	Data      string         `json:"data"`
	Input     jsontext.Value `json:"input"`
}

type delta struct {
	Type        string         `json:"type"`
	Text        jsontext.Value `json:"text"`
	Thinking    jsontext.Value `json:"thinking"`
	Signature   string         `json:"signature"`
	PartialJSON jsontext.Value `json:"partial_json"`
	StopReason  string         `json:"stop_reason"` // of message_delta
}

// A usage counts the whole answer so far; an absent member keeps its last value.
type usage struct {
	Input      *sse.Tokens `json:"input_tokens"` // without the cached
	Output     *sse.Tokens `json:"output_tokens"`
	CacheRead  *sse.Tokens `json:"cache_read_input_tokens"`
	CacheWrite *sse.Tokens `json:"cache_creation_input_tokens"`
	Details    struct {
		Thinking *sse.Tokens `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

func (u *usage) update(to *model.Usage) {
	if u == nil {
		return
	}
	for _, count := range []struct {
		from *sse.Tokens
		to   *int
	}{
		{u.Input, &to.Input},
		{u.Output, &to.Output},
		{u.CacheRead, &to.CacheRead},
		{u.CacheWrite, &to.CacheWrite},
		{u.Details.Thinking, &to.Thinking},
	} {
		if count.from != nil {
			*count.to = int(*count.from)
		}
	}
}
