package anthropic

import (
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
)

// defaultMaxTokens is asked for when the request names no limit: the wire demands one.
const defaultMaxTokens = 16384

// cachedTurns is how many of the last user messages end in a cache breakpoint: the
// newest, for the next request, and the one before, which the last request wrote. With
// those of the system prompt and the tools that makes the four the wire allows.
const cachedTurns = 2

// Roles of messages.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
)

// params returns the body of a request.
func params(req *model.Request, at *profile.Profile, o *Options) *messagesRequest {
	p := &messagesRequest{
		Stream:      true,
		Model:       req.Model,
		MaxTokens:   int64(req.MaxTokens),
		Messages:    messages(req.Messages, o.CacheTTL),
		ServiceTier: o.ServiceTier,
		Tools:       tools(req.Tools, o.CacheTTL),
	}
	if req.MaxTokens == 0 {
		p.MaxTokens = defaultMaxTokens
	}
	if req.System != "" {
		p.System = []requestBlock{{Type: typeText, Text: req.System, CacheControl: breakpoint(o.CacheTTL)}}
	}
	if schema := req.Tuning.OutputSchema; schema != nil {
		p.OutputConfig.Format = outputFormat{Type: "json_schema", Schema: schema}
	}
	think(p, req, at)
	temper(p, req)
	return p
}

// breakpoint ends what is to be cached for ttl; "": for the wire's own time.
func breakpoint(ttl string) cacheControl { return cacheControl{Type: "ephemeral", TTL: ttl} }

func tools(specs []model.ToolSpec, ttl string) []requestTool {
	var out []requestTool
	for i, spec := range specs {
		t := requestTool{Name: spec.Name, Description: spec.Description, InputSchema: spec.Schema}
		if i == len(specs)-1 {
			t.CacheControl = breakpoint(ttl)
		}
		out = append(out, t)
	}
	return out
}

// messages returns the conversation with neighbours of the same role merged, as the wire wants it.
func messages(history []model.Message, ttl string) []requestMessage {
	var out []requestMessage
	for _, m := range history {
		role, blocks := roleUser, userBlocks(m)
		if m.Role == model.Assistant {
			role, blocks = roleAssistant, assistantBlocks(m)
		}
		if len(blocks) == 0 {
			continue
		}
		if last := len(out) - 1; last >= 0 && out[last].Role == role {
			out[last].Content = resultsFirst(append(out[last].Content, blocks...))
		} else {
			out = append(out, requestMessage{Role: role, Content: blocks})
		}
	}
	setBreakpoints(out, ttl)
	return out
}

// setBreakpoints ends the last user messages in cache breakpoints.
func setBreakpoints(out []requestMessage, ttl string) {
	left := cachedTurns
	for i := len(out) - 1; i >= 0 && left > 0; i-- {
		if content := out[i].Content; out[i].Role == roleUser {
			content[len(content)-1].CacheControl = breakpoint(ttl)
			left--
		}
	}
}
