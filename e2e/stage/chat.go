package stage

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/model/modeltest"
)

// A Message is one of a Chat Completions request.
type Message struct {
	Role, Text string
	Calls      []string // ids of the tool calls it asks for
	Result     string   // id of the tool call it answers
}

// Conversation returns what a Chat Completions request carried.
func Conversation(r modeltest.Request) (all []Message) {
	list, _ := r.Body["messages"].([]any)
	for _, item := range list {
		m, _ := item.(map[string]any)
		c := Message{Text: TextOf(m["content"])}
		c.Role, _ = m["role"].(string)
		c.Result, _ = m["tool_call_id"].(string)
		calls, _ := m["tool_calls"].([]any)
		for _, call := range calls {
			id, _ := call.(map[string]any)["id"].(string)
			c.Calls = append(c.Calls, id)
		}
		all = append(all, c)
	}
	return all
}

// TextOf returns content that is a string, or parts of text.
func TextOf(content any) string {
	if text, ok := content.(string); ok {
		return text
	}
	var b strings.Builder
	parts, _ := content.([]any)
	for _, part := range parts {
		text, _ := part.(map[string]any)["text"].(string)
		b.WriteString(text)
	}
	return b.String()
}

// CheckPaired wants each call answered exactly once, directly after the message that
// asks for it, and nothing answered that was not asked for.
func CheckPaired(t testing.TB, conversation []Message) {
	t.Helper()
	var open []string
	for _, m := range conversation {
		if m.Role == "tool" {
			if len(open) == 0 || open[0] != m.Result {
				t.Fatalf("a result for %q, open are %q", m.Result, open)
			}
			open = open[1:]
			continue
		}
		if len(open) > 0 {
			t.Fatalf("calls without a result: %q", open)
		}
		open = m.Calls
	}
	if len(open) > 0 {
		t.Fatalf("calls without a result: %q", open)
	}
}

// CheckSaid checks that these texts are in the conversation, in order. Prompts that follow one another
// without an answer are one message, with an empty line between them. A note that the answer
// before was interrupted can precede a prompt.
func CheckSaid(t testing.TB, conversation []Message, texts ...string) {
	t.Helper()
	for _, m := range conversation {
		parts := []string{m.Text}
		if m.Role == "user" {
			parts = strings.Split(m.Text, "\n\n")
		}
		for _, part := range parts {
			if len(texts) > 0 && (part == texts[0] || m.Role == "user" && strings.HasPrefix(part, "[") && strings.HasSuffix(part, "\n"+texts[0])) {
				texts = texts[1:]
			}
		}
	}
	if len(texts) > 0 {
		t.Errorf("%q is missing, or out of order, in %+v", texts[0], conversation)
	}
}
