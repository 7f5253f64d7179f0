package screen

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestLongInput: while a text grows over the width of the input, all of it is shown.
func TestLongInput(t *testing.T) {
	in := newInput(false)
	typed := ""
	in.draw(10, 1)
	for _, r := range "abcdefghijklmnopqrstuvwxyz" {
		in.area, _ = in.area.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		typed += string(r)
		lines, _ := in.draw(10, len(typed)/10+1)
		if shown := strings.Join(lines, ""); shown != typed {
			t.Errorf("after %q it shows %q", typed, lines)
		}
	}
}
