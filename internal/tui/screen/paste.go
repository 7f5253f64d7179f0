package screen

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/internal/lazy"
)

// What is longer than one of these is shown as a placeholder.
const (
	pasteLines = 20
	pasteBytes = 2000
)

// tabSign stands for a tab in the input, whose text field would make blanks of it.
const tabSign = "␉"

// placeholder is what stands in the input for a long text.
var placeholder = lazy.Regexp{Expr: `\[paste (\d+): \d+ lines\]`}

// pastes are the long texts that placeholders stand for.
type pastes struct {
	texts map[int]string
	n     int
}

// add returns the placeholder of a text.
func (p *pastes) add(text string) string {
	if p.texts == nil {
		p.texts = map[int]string{}
	}
	p.n++
	p.texts[p.n] = text
	return fmt.Sprintf("[paste %d: %d lines]", p.n, 1+strings.Count(strings.TrimSuffix(text, "\n"), "\n"))
}

// expand returns a text with the long ones in the place of their placeholders.
func (p *pastes) expand(text string) string {
	if len(p.texts) == 0 {
		return text
	}
	return placeholder.Get().ReplaceAllStringFunc(text, func(s string) string {
		n, _ := strconv.Atoi(placeholder.Get().FindStringSubmatch(s)[1])
		if whole, ok := p.texts[n]; ok {
			return whole
		}
		return s
	})
}

// paste inserts text at the cursor.
func (in *input) paste(text string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	if len(text) > pasteBytes || 1+strings.Count(strings.TrimSuffix(text, "\n"), "\n") > pasteLines || strings.ContainsFunc(text, isBidi) {
		text = in.pastes.add(text)
	}
	in.area.InsertString(strings.ReplaceAll(text, "\t", tabSign))
}

// isBidi reports whether a character changes the direction of what is around it, so that an input would show something
// else than it is.
func isBidi(r rune) bool {
	return r == '\u200e' || r == '\u200f' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// withoutBidi returns a text without characters that change its direction.
func withoutBidi(text string) string {
	return strings.Map(func(r rune) rune {
		if isBidi(r) {
			return -1
		}
		return r
	}, text)
}

// removePlaceholder removes the placeholder before the cursor, if there is one.
func (in *input) removePlaceholder() bool {
	before := in.before()
	if !strings.HasSuffix(before, " lines]") {
		return false
	}
	at := placeholder.Get().FindAllStringIndex(before, -1)
	if len(at) == 0 || at[len(at)-1][1] != len(before) {
		return false
	}
	in.replaceBefore(utf8.RuneCountInString(before[at[len(at)-1][0]:]), "")
	return true
}

// openEditor opens the input in the editor of the user.
func (m *Model) openEditor() tea.Cmd {
	if m.o.Edit == nil {
		return nil
	}
	return m.o.Edit(m.input.text())
}

// edited takes what the editor has made of the input.
func (m *Model) edited(msg Edited) {
	if msg.Err != nil {
		m.note(levelError, "The editor failed: "+msg.Err.Error())
		return
	}
	m.input.set(strings.TrimRight(msg.Text, "\n"))
}
