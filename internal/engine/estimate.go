package engine

import (
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
)

func toolBytes(specs []model.ToolSpec) int {
	n := 0
	for _, t := range specs {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return n
}

// contextTokens returns the size of the next request; see session.Fold. It runs under the session's lock.
func (s *Session) contextTokens() int { return s.fold.ContextTokens(s.context.fixedBytes) }

// estimateUsage stands in where a provider reports nothing.
func estimateUsage(input int, answer model.Message) model.Usage {
	return model.Usage{Input: input, Output: (session.MessageBytes(answer) + session.BytesPerToken - 1) / session.BytesPerToken, Estimated: true}
}
