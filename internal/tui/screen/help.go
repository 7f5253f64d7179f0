package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// help is the panel with all keys and commands.
type help struct {
	entries [][2]string // a key or command, and what it does; ["", ""]: an empty line
	top     int
}

func newHelp(m *Model) *help {
	h := &help{}
	for _, b := range bindings {
		keys := m.o.Keys.of(b.action)
		names := make([]string, len(keys))
		for i, k := range keys {
			names[i] = displayKey(k)
		}
		h.entries = append(h.entries, [2]string{strings.Join(names, ", "), b.help})
	}
	h.entries = append(h.entries, [2]string{"Up, Down", "at the edges of the input: earlier prompts"}, [2]string{"@ $ /", "complete files, skills, commands; Tab takes the first"},
		[2]string{"y s w n", "answer an approval"}, [2]string{"1 2 3 …", "answer a question"}, [2]string{})
	for _, c := range commands() {
		h.entries = append(h.entries, [2]string{strings.TrimSpace("/" + c.name + " " + c.argument), c.about})
	}
	return h
}

func (h *help) press(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	switch k := m.o.Keys; {
	case k.is(msg, keyPageUp):
		h.top -= max(1, m.height/2)
	case k.is(msg, keyPageDown):
		h.top += max(1, m.height/2)
	case msg.Keystroke() == "up":
		h.top--
	case msg.Keystroke() == "down":
		h.top++
	case k.is(msg, keyHelp), msg.Text == "q":
		m.closePanel()
	}
	return nil
}

func (*help) paste(*Model, tea.PasteMsg) tea.Cmd { return nil }
func (*help) back(*Model) bool                   { return false }

// helpColumn is the width of the keys.
const helpColumn = 22

func (h *help) draw(m *Model, width, height int) ([]string, *tea.Cursor) {
	lines := []string{spread(" "+m.style.accent("Keys and commands"), m.style.dim("Esc closes "), width)}
	room := max(1, height-1)
	rows := h.rows(m, width)
	h.top = max(0, min(h.top, len(rows)-room))
	lines = append(lines, rows[h.top:min(len(rows), h.top+room)]...)
	for len(lines) < height {
		lines = append(lines, "")
	}
	return lines, nil
}

// rows returns the entries as lines, in two columns if there is space for them.
func (h *help) rows(m *Model, width int) []string {
	column := func(e [2]string, width int) string {
		return fit(" "+pad(m.style.strong(e[0]), helpColumn)+" "+m.style.dim(e[1]), width)
	}
	if width < 100 {
		rows := make([]string, len(h.entries))
		for i, e := range h.entries {
			rows[i] = column(e, width)
		}
		return rows
	}
	half := (len(h.entries) + 1) / 2
	rows := make([]string, half)
	for i := range half {
		rows[i] = column(h.entries[i], width/2)
		if i+half < len(h.entries) {
			rows[i] = pad(rows[i], width/2) + column(h.entries[i+half], width-width/2)
		}
	}
	return rows
}
