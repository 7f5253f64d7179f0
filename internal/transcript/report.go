package transcript

import (
	"fmt"
	"strings"
)

// The limits of a report.
const (
	shownLines = 40
	shownBytes = 2000 // of a line
	shownNotes = 8000 // of standard error, in bytes
)

// report returns an error that says where and how a transcript failed; line 0 is its end. It ends
// the program first, so that its standard error is complete.
func (p *play) report(line int, err error) error {
	p.program.discard()
	var b strings.Builder
	where := fmt.Sprintf("%s:%d", p.script.name, line)
	if line == 0 {
		where = p.script.name + ": at the end"
	}
	said := p.said
	if n := len(said) - shownLines; n > 0 {
		said = said[n:]
		fmt.Fprintf(&b, "  … %d lines before\n", n)
	}
	for _, s := range said {
		if len(s) > shownBytes {
			s = fmt.Sprintf("%s… (%d bytes)", s[:shownBytes], len(s))
		}
		fmt.Fprintf(&b, "  %s\n", s)
	}
	notes := p.program.stderr.String()
	if len(notes) > shownNotes {
		notes = "…" + notes[len(notes)-shownNotes:]
	}
	return fmt.Errorf("%s: %w\n\nthe dialogue so far:\n%s\nstandard error:\n%s", where, err, b.String(), notes)
}
