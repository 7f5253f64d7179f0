package engine

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// WriteMarkdown writes a session for people to read: what was said, the tools that ran and
// what they gave. Everything of the journal that a reader would not miss is left out.
func WriteMarkdown(w io.Writer, records iter.Seq2[event.Record, error]) error {
	b := bufio.NewWriter(w)
	for rec, err := range records {
		if err != nil {
			return err
		}
		writeRecord(b, rec.Event)
	}
	return b.Flush()
}

// writeRecord leaves errors to Flush, which reports the first.
func writeRecord(b *bufio.Writer, e event.Event) {
	switch e := e.(type) {
	case event.SessionCreated:
		fmt.Fprintf(b, "# Session %s\n\nWorkspace: `%s`\n", e.ID, e.Workspace)
	case event.UserMessage:
		fmt.Fprintf(b, "\n## User\n\n%s\n", blocksText(e.Blocks))
	case event.AssistantMessage:
		if text := blocksText(e.Blocks); text != "" {
			fmt.Fprintf(b, "\n## Assistant\n\n%s\n", text)
		}
	case event.ToolIntended:
		fmt.Fprintf(b, "\n### Tool `%s`\n\n%s\n", e.Name, fenced(string(e.Input)))
	case event.ToolEnded:
		fmt.Fprintf(b, "\nResult (%s):\n\n%s\n", e.Outcome, fenced(e.Output))
	case event.CommandRan:
		fmt.Fprintf(b, "\n## User\n\n%s\n", commandText(e))
	case event.Compacted:
		fmt.Fprintf(b, "\n## Summary of what came before\n\n%s\n", e.Summary)
	case event.TurnEnded:
		if e.Failure != nil {
			fmt.Fprintf(b, "\n> The turn failed: %s\n", e.Failure.Message)
		} else if e.Reason != event.TurnCompleted {
			fmt.Fprintf(b, "\n> The turn ended: %s\n", e.Reason)
		}
	}
}

func blocksText(blocks []model.Block) string {
	var parts []string
	for _, block := range blocks {
		switch block.Kind {
		case model.KindText:
			parts = append(parts, block.Text)
		case model.KindImage:
			parts = append(parts, "*(image "+block.Image.Name+")*")
		}
	}
	return strings.Join(parts, "\n\n")
}

// fenced is text as a code block whose fence is longer than any in the text.
func fenced(text string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if run++; text[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}
