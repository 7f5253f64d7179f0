package screen

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"charm.land/bubbles/v2/key"
	"github.com/clipperhouse/displaywidth"
)

// eraseLimit is how many characters one key erases. Emoji have up to ten; marks on one letter may have no end.
const eraseLimit = 64

// erased returns how many characters of the text a key erases: all of the grapheme cluster before or after the cursor, of
// which the text field erases one.
func (in *input) erased(msg tea.KeyPressMsg) int {
	var sign string
	switch keys := in.area.KeyMap; {
	case in.area.HasSelection():
	case key.Matches(msg, keys.DeleteCharacterBackward):
		for graphemes := displaywidth.StringGraphemes(in.before()); graphemes.Next(); {
			sign = graphemes.Value()
		}
	case key.Matches(msg, keys.DeleteCharacterForward):
		line := strings.Split(in.area.Value(), "\n")[in.area.Line()]
		if graphemes := displaywidth.StringGraphemes(line[len(in.before()):]); graphemes.Next() {
			sign = graphemes.Value()
		}
	}
	return min(max(1, utf8.RuneCountInString(sign)), eraseLimit)
}
