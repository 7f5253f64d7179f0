//go:build linux

package store

import (
	"strings"
	"testing"
)

// TestFollowed checks what the checker finds in what followers have received.
func TestFollowed(t *testing.T) {
	record := func(writer string, number uint64) entry {
		return entry{Writer: writer, Op: 1, Do: opFollow, First: number, Tokens: []string{"t"}}
	}
	end := func(e entry) entry {
		e.Writer, e.Op, e.Do, e.End = "w", 1, opFollow, true
		return e
	}
	for _, test := range []struct {
		name    string
		entries []entry
		want    string // "": nothing
	}{
		{"in order", []entry{record("w", 1), record("w", 2), record("w", 3)}, ""},
		{"two followers", []entry{record("w", 1), record("v", 1), record("w", 2), record("v", 2)}, ""},
		{"a session that is created again", []entry{record("w", 1), record("w", 2), end(entry{Removed: true}), record("w", 1)}, ""},
		{"damage at the end", []entry{record("w", 1), end(entry{Damaged: true})}, ""},
		{"not from the first", []entry{record("w", 2)}, "record 2 after record 0"},
		{"a gap", []entry{record("w", 1), record("w", 3)}, "record 3 after record 1"},
		{"twice", []entry{record("w", 1), record("w", 1)}, "record 1 after record 1"},
		{"out of order", []entry{record("w", 1), record("w", 2), record("w", 1)}, "record 1 after record 2"},
		{"after damage", []entry{record("w", 1), end(entry{Damaged: true}), record("w", 2)}, "after it was informed of damage"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := checker{entries: test.entries}
			c.followed()
			if found := strings.Join(c.found, "; "); (test.want == "") != (found == "") || !strings.Contains(found, test.want) {
				t.Errorf("found %q, want %q", found, test.want)
			}
		})
	}
}
