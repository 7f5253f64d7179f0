package acp

import (
	"fmt"
	"strings"

	"parley.dev/parley/internal/event"
	shorten "parley.dev/parley/internal/text"
)

// This file shows what calls have come to.

// contentLimit is how long a text is that is shown of a call, in bytes.
const contentLimit = 64 << 10

// result returns the end of a call, without what it is the end of.
func (v *view) result(c *call, e event.ToolEnded) ToolCall {
	end := ToolCall{Status: ToolCompleted, Content: v.contents(c, e), Locations: v.changed(c, e.Changes)}
	if e.Outcome != event.Succeeded && !ranToEnd(e.Shell) {
		end.Status = ToolFailed
	}
	if e.Outcome != event.Denied && e.Outcome != event.Interrupted {
		end.RawOutput = &RawOutput{Text: e.Output, ExitCode: exitCode(e.Shell)}
	}
	return end
}

// ranToEnd reports whether a command has ended by itself and reported an error. Its call has done what it should.
func ranToEnd(run *event.ShellRun) bool { return run != nil && run.ExitCode > 0 && !run.TimedOut }

// exitCode returns the exit code of a command; nil: there is none.
func exitCode(run *event.ShellRun) *int {
	if run == nil || run.ExitCode < 0 {
		return nil
	}
	return &run.ExitCode
}

// contents returns the changes of files, and what the model reads: a change of files that succeeded is shown by the
// changes alone.
func (v *view) contents(c *call, e event.ToolEnded) []ToolContent {
	var content []ToolContent
	diffs := v.diffs(c, e.Changes)
	if e.Output != "" && (len(diffs) == 0 || e.Outcome != event.Succeeded || e.Shell != nil) {
		content = append(content, textOfTool(firstPart(e.Output)))
	}
	content = append(content, diffs...)
	for _, img := range e.Images {
		if block, ok := v.picture(img); ok {
			content = append(content, ContentOfTool{"content", block})
		}
	}
	return content
}

func textOfTool(s string) ContentOfTool { return ContentOfTool{"content", text(s)} }

// noteRoom is the room for the note about what was cut, in bytes.
const noteRoom = 80

// firstPart returns a text of at most contentLimit bytes: its beginning, up to a whole line if that is possible, and a note
// of what was cut.
func firstPart(s string) string {
	if len(s) <= contentLimit {
		return s
	}
	kept := shorten.Prefix(s, contentLimit-noteRoom)
	if end := strings.LastIndexByte(kept, '\n'); end > len(kept)/2 {
		kept = kept[:end]
	}
	return kept + fmt.Sprintf("\n[%d bytes after this are not shown]", len(s)-len(kept))
}

// lastPart is firstPart for the end of a text; before is how many bytes precede it, which were dropped already.
func lastPart(s string, before int) string {
	kept := s
	if len(kept) > contentLimit-noteRoom {
		kept = kept[len(kept)-(contentLimit-noteRoom):]
		if start := strings.IndexByte(kept, '\n') + 1; start > 0 && start < len(kept)/2 {
			kept = kept[start:]
		}
	}
	kept = strings.ToValidUTF8(kept, "")
	if before += len(s) - len(kept); before > 0 {
		return fmt.Sprintf("[%d bytes before this are not shown]\n", before) + kept
	}
	return kept
}
