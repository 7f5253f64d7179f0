// Package profile describes what endpoints that speak the same wire differ in: names of
// members, how thinking is requested, where reasoning goes back, which call ids they take.
//
// It is plain values and one table; the packages of the wires read them. It knows neither
// prices nor windows (the catalogue) and sends nothing.
package profile

import (
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/picture"
)

// A Profile is what an endpoint takes and does, for one of its models.
type Profile struct {
	Name string // of the row

	// Headers are sent with each request on OpenAI's wires.
	Headers map[string]string

	// Limit is the member of Chat Completions that limits the answer.
	Limit Limit

	// Thinking is how Chat Completions requests a thinking level.
	Thinking Thinking
	// Words are the endpoint's words for levels, where they are not ours. Without a word for
	// [model.Off] nothing is sent for it.
	Words map[model.Thinking]string
	// Reasons reports that the model reasons at its default level, too. It takes no temperature then.
	Reasons bool
	// FixedTemperature reports that a request with a thinking level takes no temperature.
	FixedTemperature bool

	// Thoughts is where the reasoning of an answer goes back; it goes back only to the provider
	// and the model that it is from.
	Thoughts Thoughts
	// EmptyThoughts reports that an answer without reasoning goes back with an empty member for it.
	EmptyThoughts bool
	// StandInSignature stands in for the signature of a call that has none, as one of another
	// model; "": nothing does.
	StandInSignature string

	CallIDs  CallIDs
	Schema   Schema
	Pictures picture.Limits
	Cache    Cache
	Usage    Usage

	// MaxTools is how many tools a request may have; 0: any number.
	MaxTools int

	// Alternate reports that the messages of the user and of the model have to alternate.
	Alternate bool
}

// Limit is the name of a member; "" if the endpoint has none.
type Limit string

// The names of the limit.
const (
	MaxTokens           Limit = "max_tokens"
	MaxCompletionTokens Limit = "max_completion_tokens"
)

// Thinking is a way to request a thinking level on the Chat Completions wire.
type Thinking string

// The ways. W is the word for the level, B is true unless the level is off.
const (
	NoThinking   Thinking = ""                     // the wire has no word for it
	Effort       Thinking = "reasoning_effort"     // "reasoning_effort": W
	Reasoning    Thinking = "reasoning"            // "reasoning": {"effort": W}
	Switch       Thinking = "thinking"             // "thinking": {"type": "enabled" or "disabled"}
	SwitchEffort Thinking = "thinking and effort"  // both of Switch and Effort; off: Switch alone
	Enable       Thinking = "enable_thinking"      // "enable_thinking": B
	Template     Thinking = "chat_template_kwargs" // Effort, and "chat_template_kwargs": {"enable_thinking": B, "reasoning_effort": W}
	PromptMode   Thinking = "prompt_mode"          // "prompt_mode": "reasoning", or nothing
	GoogleLevel  Thinking = "thinking_level"       // "extra_body": {"google": {"thinking_config": {"thinking_level": W, "include_thoughts": B}}}
	GoogleBudget Thinking = "thinking_budget"      // the same with "thinking_budget", W in digits
)

// Thoughts is where reasoning goes back to the endpoint.
type Thoughts string

// The places. Those of Chat Completions are members of an assistant message.
const (
	NoThoughts       Thoughts = ""                  // nowhere: the endpoint refuses it, or does not need it
	AsReceived       Thoughts = "as received"       // in the member that it came in
	ReasoningContent Thoughts = "reasoning_content" // text
	ReasoningText    Thoughts = "reasoning"         // text
	ReasoningDetails Thoughts = "reasoning_details" // an array, unchanged
	ContentParts     Thoughts = "content"           // parts of the content, of type thinking
	Signed           Thoughts = "signed"            // blocks or items with a signature, on wires that have these
)

// CallIDs is the form of the ids of tool calls.
type CallIDs struct {
	Max   int  // letters; 0: any number
	Exact bool // Max letters, not fewer
	// Letters are those that may stand in an id, besides ASCII letters and digits. Any says
	// that all others may.
	Letters string
	Any     bool
}

// Schema is the part of JSON Schema that the endpoint takes for a tool's input.
type Schema string

// The dialects of JSON Schema.
const (
	AnySchema       Schema = ""
	OpenAISchema    Schema = "openai"    // OpenAI, "Function calling"
	AnthropicSchema Schema = "anthropic" // Anthropic, "How to implement tool use"
	GoogleSchema    Schema = "google"    // Gemini API, "Function calling": a subset of OpenAPI 3.0
)

// Cache is how the endpoint is asked to cache the beginning of requests.
type Cache string

// The ways to ask.
const (
	NoCache     Cache = ""                 // it does without being asked, or it cannot
	Breakpoints Cache = "cache_control"    // "cache_control" at the end of what is to be cached
	CacheKey    Cache = "prompt_cache_key" // a stable name of the conversation
	CacheHeader Cache = "x-grok-conv-id"   // the same in a header of this name, on Chat Completions
)

// Usage is how the endpoint counts tokens.
type Usage string

// The ways of counting.
const (
	StandardUsage      Usage = ""
	CacheReadWithWrite Usage = "cached with writes" // cached_tokens includes what the request wrote
)

// Word returns the endpoint's word for t; "": nothing is sent for it.
func (p *Profile) Word(t model.Thinking) string {
	if word, ok := p.Words[t]; ok || t == model.Off {
		return word
	}
	return string(t)
}
