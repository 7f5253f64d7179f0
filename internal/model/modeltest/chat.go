package modeltest

import (
	"fmt"

	"parley.dev/parley/internal/model"
)

// chat renders the Chat Completions stream.
type chat struct {
	usage model.Usage
	stop  model.Stop
	calls int
}

func (c *chat) chunk(delta, finish string) string {
	return frame("", `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":%q,`+
		`"system_fingerprint":null,"choices":[{"index":0,"delta":%s,"logprobs":null,"finish_reason":%s}],"usage":null}`,
		Model, delta, finish)
}

func (c *chat) begin() string { return c.chunk(`{"role":"assistant","content":null}`, "null") }

func (c *chat) part(p Part) (out string) {
	switch p.kind {
	case partText:
		return c.chunk(`{"content":`+string(p.text)+`}`, "null")
	case partThinking, partSummary:
		return c.chunk(`{"reasoning_content":`+string(p.text)+`}`, "null")
	case partCall:
		out = c.chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":""}}]}`,
			c.calls, p.call.ID, p.call.Name), "null")
		for _, piece := range p.pieces {
			out += c.chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, c.calls, quote(piece)), "null")
		}
		c.calls++
	}
	return out
}

func (c *chat) errorFrame(p Part) string {
	return frame("error", `{"code":%q,"message":%s}`, p.code, p.text) + frame("", "[DONE]")
}

func (c *chat) errorData(p Part) string {
	return frame("", `{"id":"chatcmpl-1","choices":[],"error":{"code":%q,"message":%s}}`, p.code, p.text)
}

func (c *chat) end() string {
	finish, ok := map[model.Stop]string{
		model.StopEnd:     "stop",
		model.StopTools:   "tool_calls",
		model.StopTokens:  "length",
		model.StopRefused: "content_filter",
	}[c.stop]
	if !ok {
		finish = string(c.stop)
	}
	out := c.chunk(`{}`, string(quote(finish)))
	if u := c.usage; u != (model.Usage{}) {
		out += frame("", `{"id":"chatcmpl-1","object":"chat.completion.chunk","model":%q,"choices":[],"usage":`+
			`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d,"cache_write_tokens":%d},`+
			`"completion_tokens_details":{"reasoning_tokens":%d}}}`,
			Model, u.Context(), u.Output, u.Context()+u.Output, u.CacheRead, u.CacheWrite, u.Thinking)
	}
	return out + frame("", "[DONE]")
}
