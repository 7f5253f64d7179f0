package cli

import (
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
)

// TestTableOfWideText: a column begins in the same cell of each row, whatever is before it.
func TestTableOfWideText(t *testing.T) {
	var out strings.Builder
	table := NewTable(&out, "TITLE", "MODEL")
	for _, title := range []string{"Latin", "größer", "修复测试", "한국어", "e\u0301", "👩\u200d💻 tests", "🇩🇪", "❤\ufe0f"} {
		table.Row(title, "|")
	}
	if err := table.Print(); err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n")[1:] {
		before, _, _ := strings.Cut(line, "|")
		if got, want := displaywidth.String(before), displaywidth.String("👩\u200d💻 tests")+columnGap; got != want {
			t.Errorf("row %d: the second column begins in cell %d, want %d: %s", i+1, got, want, line)
		}
	}
}

func TestCut(t *testing.T) {
	for _, test := range []struct {
		line  string
		limit int
		want  string
	}{
		{"a line", 0, "a line"},
		{"a line", 6, "a line"},
		{"a line", 4, "a l…"},
		{"修复测试", 8, "修复测试"},
		{"修复测试", 6, "修复…"},
		{"👩\u200d💻👩\u200d💻", 3, "👩\u200d💻…"},
	} {
		if got := cut(test.line, test.limit); got != test.want {
			t.Errorf("%q in %d cells is %q, want %q", test.line, test.limit, got, test.want)
		}
	}
}
