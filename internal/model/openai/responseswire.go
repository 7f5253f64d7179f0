package openai

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/sse"
)

// This file contains the Responses stream as Go types and nothing else. Source: OpenAI API
// reference, "Streaming events". Any member may be absent or null; members that do not
// matter here are left out.

// A responseEvent is the union of the events; Type determines which members count.
type responseEvent struct {
	Type         string         `json:"type"`
	OutputIndex  *int           `json:"output_index"`
	SummaryIndex int            `json:"summary_index"`
	ContentIndex int            `json:"content_index"`
	Delta        jsontext.Value `json:"delta"`
	Item         responseItem   `json:"item"`
	Response     *responseState `json:"response"`
	Object       string         `json:"object"` // "response" in place of Type: a whole one, from gateways that do not stream
	Error        jsontext.Value `json:"error"`  // gateways: the answer failed
}

type responseItem struct {
	Type      string         `json:"type"`
	ID        string         `json:"id"`
	CallID    string         `json:"call_id"`
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
	Encrypted string         `json:"encrypted_content"`
	Content   []responsePart `json:"content"`
	Summary   []responsePart `json:"summary"`
}

type responsePart struct {
	Text    jsontext.Value `json:"text"`
	Refusal jsontext.Value `json:"refusal"`
}

type responseState struct {
	Model             string         `json:"model"`
	Status            string         `json:"status"`
	Error             jsontext.Value `json:"error"`
	IncompleteDetails struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage  *responseUsage `json:"usage"`
	Output []responseItem `json:"output"`
}

type responseUsage struct {
	InputTokens        sse.Tokens `json:"input_tokens"` // including the cached
	OutputTokens       sse.Tokens `json:"output_tokens"`
	InputTokensDetails struct {
		CachedTokens     sse.Tokens `json:"cached_tokens"`
		CacheWriteTokens sse.Tokens `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	OutputTokensDetails struct {
		ReasoningTokens sse.Tokens `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

func (u *responseUsage) usage() model.Usage {
	read, write := int(u.InputTokensDetails.CachedTokens), int(u.InputTokensDetails.CacheWriteTokens)
	return model.Usage{
		Input:      max(int(u.InputTokens)-read-write, 0),
		Output:     int(u.OutputTokens),
		CacheRead:  read,
		CacheWrite: write,
		Thinking:   int(u.OutputTokensDetails.ReasoningTokens),
	}
}
