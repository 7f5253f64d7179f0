package fallback

import (
	"slices"
	"strings"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
)

// rules are tried in order; the first that changes the request counts. The texts are the endpoints'.
var rules = []Rule{
	toolRule,
	{
		// OpenAI: "Your organization must be verified to generate reasoning summaries."
		Name: "summary", Says: []string{"reasoning summar", "reasoning.summary"},
		Change: always(withoutSummary),
	},
	{
		// Anthropic: "Invalid `signature` in `thinking` block"; OpenAI: code invalid_encrypted_content,
		// "The encrypted content … could not be verified".
		Name: "signature", Says: []string{"invalid `signature`", "invalid signature", "invalid_encrypted_content", "encrypted content"},
		Change: withoutSignatures,
	},
	{
		// Anthropic: "Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is
		// enabled, a final `assistant` message must start with a thinking block": its calls are of another
		// model, or of an answer that lost its reasoning.
		Name: "missing reasoning", Says: []string{"must start with a thinking block", "expected `thinking`"},
		Change: notThinkingNow,
	},
	{
		// OpenAI: "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions."
		Name: "effort with tools", Says: []string{"function tools with reasoning_effort"},
		Change: always(func(req *model.Request) *model.Request { return withThinking(req, model.Off) }),
	},
	{
		// OpenAI: "Unsupported value: 'minimal' is not supported with the 'gpt-5.1' model. Supported values are: …".
		Name: "effort value", Says: []string{"effort", "thinking_level"}, Also: []string{"supported values", "must be one of", "expected one of"},
		Change: nearestEffort,
	},
	{
		// Groq: "reasoning_effort is not supported with this model"; OpenAI: "Unrecognized request argument
		// supplied: reasoning_effort", "Unsupported parameter: 'reasoning.effort'".
		Name: "effort", Says: []string{"reasoning_effort", "reasoning.effort", "enable_thinking", "thinking_budget", "thinking_level", "chat_template_kwargs"},
		Also:   []string{"not supported", "unsupported", "unrecognized", "unknown", "extra inputs", "not permitted"},
		Change: always(func(req *model.Request) *model.Request { return withThinking(req, "") }),
	},
	{
		// Mistral: "extra_forbidden … assistant.reasoning_content"; Groq: "property 'reasoning_content' is unsupported".
		Name: "reasoning of earlier answers", Says: []string{"reasoning_content", "reasoning_details", "'reasoning'", "assistant.reasoning"},
		Also:   []string{"extra_forbidden", "extra inputs", "unsupported", "not permitted", "unrecognized", "unknown"},
		Change: always(withoutThinking),
	},
	{
		// OpenAI: "Unsupported parameter: 'max_tokens' is not supported with this model."
		Name: "output limit", Says: []string{"max_tokens", "max_completion_tokens", "max_output_tokens"},
		Also:   []string{"unsupported parameter", "unrecognized", "not supported with this model"},
		Change: always(withoutLimit),
	},
	{
		// OpenAI: "Unsupported value: 'temperature' does not support 0.3 with this model."
		Name: "temperature", Says: []string{"temperature"}, Also: []string{"unsupported", "not supported", "does not support", "deprecated"},
		Change: always(withoutTemperature),
	},
	{
		// Groq: "This model does not support response format `json_schema`"; Anthropic: "output_config.format: Extra inputs are not permitted".
		Name: "output schema", Says: []string{"json_schema", "response_format", "response format", "text.format", "output_config.format", "output format"},
		Also:   []string{"not supported", "unsupported", "does not support", "unrecognized", "unknown", "extra inputs", "not permitted"},
		Change: always(withInstructedSchema),
	},
}

// always returns a Rule's Change that does not depend on the refusal.
func always(change Change) func(*model.Request, *model.Error) Change {
	return func(*model.Request, *model.Error) Change { return change }
}

func withoutSummary(req *model.Request) *model.Request {
	const none = "none"
	if req.Tuning.Summary == none {
		return req
	}
	out := *req
	out.Tuning.Summary = none
	return &out
}

func withThinking(req *model.Request, level model.Thinking) *model.Request {
	if req.Thinking == level {
		return req
	}
	out := *req
	out.Thinking = level
	return &out
}

func withoutLimit(req *model.Request) *model.Request {
	if req.MaxTokens == 0 {
		return req
	}
	out := *req
	out.MaxTokens = 0
	return &out
}

func withoutTemperature(req *model.Request) *model.Request {
	if req.Tuning.Temperature == nil {
		return req
	}
	out := *req
	out.Tuning.Temperature = nil
	return &out
}

// withInstructedSchema describes the answer in the system prompt in place of the format.
func withInstructedSchema(req *model.Request) *model.Request {
	if req.Tuning.OutputSchema == nil {
		return req
	}
	out := *req
	out.Tuning.OutputSchema = nil
	out.System = strings.TrimSpace(req.System + "\n\nThe text of your last answer is one JSON value that matches this JSON Schema, and nothing else:\n" + string(req.Tuning.OutputSchema))
	return &out
}

func withoutThinking(req *model.Request) *model.Request {
	return withoutBlocks(req, func(b model.Block) bool { return b.Kind == model.KindThinking })
}

// withoutSignatures leaves out the reasoning of the request that was refused. Later reasoning, which
// the endpoint signs itself, goes back to it.
func withoutSignatures(refused *model.Request, _ *model.Error) Change {
	signatures := map[string]bool{}
	for _, m := range refused.Messages {
		for _, b := range m.Blocks {
			if b.Signature != "" {
				signatures[b.Signature] = true
			}
		}
	}
	return func(req *model.Request) *model.Request {
		return withoutBlocks(req, func(b model.Block) bool { return b.Kind == model.KindThinking && signatures[b.Signature] })
	}
}

// notThinkingNow asks for no reasoning until the user says something new.
func notThinkingNow(refused *model.Request, _ *model.Error) Change {
	now := prompts(refused)
	return func(req *model.Request) *model.Request {
		if prompts(req) != now || req.Session != refused.Session {
			return req
		}
		return withThinking(req, model.Off)
	}
}

func prompts(req *model.Request) (n int) {
	for _, m := range req.Messages {
		if m.Role == model.User {
			n++
		}
	}
	return n
}

// withoutBlocks returns req without the blocks that drop names; req itself if it has none of them.
func withoutBlocks(req *model.Request, drop func(model.Block) bool) *model.Request {
	out := req
	for i, m := range req.Messages {
		if !slices.ContainsFunc(m.Blocks, drop) {
			continue
		}
		if out == req {
			changed := *req
			changed.Messages = slices.Clone(req.Messages)
			out = &changed
		}
		out.Messages[i].Blocks = slices.DeleteFunc(slices.Clone(m.Blocks), drop)
	}
	return out
}

// quotedWord is a value as messages list them: 'low', "low" or `low`.
var quotedWord = lazy.Regexp{Expr: "['\"`]([a-z]+)['\"`]"}

// otherWords are the endpoints' words for levels that have other names here.
var otherWords = map[string]model.Thinking{"none": model.Off, "max": model.XHigh}

// nearestEffort asks for the level nearest to the refused one that the refusal lists.
func nearestEffort(refused *model.Request, err *model.Error) Change {
	message := strings.ToLower(err.Message)
	for _, before := range []string{"supported values", "must be one of", "expected one of"} {
		if i := strings.Index(message, before); i >= 0 {
			message = message[i:]
			break
		}
	}
	offered := model.Info{}
	off := false
	for _, found := range quotedWord.Get().FindAllStringSubmatch(message, -1) {
		level := model.Thinking(found[1])
		if other, ok := otherWords[found[1]]; ok {
			level = other
		}
		off = off || level == model.Off
		offered.Thinking = append(offered.Thinking, level)
	}
	from := refused.Thinking
	if from == model.Off && !off {
		from = model.Minimal // the lowest that there is
	}
	to := offered.Level(from)
	if len(offered.Thinking) == 0 || to == from && from == refused.Thinking {
		return nil
	}
	return func(req *model.Request) *model.Request {
		if req.Thinking != refused.Thinking {
			return req
		}
		return withThinking(req, to)
	}
}
