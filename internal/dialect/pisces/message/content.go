package message

import "strings"

// The types of content.
const (
	TypeText     = "text"
	TypeThinking = "thinking"
	TypeRedacted = "redactedThinking"
	TypeImage    = "image"
	TypeCall     = "toolCall"
)

// NewText returns a text as a piece of a message.
func NewText(text string) Text { return Text{Type: TypeText, Text: text} }

// TextOf returns the texts of a message's content, joined.
func TextOf(content []Content) string {
	var b strings.Builder
	for _, c := range content {
		if t, ok := c.(Text); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}
