package sse

import (
	"regexp"
	"strconv"
	"strings"

	"parley.dev/parley/internal/lazy"
)

// The windows that are believed, in tokens.
const (
	minWindow = 256
	maxWindow = 100_000_000
)

// windowPhrases are how messages about requests that are too long say how long they may be. The
// first that matches counts. Messages are in lower case, numbers without separators.
var windowPhrases = lazy.Value[[]*regexp.Regexp]{New: func() (all []*regexp.Regexp) {
	const number = `(\d+)`
	for _, phrase := range []string{
		`tokens? > ` + number,                      // Anthropic: prompt is too long: 215000 tokens > 200000 maximum
		`\d \+ \d+ > ` + number,                    // Anthropic: exceed context limit: 190000 + 20000 > 200000
		number + ` maximum context length`,         // Mistral: too large for model with 32768 maximum context length
		`tokens allowed \(?` + number,              // Gemini: exceeds the maximum number of tokens allowed (1048576)
		`must be <= ` + number,                     // TGI: `inputs` tokens + `max_new_tokens` must be <= 4096
		`input length should be \[\d+, ?` + number, // Qwen
		`less than ` + number + ` tokens`,          // Together
		`exceeds the limit of ` + number,           // Copilot
		`\(tpm\): limit ` + number,                 // Groq, OpenAI: more than a minute allows
		`token limit:? ` + number,                  // Moonshot: exceeded model token limit: 8192
		`limit is ` + number,                       // Cerebras: current length is 9000 while limit is 8192
		// OpenAI, vLLM, OpenRouter, DeepSeek: maximum context length is 8192 tokens; LM Studio: loaded with
		// context length of only 4096; SGLang: context length (8192 tokens); llama.cpp: available context
		// size (8192 tokens); xAI: maximum prompt length is 131072
		`(?:context|prompt|sequence) (?:length|size|window|limit)(?: of the model)?(?: is| of|:)?(?: only)? ?\(?` + number,
	} {
		all = append(all, regexp.MustCompile(phrase))
	}
	return all
}}

// thousands matches the separators in numbers.
var thousands = lazy.Regexp{Expr: `(\d)[,_](\d{3})`}

// windowOf returns the tokens of a model's context that a message about a request that is too long
// names; 0: it names none.
func windowOf(message string) int {
	message = thousands.Get().ReplaceAllString(thousands.Get().ReplaceAllString(strings.ToLower(message), "$1$2"), "$1$2")
	for _, phrase := range windowPhrases.Get() {
		found := phrase.FindStringSubmatch(message)
		if found == nil {
			continue
		}
		if n, err := strconv.Atoi(found[1]); err == nil && n >= minWindow && n <= maxWindow {
			return n
		}
	}
	return 0
}
