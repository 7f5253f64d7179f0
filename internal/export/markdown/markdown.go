// Package markdown writes a session as Markdown, for reading.
package markdown

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
	"parley.dev/parley/internal/text"
)

// Write writes the records of a session: the messages, the tools that ran and their results.
func Write(w io.Writer, records iter.Seq2[event.Record, error]) error {
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
		fmt.Fprintf(b, "\n### Tool `%s`\n\n%s\n", e.Name, text.Fenced(string(e.Input)))
	case event.ToolEnded:
		fmt.Fprintf(b, "\nResult (%s):\n\n%s\n", e.Outcome, text.Fenced(e.Output))
	case event.CommandRan:
		fmt.Fprintf(b, "\n## User\n\n%s\n", session.CommandText(e))
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
