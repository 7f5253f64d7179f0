package screen

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestCopy: what the mouse selects is copied without styles, margins and blanks at the ends of lines.
func TestCopy(t *testing.T) {
	s := newStage(t, 80, 24)
	s.begin("show it")
	s.answer("t-1", "```go\nfunc main() {\n\tprintln(1)\n}\n```")
	row := -1
	for i, l := range splitLines(s.text()) {
		if l == "     func main() {" {
			row = i
		}
	}
	if row < 0 {
		t.Fatalf("the code is not there:\n%s", s.text())
	}
	s.send(tea.MouseClickMsg{X: 0, Y: row, Button: tea.MouseLeft}, tea.MouseMotionMsg{X: 60, Y: row + 2, Button: tea.MouseLeft})
	s.fits()
	lines, _ := s.m.frame()
	if got, want := s.m.selection.text(lines), "func main() {\n    println(1)\n}"; got != want {
		t.Errorf("%q is selected, want %q", got, want)
	}
	s.send(tea.MouseReleaseMsg{X: 60, Y: row + 2, Button: tea.MouseLeft})
	s.shows("Copied")
}
