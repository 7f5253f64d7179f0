package draw

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the expected lines anew")

// TestGolden holds all kinds of items to testdata. \e is ESC there.
func TestGolden(t *testing.T) {
	for _, test := range []struct {
		name     string
		theme    Theme
		width    int
		unfolded bool
	}{
		{"dark-80", Dark, 80, false},
		{"plain-40", NoColour, 40, false},
		{"plain-80", NoColour, 80, true},
		{"plain-120", NoColour, 120, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := New(test.theme, Options{Links: test.theme == Dark, UnfoldKey: "ctrl+x", Name: "parley-tui"})
			var b strings.Builder
			for _, item := range testItems() {
				for _, l := range d.Lines(item, test.width, test.unfolded) {
					fmt.Fprintln(&b, strings.ReplaceAll(l, "\x1b", `\e`))
				}
				fmt.Fprintln(&b)
			}
			file := "testdata/" + test.name + ".txt"
			if *update {
				if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			gotLines, wantLines := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
			for i := range max(len(gotLines), len(wantLines)) {
				if i >= len(gotLines) || i >= len(wantLines) || gotLines[i] != wantLines[i] {
					t.Fatalf("line %d of %s differs: look at it and run the test with -update\ngot  %q\nwant %q", i+1, file, gotLines[min(i, len(gotLines)-1)], wantLines[min(i, len(wantLines)-1)])
				}
			}
		})
	}
}
