package appserver

import (
	"strings"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/text"
)

const (
	// MaxOutput is how much of a command's output an item has, in bytes. The engine shows a little more than that live;
	// what it shows is a prefix of what it stores.
	MaxOutput = 1<<20 - 64
	cutOutput = "\n… output truncated\n"
	// CutDiff is the last line of a diff that is not whole, NoDiff a diff that is not known.
	CutDiff = "… diff truncated: %d more lines\n"
	NoDiff  = "… diff truncated: the file is too large to compare\n"
)

// Output returns what a command wrote, as items have it; blob returns a payload that a record names. A command that could
// not be started, or took too long, reports so at the end.
func Output(e event.ToolEnded, blob func(address string) ([]byte, error)) string {
	if e.Shell == nil {
		if e.Outcome == event.Failed {
			return e.Output
		}
		return ""
	}
	output := strings.TrimSuffix(e.Output, e.Shell.Note)
	if e.Shell.Omitted > 0 && e.Shell.FullBlob != "" {
		if full, err := blob(e.Shell.FullBlob); err == nil {
			output = string(full)
		}
	}
	output = text.Clip(output, MaxOutput, cutOutput)
	if e.Shell.TimedOut {
		if output != "" && !strings.HasSuffix(output, "\n") {
			output += "\n"
		}
		output += dialect.Ending(e.Shell.Note) + "\n"
	}
	return output
}

// maxSummary is how much of what a call does is shown where it is not a command, in bytes.
const maxSummary = 600

// ShortSummary returns what a call does, for a request that has the form of one about a command.
func ShortSummary(summary string) string {
	if len(summary) <= maxSummary {
		return summary
	}
	return text.Prefix(summary, maxSummary-len("…")) + "…"
}
