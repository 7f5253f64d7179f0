package engine

import (
	"parley.dev/parley/internal/model"
)

// Tokens are what the provider counted; where it has not, bytes/4.
const (
	bytesPerToken = 4
	imageBytes    = 1500 * bytesPerToken // an image counts as 1,500 tokens
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

// Context says what fills the context now.
func (s *Session) Context() ContextReport {
	info, _ := s.Model() // no model: no window
	prompt := s.systemPrompt(info, "")
	s.mu.Lock()
	defer s.mu.Unlock()
	r := ContextReport{
		Window: info.ContextWindow, MaxTokens: s.maxTokens(info),
		SystemPrompt:  len(prompt.base) / bytesPerToken,
		ProjectMemory: len(prompt.memory) / bytesPerToken,
		Tools:         toolBytes(s.specs(info)) / bytesPerToken,
		Messages:      s.fold.bytes / bytesPerToken,
		MessageCount:  len(s.fold.entries),
	}
	r.Used = r.SystemPrompt + r.ProjectMemory + r.Tools + r.Messages
	if s.fold.known > 0 {
		r.Used = s.contextTokens()
	}
	return r
}

// contextTokens is the size of the next request: measured up to the last answer and
// estimated behind it, or all estimated while no provider has counted.
func (s *Session) contextTokens() int {
	if s.fold.known > 0 {
		return s.fold.known + s.fold.since/bytesPerToken
	}
	return (s.fixedBytes + s.fold.bytes) / bytesPerToken
}

// tokensOf returns how many tokens a context of so many bytes has, by the measure of contextTokens for
// the one that there is: servers count in ways of their own, and some leave out what is cached.
func (s *Session) tokensOf(bytes int) int {
	if now := s.fixedBytes + s.fold.bytes; s.fold.known > 0 && now > 0 {
		return int(int64(s.contextTokens()) * int64(bytes) / int64(now))
	}
	return bytes / bytesPerToken
}

func toolBytes(specs []model.ToolSpec) int {
	n := 0
	for _, t := range specs {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return n
}

func messageBytes(m model.Message) int {
	n := 0
	for _, b := range m.Blocks {
		n += len(b.Text)
		switch b.Kind {
		case model.KindImage:
			n += imageBytes
		case model.KindToolCall:
			n += len(b.Call.Name) + len(b.Call.Input)
		case model.KindToolResult:
			n += resultBytes(*b.Result)
		}
	}
	return n
}

func resultBytes(r model.Result) int { return len(r.Text) + imageBytes*len(r.Images) }

// estimateUsage stands in where a provider reports nothing.
func estimateUsage(input int, answer model.Message) model.Usage {
	return model.Usage{Input: input, Output: (messageBytes(answer) + bytesPerToken - 1) / bytesPerToken, Estimated: true}
}
