package pisces

import (
	"strings"
)

// The types of content.
const (
	contentText     = "text"
	contentThinking = "thinking"
	contentRedacted = "redactedThinking"
	contentImage    = "image"
	contentCall     = "toolCall"
)

// textContent is a text as a piece of a message.
func textContent(text string) TextContent { return TextContent{Type: contentText, Text: text} }

// textOf is the texts of a message's content, joined.
func textOf(content []Content) string {
	var b strings.Builder
	for _, c := range content {
		if t, ok := c.(TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}
