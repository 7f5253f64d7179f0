package engine

import "parley.dev/parley/internal/model"

// What an answer may need, in tokens.
const (
	mostOutput  = 32_000 // of the window that is kept free for it
	leastOutput = 256
)

// OutputCap returns the tokens of the context window that are kept free for an answer where no limit
// is set: an eighth of the window, or a quarter for a model that reasons, since reasoning is output;
// at most 32,000 and what the model can, at least 256.
func OutputCap(info model.Info) int {
	share := 8
	if len(info.Thinking) > 0 {
		share = 4
	}
	n := min(mostOutput, info.ContextWindow/share)
	if info.MaxOutput > 0 {
		n = min(n, info.MaxOutput)
	}
	return max(n, leastOutput)
}

// maxTokens returns the tokens that are kept free for an answer.
func (s *Session) maxTokens(info model.Info) int {
	if s.opts.MaxTokens > 0 {
		return s.opts.MaxTokens
	}
	return OutputCap(info)
}

// answerLimit returns the output limit of a request that has so many tokens: what is kept free for
// the answer, or, for a model that reasons, all that the window has left, up to the model's own
// limit. The limit counts reasoning, too, and an answer that it cuts ends the turn. After a request
// was refused as too long it is what is kept free. It is never more than the account can pay.
func (t *turn) answerLimit(info model.Info, tokens int) int {
	limit := t.s.maxTokens(info)
	if t.s.opts.MaxTokens == 0 && len(info.Thinking) > 0 && !t.tooLong {
		left := info.ContextWindow - tokens - tokens/5 - leastOutput // tokens is an estimate
		limit = max(limit, min(left, info.MaxOutput))
	}
	if t.affordable > 0 {
		limit = min(limit, t.affordable)
	}
	return limit
}
