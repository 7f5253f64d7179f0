package engine

import (
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
)

// ContextReport says what fills the context of the next request, in tokens.
type ContextReport struct {
	Window        int // of the model; 0 if there is no model
	MaxTokens     int // output cap
	Used          int // measured by the provider where it could be, else the sum of the rest
	SystemPrompt  int // the rest are estimates
	ProjectMemory int
	Tools         int
	Messages      int
	MessageCount  int
}

// Context returns what fills the context now.
func (s *Session) Context() ContextReport {
	info, _ := s.Model() // no model: no window
	prompt := s.systemPrompt(info, "")
	s.mu.Lock()
	defer s.mu.Unlock()
	r := ContextReport{
		Window: info.ContextWindow, MaxTokens: s.maxTokens(info),
		SystemPrompt:  len(prompt.base) / session.BytesPerToken,
		ProjectMemory: len(prompt.memory) / session.BytesPerToken,
		Tools:         toolBytes(s.specs(info)) / session.BytesPerToken,
		Messages:      s.fold.Bytes / session.BytesPerToken,
		MessageCount:  len(s.fold.Entries),
	}
	r.Used = r.SystemPrompt + r.ProjectMemory + r.Tools + r.Messages
	if s.fold.Measured > 0 {
		r.Used = s.contextTokens()
	}
	return r
}

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
