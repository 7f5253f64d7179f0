package screen

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"charm.land/bubbles/v2/textinput"
	"github.com/charmbracelet/x/ansi"
	"github.com/sahilm/fuzzy"

	"parley.dev/parley/internal/terminal"
)

// A row is a line of a list.
type row struct {
	id    string
	text  string // the left side, foreign text
	right string // the right side, foreign text
	words string // what the filter looks into besides
}

// A list is rows of which one is selected, with a field that filters them.
type list struct {
	title   string
	rows    []row
	filter  textinput.Model
	shown   []int  // indexes of the rows that the filter leaves
	at      int    // index in shown of the selected one
	top     int    // index in shown of the first visible one
	message string // below the rows, such as an error
	hints   []string
}

func newList(title string, hints ...string) list {
	return list{title: title, filter: newField("", ""), hints: hints}
}

// setRows replaces the rows. The selection stays on the same row if it is still there.
func (l *list) setRows(rows []row) {
	id := ""
	if r, ok := l.selected(); ok {
		id = r.id
	}
	l.rows = rows
	l.match()
	l.choose(id)
}

// choose selects the row of an id, if there is one.
func (l *list) choose(id string) {
	if i := slices.IndexFunc(l.shown, func(i int) bool { return l.rows[i].id == id }); i >= 0 {
		l.at = i
	}
}

// selected returns the selected row.
func (l *list) selected() (row, bool) {
	if l.at < 0 || l.at >= len(l.shown) {
		return row{}, false
	}
	return l.rows[l.shown[l.at]], true
}

// match filters the rows anew: those that have each word first, in their order, then those with the letters in order.
func (l *list) match() {
	l.shown = l.shown[:0]
	words := strings.Fields(strings.ToLower(l.filter.Value()))
	texts := make([]string, len(l.rows))
	for i, r := range l.rows {
		texts[i] = strings.ToLower(r.text + " " + r.right + " " + r.words)
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(texts[i], w) }) {
			l.shown = append(l.shown, i)
		}
	}
	if len(l.shown) == 0 && len(words) > 0 {
		for _, m := range fuzzy.Find(strings.Join(words, ""), texts) {
			l.shown = append(l.shown, m.Index)
		}
	}
	l.at = min(max(l.at, 0), max(0, len(l.shown)-1))
}

// update moves the selection or changes the filter.
func (l *list) update(msg tea.Msg) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		l.filter, _ = l.filter.Update(msg)
		l.match()
		return
	}
	last := max(0, len(l.shown)-1)
	switch key.Keystroke() {
	case "up":
		l.at = max(0, l.at-1)
	case "down":
		l.at = min(last, l.at+1)
	case "pgup":
		l.at = max(0, l.at-10)
	case "pgdown":
		l.at = min(last, l.at+10)
	default:
		before := l.filter.Value()
		l.filter, _ = l.filter.Update(msg)
		if l.filter.Value() != before {
			l.at = 0
			l.match()
		}
	}
}

// draw returns the list as lines, and the cursor of its filter.
func (l *list) draw(width, height int, s styles) (lines []string, cursor *tea.Cursor) {
	l.filter.Prompt = l.title + "  "
	head, cursor := drawField(l.filter, width-2)
	if rest, ok := strings.CutPrefix(head, l.filter.Prompt); ok {
		head = s.accent(l.title) + "  " + rest
		if l.filter.Value() == "" {
			head = fit(s.accent(l.title)+"  "+s.dim("type to filter"), width-2)
		}
	}
	if cursor != nil {
		cursor.X++
	}
	lines = append(lines, " "+head)
	var foot []string
	if l.message != "" {
		for _, line := range wrapText(l.message, width-2) {
			foot = append(foot, " "+s.warning(line))
		}
	}
	if height >= 10 {
		for _, line := range flow(l.hints, s.dim("  "), width-2) {
			foot = append(foot, " "+line)
		}
	}
	foot = foot[:min(len(foot), max(0, height-2))]
	if height >= 8 {
		lines = append(lines, s.dim(strings.Repeat("─", width)))
	}
	room := max(1, height-len(lines)-len(foot))
	l.top = min(max(l.top, l.at-room+1), l.at)
	l.top = max(0, min(l.top, len(l.shown)-room))
	for i := l.top; i < len(l.shown) && i < l.top+room; i++ {
		lines = append(lines, l.drawRow(l.rows[l.shown[i]], i == l.at, width, s))
	}
	if len(l.shown) == 0 {
		text := "  nothing found"
		if l.filter.Value() == "" {
			text = "  there are none"
		}
		lines = append(lines, s.dim(fit(text, width)))
	}
	for len(lines)+len(foot) < height {
		lines = append(lines, "")
	}
	return append(lines, foot...), cursor
}

// blanks makes a blank of each character that ends a line or moves to a column. Columns of blanks stay.
var blanks = strings.NewReplacer("\n", " ", "\t", " ")

func (l *list) drawRow(r row, selected bool, width int, s styles) string {
	text, right := terminal.Line(r.text), blanks.Replace(terminal.Clean(r.right))
	room := width - 3
	if ansi.StringWidth(right) > max(room/2, room-12) {
		right = ansi.Truncate(right, max(0, room/2, room-12), "…")
	}
	text = ansi.Truncate(text, max(1, room-ansi.StringWidth(right)-2), "…")
	if selected {
		return s.selected(pad(spread("> "+text, right+" ", width), width))
	}
	return spread("  "+text, s.dim(right)+" ", width)
}

// warn shows a text below the rows.
func (l *list) warn(text string) { l.message = text }
