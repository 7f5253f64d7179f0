package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"parley.dev/parley/internal/terminal"
)

// RebuildProgress returns a function that shows on standard error how far a rebuild of the index of sessions is; nil if that is no
// terminal.
func RebuildProgress() func(done, total int) {
	if !terminal.Is(os.Stderr) {
		return nil
	}
	return (&progressLine{out: os.Stderr, now: time.Now}).show
}

const (
	progressDelay    = time.Second            // shorter work has no line
	progressInterval = 200 * time.Millisecond // between two states of the line
)

// A progressLine is a line of a terminal that is overwritten, and removed at the end.
type progressLine struct {
	out   io.Writer
	now   func() time.Time
	next  time.Time // when it is written again; zero: the work has not begun
	width int       // of the line that is shown
}

func (l *progressLine) show(done, total int) {
	now := l.now()
	switch {
	case done == total:
		if l.width > 0 {
			fmt.Fprintf(l.out, "\r%s\r", strings.Repeat(" ", l.width))
		}
		l.next, l.width = time.Time{}, 0
	case l.next.IsZero():
		l.next = now.Add(progressDelay)
	case !now.Before(l.next):
		text := fmt.Sprintf("reading the sessions for their list: %d of %d", done, total)
		fmt.Fprintf(l.out, "\r%-*s", l.width, text)
		l.width = max(l.width, len(text))
		l.next = now.Add(progressInterval)
	}
}
