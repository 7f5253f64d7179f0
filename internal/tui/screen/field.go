package screen

import (
	tea "charm.land/bubbletea/v2"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
)

// newField returns a text field of one line that has the focus.
func newField(prompt, text string) textinput.Model {
	f := textinput.New()
	f.Prompt = prompt
	f.SetValue(withoutBidi(text))
	f.CursorEnd()
	f.SetVirtualCursor(false)
	f.KeyMap.Paste = key.NewBinding() // the terminal pastes
	f.SetStyles(textinput.Styles{})
	f.Focus()
	return f
}

// drawField returns a field as a line of width cells, and its cursor in that line.
func drawField(f textinput.Model, width int) (line string, cursor *tea.Cursor) {
	f.SetWidth(max(1, width-len(f.Prompt)-1))
	line = fit(f.View(), width)
	cursor = f.Cursor()
	if cursor != nil {
		cursor.X = min(cursor.X, max(0, width-1))
	}
	return line, cursor
}
