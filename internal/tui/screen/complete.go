package screen

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"parley.dev/parley/internal/terminal"
)

// A menu is the completions of what is before the cursor.
type menu struct {
	word    string // what they complete, with its first character
	choices []choice
	at      int
}

// A choice is a completion: what it inserts, and what it is.
type choice struct{ text, about string }

// menuRows is how many choices are visible.
const menuRows = 6

// complete looks for completions of the word before the cursor.
func (m *Model) complete() tea.Cmd {
	word := m.input.word()
	if word == "" {
		m.menu = nil
		return nil
	}
	workspace := m.workspace()
	switch word[0] {
	case '/':
		m.offer(word, matchingCommands(word))
		return nil
	case '$':
		return request(m, func(ctx context.Context, h Host) ([]string, error) { return h.Skills(ctx, workspace) }, func(m *Model, names []string, _ error) tea.Cmd {
			names = slices.DeleteFunc(names, func(name string) bool { return !fuzzyPrefix(name, word[1:]) })
			m.offer(word, choices("$", names))
			return nil
		})
	}
	return request(m, func(ctx context.Context, h Host) ([]string, error) {
		return h.Files(ctx, workspace, word[1:], fileLimit)
	}, func(m *Model, paths []string, _ error) tea.Cmd {
		m.offer(word, choices("@", paths))
		return nil
	})
}

// fileLimit is how many files are offered.
const fileLimit = 20

// choices returns completions that insert names after a sign.
func choices(sign string, names []string) []choice {
	all := make([]choice, len(names))
	for i, name := range names {
		all[i].text = sign + name
	}
	return all
}

// word returns the word before the cursor if there are completions for its first character; else "".
func (in *input) word() string {
	before := in.before()
	at := strings.LastIndexFunc(before, unicode.IsSpace)
	word := before[at+1:]
	switch {
	case word == "":
		return ""
	case word[0] == '/' && at < 0 && in.area.Line() == 0 && !strings.Contains(word[1:], "/"):
		return word
	case word[0] == '@' || word[0] == '$':
		return word
	}
	return ""
}

// offer shows completions of a word, if that is still before the cursor.
func (m *Model) offer(word string, choices []choice) {
	if m.input.word() != word {
		return
	}
	m.menu = nil
	if len(choices) > 0 && (len(choices) > 1 || choices[0].text != word) {
		m.menu = &menu{word: word, choices: choices}
	}
}

// pressMenu handles a key of the menu; false: it is one of the input.
func (m *Model) pressMenu(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	switch {
	case m.o.Keys.is(msg, keyFocus):
		c := m.menu.choices[m.menu.at]
		m.input.replaceBefore(utf8.RuneCountInString(m.menu.word), c.text+" ")
		m.menu = nil
	case msg.Keystroke() == "up":
		m.menu.at = max(0, m.menu.at-1)
	case msg.Keystroke() == "down":
		m.menu.at = min(len(m.menu.choices)-1, m.menu.at+1)
	default:
		return nil, false
	}
	return nil, true
}

// draw returns the menu as lines.
func (n *menu) draw(width, height int, s styles) []string {
	height = min(height, menuRows, len(n.choices))
	top := max(0, min(n.at-height+1, len(n.choices)-height))
	var lines []string
	for i := top; i < top+height; i++ {
		c := n.choices[i]
		name, about := clean(c.text, width-4), ""
		if room := width - 28; room > 10 && c.about != "" {
			name = pad(clean(c.text, 22), 22)
			about = "  " + s.dim(clean(terminal.Line(c.about), room))
		}
		if i == n.at {
			lines = append(lines, fit(s.accent("> "+name)+about, width))
		} else {
			lines = append(lines, fit("  "+name+about, width))
		}
	}
	return lines
}

// fuzzyPrefix reports whether name has the characters of query in their order.
func fuzzyPrefix(name, query string) bool {
	rest := strings.ToLower(name)
	for _, r := range strings.ToLower(query) {
		i := strings.IndexRune(rest, r)
		if i < 0 {
			return false
		}
		rest = rest[i+utf8.RuneLen(r):]
	}
	return true
}
