package tool

import (
	"cmp"
	"fmt"
	"strings"
)

// A listing is lines of output: as many as fit a Result, with notes after them.
type listing struct {
	max  int // lines
	size int // bytes; 0: MaxText
	text strings.Builder
	len  int // lines in text
	full bool
}

// add takes a line without its newline, and reports whether there was room for it.
func (l *listing) add(line string) bool {
	if l.full || l.len >= l.max || l.text.Len()+len(line)+1 > cmp.Or(l.size, MaxText)-2*noteRoom {
		l.full = true
		return false
	}
	l.text.WriteString(line)
	l.text.WriteByte('\n')
	l.len++
	return true
}

// note puts a remark in brackets after the lines.
func (l *listing) note(format string, args ...any) {
	fmt.Fprintf(&l.text, "["+format+"]\n", args...)
}

// result returns the lines and notes, or none if there are neither.
func (l *listing) result(none string) Result {
	if l.text.Len() == 0 {
		return Result{Text: none}
	}
	return Result{Text: l.text.String()}
}
