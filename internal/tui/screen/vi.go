package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// vi is the state of the keys of vi: with on, letters are commands until one of them inserts.
type vi struct {
	on, inserting bool
	pending       string // the first key of a command of two
}

// escape ends inserting, and reports whether it has.
func (v *vi) escape(in *input) bool {
	if !v.on || !v.inserting {
		return false
	}
	v.inserting, v.pending = false, ""
	in.key(tea.KeyPressMsg{Code: tea.KeyLeft})
	return true
}

// motions are the keys of the text field that the letters of vi stand for.
var motions = map[string]tea.KeyPressMsg{
	"h": {Code: tea.KeyLeft}, "l": {Code: tea.KeyRight}, "w": {Code: tea.KeyRight, Mod: tea.ModCtrl}, "b": {Code: tea.KeyLeft, Mod: tea.ModCtrl},
	"e": {Code: tea.KeyRight, Mod: tea.ModCtrl}, "0": {Code: tea.KeyHome}, "^": {Code: tea.KeyHome}, "$": {Code: tea.KeyEnd},
	"x": {Code: tea.KeyDelete}, "X": {Code: tea.KeyBackspace}, "D": {Code: 'k', Mod: tea.ModCtrl},
}

// press handles a key of a command; false: the key is one of the text or of the screen.
func (v *vi) press(in *input, msg tea.KeyPressMsg) bool {
	if !v.on || v.inserting || msg.Text == "" {
		return false
	}
	command := v.pending + msg.Text
	v.pending = ""
	if key, ok := motions[command]; ok {
		in.key(key)
		return true
	}
	switch command {
	case "g", "d", "c":
		v.pending = command
	case "j":
		if in.bottom() {
			in.later()
		} else {
			in.area.CursorDown()
		}
	case "k":
		if in.top() {
			in.earlier()
		} else {
			in.area.CursorUp()
		}
	case "gg":
		in.area.MoveToBegin()
	case "G":
		in.area.MoveToEnd()
	case "i":
		v.inserting = true
	case "a":
		in.key(motions["l"])
		v.inserting = true
	case "I":
		in.area.CursorStart()
		v.inserting = true
	case "A":
		in.area.CursorEnd()
		v.inserting = true
	case "o":
		in.area.CursorEnd()
		in.area.InsertRune('\n')
		v.inserting = true
	case "O":
		in.area.CursorStart()
		in.area.InsertRune('\n')
		in.area.CursorUp()
		v.inserting = true
	case "dd", "cc":
		in.deleteLine()
		v.inserting = command == "cc"
	case "dw":
		in.deleteWord()
		for in.after() == ' ' {
			in.key(motions["x"])
		}
	case "cw":
		in.deleteWord()
		v.inserting = true
	case "C":
		in.key(motions["D"])
		v.inserting = true
	}
	return true
}

// deleteLine removes the line of the cursor.
func (in *input) deleteLine() {
	in.area.CursorEnd()
	if in.area.Column() > 0 {
		in.key(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
	}
	if in.area.LineCount() > 1 {
		in.key(motions["X"])
	}
}

// deleteWord removes the word after the cursor.
func (in *input) deleteWord() { in.key(tea.KeyPressMsg{Code: 'd', Mod: tea.ModAlt}) }

// after returns the character after the cursor; 0: the line has none.
func (in *input) after() rune {
	lines := strings.Split(in.area.Value(), "\n")
	line := []rune(lines[min(in.area.Line(), len(lines)-1)])
	if at := in.area.Column(); at < len(line) {
		return line[at]
	}
	return 0
}
