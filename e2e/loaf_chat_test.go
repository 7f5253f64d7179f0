package e2e

import (
	"strings"
	"testing"
)

// loafChat is what tests read of a saved chat.
type loafChat struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Messages []struct {
		Role string `json:"role"`
		Text string `json:"text"`
	} `json:"messages"`
}

// lastChat returns the chat that was changed last, as a fresh process reads it.
func (p *place) lastChat(t testing.TB) (c loafChat) {
	t.Helper()
	l := p.loaf(t)
	l.Result(&c, "history.get", map[string]any{"last": true})
	l.Leave()
	return c
}

func (c loafChat) texts() string {
	var texts []string
	for _, m := range c.Messages {
		texts = append(texts, m.Role+": "+m.Text)
	}
	return strings.Join(texts, "\n")
}
