package chain

import (
	"testing"

	"parley.dev/parley/internal/event"
)

// TestCheckPosition checks one line at several positions: its hash depends on the lines before it, and
// so does its number, even if the hash was changed to match.
func TestCheckPosition(t *testing.T) {
	at := Position{Seq: 6, Offset: 1000, Sum: [HashSize]byte{1, 2, 3}}
	var c Hasher
	line, end, err := c.Append(nil, event.Record{Event: event.Notice{Text: "x"}}, at)
	if err != nil {
		t.Fatal(err)
	}
	line = line[:len(line)-1]
	if end.Seq != 7 || end.Offset != 1000+int64(len(line))+1 {
		t.Errorf("the line ends at %+v", end)
	}
	for want, at := range map[string]Position{
		"":                    at,
		"wrong hash":          {Seq: 6, Sum: [HashSize]byte{3, 2, 1}},
		"wrong record number": {Seq: 5, Sum: at.Sum},
	} {
		if sum, wrong := c.Check(line, at); wrong != want || wrong == "" && sum != end.Sum {
			t.Errorf("check after %+v = %x, %q, want %q", at, sum, wrong, want)
		}
	}
}
