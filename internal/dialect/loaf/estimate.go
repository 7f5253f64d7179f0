package loaf

import (
	"strings"
	"unicode/utf16"

	"parley.dev/parley/internal/engine"
)

// This file estimates tokens the way that clients know: by lengths in UTF-16 units.

const (
	unitsPerToken  = 4
	messageTokens  = 20  // of each message, whatever it says
	imageTokens    = 850 // of each image
	toolTokens     = 18  // of each tool
	toolsetTokens  = 16  // of having tools at all
	overheadOpenAI = 42
	overheadOther  = 48
)

// textTokens returns the tokens of a text with its blanks collapsed.
func textTokens(text string) int {
	return (units(strings.Join(strings.Fields(text), " ")) + unitsPerToken - 1) / unitsPerToken
}

// units returns the length of a text in UTF-16 units.
func units(text string) int {
	n := 0
	for _, r := range text {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// pinnedTokens returns the tokens of a system prompt.
func pinnedTokens(prompt string) int {
	if strings.TrimSpace(prompt) == "" {
		return 0
	}
	return messageTokens + textTokens(prompt)
}

// conversationTokens returns the tokens of a history.
func conversationTokens(history []entry) int {
	n := 0
	for _, e := range history {
		n += messageTokens + textTokens(e.Text) + imageTokens*len(e.Images)
	}
	return n
}

// schemaTokens returns the tokens of the tools that are offered.
func schemaTokens(tools []engine.ToolInfo) int {
	if len(tools) == 0 {
		return 0
	}
	length := 0
	for _, t := range tools {
		schema := t.Schema.Clone()
		_ = schema.Compact() // the schema is valid
		length += units(strings.TrimSpace(t.Name)) + units(strings.TrimSpace(t.Description)) + units(string(schema))
	}
	return (length+unitsPerToken-1)/unitsPerToken + toolTokens*len(tools) + toolsetTokens
}

// overhead returns the tokens that a provider adds.
func overhead(p *Provider) int {
	switch {
	case p == nil:
		return 0
	case *p == ProviderOpenAI:
		return overheadOpenAI
	}
	return overheadOther
}

func (b ContextBreakdown) total() int {
	return b.PinnedTokens + b.ConversationTokens + b.ToolSchemaTokens + b.ProviderOverheadTokens
}

// limits are what a window allows.
type limits struct{ window, high, target int }

func limitsOf(window int) limits {
	window = min(max(window, 8_000), 2_000_000)
	return limits{window, max(6_000, int(highWatermark*float64(window))), max(6_000, int(target*float64(window)))}
}
