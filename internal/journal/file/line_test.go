package file

import (
	"testing"

	"parley.dev/parley/internal/event"
)

// TestCheckPosition checks one line at several positions: its hash depends on the lines before it, and
// so does its number, even if the hash was changed to match.
func TestCheckPosition(t *testing.T) {
	at := position{seq: 6, offset: 1000, sum: [sumSize]byte{1, 2, 3}}
	var c chain
	line, end, err := c.appendLine(nil, event.Record{Event: event.Notice{Text: "x"}}, at)
	if err != nil {
		t.Fatal(err)
	}
	line = line[:len(line)-1]
	if end.seq != 7 || end.offset != 1000+int64(len(line))+1 {
		t.Errorf("the line ends at %+v", end)
	}
	for want, at := range map[string]position{
		"":                    at,
		"wrong hash":          {seq: 6, sum: [sumSize]byte{3, 2, 1}},
		"wrong record number": {seq: 5, sum: at.sum},
	} {
		if sum, wrong := c.check(line, at); wrong != want || wrong == "" && sum != end.sum {
			t.Errorf("check behind %+v = %x, %q, want %q", at, sum, wrong, want)
		}
	}
}
