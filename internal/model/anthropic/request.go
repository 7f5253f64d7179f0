package anthropic

import (
	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
)

// defaultMaxTokens is asked for when the request names no limit: the wire demands one.
const defaultMaxTokens = 16384

// cachedTurns is how many of the last user messages end in a cache breakpoint: the
// newest, for the next request, and the one before, which the last request wrote. With
// those of the system prompt and the tools that makes the four the wire allows.
const cachedTurns = 2

// params is all of a request but its tools.
func params(req *model.Request, at *profile.Profile, o *Options) anthropic.MessageNewParams {
	p := anthropic.MessageNewParams{
		Model:     req.Model,
		MaxTokens: int64(req.MaxTokens),
		Messages:  messages(req.Messages, o.CacheTTL),
	}
	if req.MaxTokens == 0 {
		p.MaxTokens = defaultMaxTokens
	}
	if req.System != "" {
		p.System = []anthropic.TextBlockParam{{Text: req.System, CacheControl: breakpoint(o.CacheTTL)}}
	}
	p.ServiceTier = anthropic.MessageNewParamsServiceTier(o.ServiceTier)
	think(&p, req, at)
	temper(&p, req)
	return p
}

// breakpoint ends what is to be cached for ttl; "": for the wire's own time.
func breakpoint(ttl string) anthropic.CacheControlEphemeralParam {
	point := anthropic.NewCacheControlEphemeralParam()
	point.TTL = anthropic.CacheControlEphemeralTTL(ttl)
	return point
}

func (o Options) tools(specs []model.ToolSpec) []anthropic.ToolUnionParam {
	var out []anthropic.ToolUnionParam
	for i, spec := range specs {
		t := &anthropic.ToolParam{
			Name:        spec.Name,
			Description: anthropic.String(spec.Description),
			InputSchema: param.Override[anthropic.ToolInputSchemaParam](spec.Schema), // as it is: its order guides the model
		}
		if i == len(specs)-1 {
			t.CacheControl = breakpoint(o.CacheTTL)
		}
		out = append(out, anthropic.ToolUnionParam{OfTool: t})
	}
	return out
}

// messages is the conversation with neighbours of the same role merged, as the wire wants it.
func messages(history []model.Message, ttl string) []anthropic.MessageParam {
	var out []anthropic.MessageParam
	for _, m := range history {
		role, blocks := anthropic.MessageParamRoleUser, userBlocks(m)
		if m.Role == model.Assistant {
			role, blocks = anthropic.MessageParamRoleAssistant, assistantBlocks(m)
		}
		if len(blocks) == 0 {
			continue
		}
		if last := len(out) - 1; last >= 0 && out[last].Role == role {
			out[last].Content = resultsFirst(append(out[last].Content, blocks...))
		} else {
			out = append(out, anthropic.MessageParam{Role: role, Content: blocks})
		}
	}
	setBreakpoints(out, ttl)
	return out
}

// setBreakpoints ends the last user messages in cache breakpoints.
func setBreakpoints(out []anthropic.MessageParam, ttl string) {
	left := cachedTurns
	for i := len(out) - 1; i >= 0 && left > 0; i-- {
		if content := out[i].Content; out[i].Role == anthropic.MessageParamRoleUser {
			*content[len(content)-1].GetCacheControl() = breakpoint(ttl)
			left--
		}
	}
}
