package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
)

// An input is the text that the user writes.
type input struct {
	area    textarea.Model
	pastes  pastes
	prompts prompts
	vi      vi
	last    drawing
}

func newInput(viMode bool) input {
	area := textarea.New()
	area.Prompt = ""
	area.ShowLineNumbers = false
	area.CharLimit, area.MaxHeight, area.MaxWidth = 0, 0, 0
	area.SetVirtualCursor(false)
	area.SetStyles(textarea.Styles{})
	none := key.NewBinding()
	k := &area.KeyMap
	k.InsertNewline, k.Paste, k.CopySelection = none, none, none
	k.TransposeCharacterBackward, k.LineNext, k.LinePrevious = none, none, none
	k.LineNext.SetKeys("down")
	k.LinePrevious.SetKeys("up")
	k.DeleteBeforeCursor.SetKeys("ctrl+u")
	area.Focus()
	return input{area: area, vi: vi{on: viMode, inserting: true}}
}

// text returns what the input is, whole: with what placeholders replace.
func (in *input) text() string {
	return strings.ReplaceAll(in.pastes.expand(in.area.Value()), tabSign, "\t")
}

// empty reports whether there is no text.
func (in *input) empty() bool { return in.area.Length() == 0 }

// clear removes the text.
func (in *input) clear() {
	in.area.Reset()
	in.pastes = pastes{}
	in.prompts.leave()
}

// set replaces the text. The cursor is at its end.
func (in *input) set(text string) {
	in.area.Reset()
	in.pastes = pastes{}
	in.paste(text)
}

// before returns the text of the line up to the cursor.
func (in *input) before() string {
	lines := strings.Split(in.area.Value(), "\n")
	line := []rune(lines[min(in.area.Line(), len(lines)-1)])
	return string(line[:min(in.area.Column(), len(line))])
}

// replaceBefore replaces the last n characters before the cursor.
func (in *input) replaceBefore(n int, text string) {
	erase := tea.KeyPressMsg{Code: tea.KeyBackspace}
	for range n {
		in.area, _ = in.area.Update(erase)
	}
	in.area.InsertString(text)
}

// top and bottom report whether the cursor is at an edge: in the first or the last visible line of the text.
func (in *input) top() bool { return in.area.Line() == 0 && in.area.LineInfo().RowOffset == 0 }

func (in *input) bottom() bool {
	info := in.area.LineInfo()
	return in.area.Line() == in.area.LineCount()-1 && info.RowOffset >= info.Height-1
}

// A drawing is what draw has returned for a state of the text field.
type drawing struct {
	text          string
	line, column  int
	width, height int
	lines         []string
	cursor        tea.Cursor
}

// draw returns the text as height lines, and the cursor in them. The slice must not be changed.
func (in *input) draw(width, height int) (lines []string, cursor *tea.Cursor) {
	width, height = max(1, width), max(1, height)
	now := drawing{text: in.area.Value(), line: in.area.Line(), column: in.area.Column(), width: width, height: height}
	if last := &in.last; last.lines == nil || last.text != now.text || last.line != now.line || last.column != now.column || last.width != width || last.height != height {
		in.area.SetWidth(width)
		in.area.SetHeight(height)
		if (last.height != height || last.width != width) && in.area.LineCount() == 1 {
			in.area.MoveToBegin() // a key that breaks the line has scrolled, although there is room for one more now
			in.area.SetCursorColumn(now.column)
		}
		in.area, _ = in.area.Update(nil) // scrolls to the cursor
		now.lines = strings.Split(in.area.View(), "\n")
		for i := range now.lines {
			now.lines[i] = strings.TrimRight(fit(now.lines[i], width), " ")
		}
		if c := in.area.Cursor(); c != nil {
			now.cursor = *c
			now.cursor.X, now.cursor.Y = min(c.X, width-1), min(max(0, c.Y), len(now.lines)-1)
		}
		in.last = now
	}
	c := in.last.cursor
	c.Shape = tea.CursorBar
	if in.vi.on && !in.vi.inserting {
		c.Shape = tea.CursorBlock
	}
	return in.last.lines, &c
}

// rows returns how many lines the text has on a screen of that width, at most limit.
func (in *input) rows(width, limit int) int {
	rows := 0
	for line := range strings.SplitSeq(in.area.Value(), "\n") {
		rows += 1 + len([]rune(line))*2/max(1, 2*width)
		if rows >= limit {
			return limit
		}
	}
	return max(1, rows)
}

// pressInput handles a key of the input.
func (m *Model) pressInput(msg tea.KeyPressMsg) tea.Cmd {
	k, in := m.o.Keys, &m.input
	if m.menu != nil {
		if cmd, ok := m.pressMenu(msg); ok {
			return cmd
		}
	}
	switch {
	case k.is(msg, keyHelp) && in.empty():
		m.panel = newHelp(m)
		return nil
	case in.vi.press(in, msg):
		return nil
	case k.is(msg, keySend):
		return m.send(steering)
	case k.is(msg, keyQueue):
		return m.send(queueing)
	case k.is(msg, keyTakeBack):
		return m.takeBack()
	case k.is(msg, keyNewline):
		in.area.InsertRune('\n')
		return m.complete()
	case k.is(msg, keyFocus):
		if m.ask != nil {
			m.ask.focused = true
		}
		return nil
	case k.is(msg, keyEmpty):
		in.clear()
		m.menu = nil
		return nil
	case msg.Keystroke() == "up" && in.top():
		in.earlier()
		return nil
	case msg.Keystroke() == "down" && in.bottom():
		in.later()
		return nil
	case msg.Keystroke() == "backspace" && in.removePlaceholder():
		return nil
	}
	in.key(msg)
	return m.complete()
}

// key gives a key to the text field. For text without a selection its Update does the same as InsertString, and then renders
// all that was written, which draw does as well.
func (in *input) key(msg tea.KeyPressMsg) {
	if msg.Text != "" && msg.Mod&^tea.ModShift == 0 && !in.area.HasSelection() {
		in.area.InsertString(msg.Text)
		return
	}
	for range in.erased(msg) {
		in.area, _ = in.area.Update(msg)
	}
}
