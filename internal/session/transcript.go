package session

import (
	"fmt"
	"slices"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

const (
	resultExcerpt = 2 << 10 // bytes of a tool's input or result that the summariser reads
	promptExcerpt = 500     // bytes of a prompt among the messages; it stays word for word besides
)

// Transcript returns the messages of old as text for the summariser: what the user wrote and the
// earlier summary first, then the messages, without the oldest of them where all have more than
// limit bytes. Texts that the model of key refused are left out.
func (f *Fold) Transcript(old []Entry, carry event.Carryover, limit int, key string) string {
	var b strings.Builder
	if prompts := promptsText(carry); prompts != "" {
		fmt.Fprintf(&b, "# What the user wrote\n\n%s\n\n", CutMiddle(prompts, limit/2, "left out"))
	}
	if len(old) > 0 && old[0].Compacted != nil {
		fmt.Fprintf(&b, "# Earlier summary\n\n%s\n\n", CutMiddle(old[0].Compacted.Summary, limit/3, "left out"))
		old = old[1:]
	}
	b.WriteString("# Messages\n\n")
	limit -= b.Len()
	var messages []string
	for _, e := range slices.Backward(old) {
		text := f.entryText(e, key)
		if limit -= len(text); limit < 0 {
			if len(messages) == 0 {
				messages = append(messages, CutMiddle(text, max(limit+len(text), MinExcerpt), "left out"))
			}
			b.WriteString("(older messages left out)\n\n")
			break
		}
		messages = append(messages, text)
	}
	slices.Reverse(messages)
	return b.String() + strings.Join(messages, "")
}

// entryText returns a message with its calls and results as text for the summariser.
func (f *Fold) entryText(e Entry, key string) string {
	var b strings.Builder
	blocks := e.Message.Blocks
	if f.TextRefused(key, TextRef{Message: e.Seq}) {
		blocks = refusedBlocks(e.Message)
	}
	for _, block := range blocks {
		switch block.Kind {
		case model.KindText:
			text := block.Text
			if e.Prompt {
				text = CutMiddle(text, promptExcerpt, "left out")
			}
			fmt.Fprintf(&b, "[%s]\n%s\n\n", e.Message.Role, text)
		case model.KindImage:
			fmt.Fprintf(&b, "[%s]\n(an image)\n\n", e.Message.Role)
		case model.KindToolCall:
			r := f.Results[event.CallID(block.Call.ID)]
			if f.TextRefused(key, TextRef{Result: event.CallID(block.Call.ID)}) {
				r.Text = ResultRefused
			}
			fmt.Fprintf(&b, "[tool %s]\n%s\n-> %s\n\n", block.Call.Name, excerpt(string(block.Call.Input)), excerpt(r.Text))
		}
	}
	return b.String()
}

func excerpt(text string) string { return CutMiddle(text, resultExcerpt, "left out") }
