package terminaltest

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// A Screen is a terminal with an emulator, which shows what programs write as the user sees it, and answers what they
// request of it.
type Screen struct {
	*Terminal
	emulator *vt.Emulator // used with Terminal.mu held
	title    string
	bells    int
	modes    map[ansi.Mode]bool // that are set
}

// OpenScreen opens a terminal of that size with an emulator. It is closed when the test ends.
func OpenScreen(t testing.TB, columns, rows uint16) *Screen {
	t.Helper()
	s := &Screen{Terminal: Open(t, columns, rows), emulator: vt.NewEmulator(int(columns), int(rows)), modes: map[ansi.Mode]bool{}}
	s.emulator.SetCallbacks(vt.Callbacks{
		Bell:        func() { s.bells++ },
		Title:       func(title string) { s.title = title },
		EnableMode:  func(mode ansi.Mode) { s.modes[mode] = true },
		DisableMode: func(mode ansi.Mode) { delete(s.modes, mode) },
	})
	go func() {
		_, _ = io.Copy(s.user, s.emulator) // answers of the terminal, until it is closed
	}()
	t.Cleanup(func() { s.emulator.InputPipe().(io.Closer).Close() })
	s.mu.Lock()
	s.copies = s.emulator
	s.mu.Unlock()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the screen:\n%s", s.Text())
		}
	})
	return s
}

// Text returns what the screen shows, a line for each row, without blanks at the ends of rows.
func (s *Screen) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lockedText()
}

func (s *Screen) lockedText() string {
	var text strings.Builder
	for y := range s.emulator.Height() {
		var row strings.Builder
		for x := 0; x < s.emulator.Width(); {
			cell := s.emulator.CellAt(x, y)
			if cell == nil || cell.Content == "" {
				row.WriteByte(' ')
				x++
				continue
			}
			row.WriteString(cell.Content)
			x += max(cell.Width, 1)
		}
		text.WriteString(strings.TrimRight(row.String(), " "))
		text.WriteByte('\n')
	}
	return text.String()
}

// Row returns a row of the screen; a negative number counts from the last one, which is -1.
func (s *Screen) Row(n int) string {
	rows := strings.Split(strings.TrimSuffix(s.Text(), "\n"), "\n")
	if n < 0 {
		n += len(rows)
	}
	return rows[n]
}

// Wait waits until the screen matches a pattern, in which ^ and $ are the ends of rows, and returns the match.
func (s *Screen) Wait(pattern string) string {
	s.t.Helper()
	return s.wait(pattern, true)
}

// WaitGone waits until the screen does not match a pattern.
func (s *Screen) WaitGone(pattern string) {
	s.t.Helper()
	s.wait(pattern, false)
}

func (s *Screen) wait(pattern string, there bool) string {
	s.t.Helper()
	wanted := regexp.MustCompile("(?m)" + pattern)
	var match string
	s.until(fmt.Sprintf("the screen should match %q: %t", pattern, there), func() bool {
		match = wanted.FindString(s.lockedText())
		return (match != "") == there
	})
	return match
}

// WaitBell waits until the bell has rung once or more. Programs may ring it after what they draw.
func (s *Screen) WaitBell() {
	s.t.Helper()
	s.until("the bell should ring", func() bool { return s.bells > 0 })
}

// until waits until a condition holds, which is asked with s.mu held after each write of the program; what says what is missing.
func (s *Screen) until(what string, holds func() bool) {
	s.t.Helper()
	limit := time.After(patience)
	for {
		s.mu.Lock()
		done, changed := holds(), s.changed
		s.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-limit:
			s.t.Fatal(what)
		}
	}
}

// Resize changes the size.
func (s *Screen) Resize(columns, rows uint16) {
	s.t.Helper()
	s.mu.Lock()
	s.emulator.Resize(int(columns), int(rows))
	s.mu.Unlock()
	s.Terminal.Resize(columns, rows)
}

// keys are what terminals send for keys.
var keys = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "backspace": "\x7f", "space": " ",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "pgup": "\x1b[5~", "pgdown": "\x1b[6~",
	"home": "\x1b[H", "end": "\x1b[F", "ctrl+end": "\x1b[1;5F", "alt+enter": "\x1b\r", "alt+up": "\x1b[1;3A", "shift+enter": "\x1b[13;2u",
}

// Press presses keys by name, such as enter, ctrl+c or alt+up; a name that is none is typed.
func (s *Screen) Press(names ...string) {
	s.t.Helper()
	for _, name := range names {
		sequence, known := keys[name]
		letter, control := strings.CutPrefix(name, "ctrl+")
		switch {
		case known:
		case control && len(letter) == 1:
			sequence = string(letter[0] & 0x1f)
		default:
			sequence = name
		}
		s.Type(sequence)
	}
}

// Paste pastes text, bracketed if the program wants that.
func (s *Screen) Paste(text string) {
	s.t.Helper()
	if s.Mode(ansi.ModeBracketedPaste) {
		text = ansi.BracketedPasteStart + text + ansi.BracketedPasteEnd
	}
	s.Type(text)
}

// Title returns the title of the window.
func (s *Screen) Title() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.title
}

// Mode reports whether a mode is set.
func (s *Screen) Mode(mode ansi.Mode) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.modes[mode]
}

// A State is what programs can leave behind in a terminal.
type State struct {
	Alternate bool   // the alternate screen is shown
	Cursor    bool   // the cursor is shown
	Modes     string // that are set besides those that were set in the beginning
}

// State returns what the programs have left behind.
func (s *Screen) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	var modes []string
	for mode := range maps.Keys(s.modes) {
		if mode != ansi.ModeTextCursorEnable && mode != ansi.ModeAutoWrap {
			modes = append(modes, fmt.Sprintf("%T %d", mode, mode.Mode()))
		}
	}
	slices.Sort(modes)
	return State{s.emulator.IsAltScreen(), !s.emulator.CursorHidden(), strings.Join(modes, ", ")}
}

// Cell returns the cell in a column and row.
func (s *Screen) Cell(column, row int) uv.Cell {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cell := s.emulator.CellAt(column, row); cell != nil {
		return *cell
	}
	return uv.Cell{}
}

// Size returns the size.
func (s *Screen) Size() (columns, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emulator.Width(), s.emulator.Height()
}

// Cursor returns where the cursor is, and whether it is shown.
func (s *Screen) Cursor() (column, row int, shown bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.emulator.CursorPosition()
	return at.X, at.Y, !s.emulator.CursorHidden()
}
