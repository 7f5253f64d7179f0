package host

import (
	"bufio"
	"strings"
	"testing"
)

// FuzzPreamble: whatever comes first is a preamble of version 1 or an error of one line.
func FuzzPreamble(f *testing.F) {
	for _, line := range []string{
		`{"parley":1,"dialect":"native"}`, `{"parley":1,"dialect":"flint","args":["-x"],"cwd":"/w","env":{"A":"b"},"client":"pid 1"}`,
		`{"parley":2}`, `[]`, `{"parley":1,"dialect":"native","args":[1]}`, "", "\xff",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, text string) {
		line, err := readLine(bufio.NewReader(strings.NewReader(text+"\n")), 100)
		if err == nil && len(line) > 100 {
			t.Fatalf("a line of %d bytes", len(line))
		}
		p, err := parsePreamble([]byte(text))
		switch {
		case err == nil && (p.Parley != preambleVersion):
			t.Fatalf("%q has version %d", text, p.Parley)
		case err != nil && strings.ContainsRune(err.Error(), '\n'):
			t.Fatalf("an error of several lines: %q", err)
		}
	})
}
