package offline

import (
	"fmt"
	"iter"
	"strings"

	"parley.dev/parley/internal/text"
)

// The caps of a summary.
const (
	summaryItems = 40  // entries of one heading, the latest
	summaryWidth = 160 // runes of one entry
	titleWords   = 6
)

// summary condenses a conversation given as text, its speakers in brackets on lines of
// their own. It only extracts: prompts, tool calls and the last answer, each shortened.
func summary(text string) string {
	var asked, called []string
	var last string
	for speaker, said := range speeches(text) {
		switch {
		case speaker == "user":
			asked = append(asked, shorten(said))
		case speaker == "assistant":
			last = shorten(said)
		case strings.HasPrefix(speaker, "tool "):
			called = append(called, shorten(strings.TrimPrefix(speaker, "tool ")+" "+said))
		}
	}
	var b strings.Builder
	b.WriteString("Extracted mechanically by Parley's offline demo model, without understanding.\n")
	section(&b, "The user asked", asked)
	section(&b, "Tools called", called)
	if last != "" {
		section(&b, "Last answer", []string{last})
	}
	if len(asked)+len(called) == 0 && last == "" {
		section(&b, "It begins", []string{shorten(text)})
	}
	return b.String()
}

// speeches yields who spoke and what was said, in order.
func speeches(text string) iter.Seq2[string, string] {
	return func(yield func(speaker, said string) bool) {
		speaker, begin, at := "", 0, 0
		for line := range strings.Lines(text) {
			if name, ok := speakerOf(strings.TrimSpace(line)); ok {
				if speaker != "" && !yield(speaker, text[begin:at]) {
					return
				}
				speaker, begin = name, at+len(line)
			}
			at += len(line)
		}
		if speaker != "" {
			yield(speaker, text[begin:])
		}
	}
}

func speakerOf(line string) (string, bool) {
	name, ok := strings.CutPrefix(line, "[")
	if !ok {
		return "", false
	}
	name, ok = strings.CutSuffix(name, "]")
	return name, ok && (name == "user" || name == "assistant" || strings.HasPrefix(name, "tool "))
}

func section(b *strings.Builder, heading string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", heading)
	if n := len(items) - summaryItems; n > 0 {
		fmt.Fprintf(b, "- (%d earlier left out)\n", n)
		items = items[n:]
	}
	for _, item := range items {
		fmt.Fprintf(b, "- %s\n", item)
	}
}

// shorten returns s on one line of at most summaryWidth characters.
func shorten(s string) string { return text.ClipRunes(text.OneLine(s), summaryWidth, " …") }

// title returns the first words of a conversation.
func title(text string) string {
	words := strings.Fields(text)
	return strings.Join(words[:min(len(words), titleWords)], " ")
}
