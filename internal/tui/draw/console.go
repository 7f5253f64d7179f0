package draw

import (
	"strconv"

	"github.com/charmbracelet/x/ansi"

	"parley.dev/parley/internal/terminal"
)

// A console is a terminal for the output of a command: it applies the movements of the cursor, and has what was written
// as lines with colours and styles. All other sequences are left out. It has no width of its own, and remembers about
// as much as an item does.
type console struct {
	parser  *ansi.Parser
	colours bool
	frozen  []line    // rows that the cursor cannot reach any more
	rows    [][]glyph // that it can reach
	removed int       // rows before the frozen ones that are not remembered
	size    int       // of the frozen rows, in bytes
	limit   int       // of size

	row, column           int // of the cursor, within rows
	savedRow, savedColumn int
	style                 style
}

// A glyph is what a cell of a console has. A wide one is followed by an empty one.
type glyph struct {
	text  string
	style style
}

const (
	screenRows    = 24   // what sequences that count from the top of the screen count
	reach         = 100  // rows that the cursor can go up
	screenColumns = 4096 // a longer line goes on in the next row
	consoleTab    = 8
)

// newConsole returns a console that remembers limit bytes, with or without colours.
func newConsole(limit int, colours bool) *console {
	c := &console{parser: ansi.NewParser(), colours: colours, limit: limit, rows: make([][]glyph, 1)}
	c.parser.SetDataSize(16) // of what is left out
	c.parser.SetHandler(ansi.Handler{Print: c.print, Execute: c.execute, HandleCsi: c.sequence, HandleEsc: c.escape})
	return c
}

// write writes a piece of output. A sequence or a character may be divided between two pieces.
func (c *console) write(text string) {
	for i := range len(text) {
		c.parser.Advance(text[i])
	}
}

// print writes a character at the cursor.
func (c *console) print(r rune) {
	if r < 0x300 && r >= 0xa0 && r != 0xad || r < 0x7f && r >= ' ' {
		c.put(string(r), 1)
		return
	}
	if c.attach(r) {
		return
	}
	rest := terminal.Clean(string(r))
	for rest != "" {
		text, n, w := cluster(rest)
		c.put(text, w)
		rest = rest[n:]
	}
}

// attach adds a character to the glyph before the cursor if both are one.
func (c *console) attach(r rune) bool {
	row := c.rows[c.row]
	at := c.column - 1
	if at >= 0 && at < len(row) && row[at].text == "" {
		at--
	}
	if at < 0 || at >= len(row) || row[at].text == "" || row[at].text == " " {
		return false
	}
	whole := row[at].text + string(r)
	if terminal.Clean(whole) != whole {
		return false
	}
	text, n, w := cluster(whole)
	if n != len(whole) || w > c.column-at {
		return false
	}
	row[at].text = text
	return true
}

// put writes a glyph at the cursor.
func (c *console) put(text string, width int) {
	if width < 1 {
		return
	}
	if c.column+width > screenColumns {
		c.lineFeed()
		c.column = 0
	}
	row := c.rows[c.row]
	for len(row) < c.column+width {
		row = append(row, glyph{text: " "})
	}
	if row[c.column].text == "" && c.column > 0 {
		row[c.column-1].text = " " // the second half of a wide glyph was here
	}
	row[c.column] = glyph{text, c.style}
	for i := 1; i < width; i++ {
		row[c.column+i] = glyph{"", c.style}
	}
	if next := c.column + width; next < len(row) && row[next].text == "" {
		row[next].text = " "
	}
	c.rows[c.row] = row
	c.column += width
}

func (c *console) execute(b byte) {
	switch b {
	case '\n', '\v', '\f':
		c.lineFeed()
		c.column = 0 // as on a terminal: the program writes to a pipe
	case '\r':
		c.column = 0
	case '\b':
		c.column = max(0, c.column-1)
	case '\t':
		c.column = min(c.column+consoleTab-c.column%consoleTab, screenColumns-1)
	}
}

func (c *console) lineFeed() {
	c.row++
	if c.row < len(c.rows) {
		return
	}
	c.rows = append(c.rows, nil)
	if len(c.rows) <= 2*reach {
		return
	}
	for _, row := range c.rows[:reach] {
		l := lineOf(row)
		c.frozen = append(c.frozen, l)
		c.size += sizeOf(l)
	}
	c.rows = append(c.rows[:0], c.rows[reach:]...)
	c.row -= reach
	c.savedRow = max(0, c.savedRow-reach)
	for c.size > c.limit {
		c.size -= sizeOf(c.frozen[0])
		c.frozen = c.frozen[1:]
		c.removed++
	}
}

func sizeOf(l line) int {
	n := 24
	for _, s := range l {
		n += len(s.text) + 96
	}
	return n
}

// lineOf returns a row as a line, without the blanks at its end.
func lineOf(row []glyph) line {
	end := len(row)
	for end > 0 && row[end-1].text == " " && row[end-1].style.bg == "" && !row[end-1].style.reverse {
		end--
	}
	var l line
	for i := 0; i < end; {
		first := i
		var text []byte
		for i < end && row[i].style == row[first].style {
			text = append(text, row[i].text...)
			i++
		}
		l = append(l, span{text: string(text), style: row[first].style})
	}
	return l
}

// live returns the rows that may still change, without empty ones at the end.
func (c *console) live() []line {
	lines := make([]line, 0, len(c.rows))
	for _, row := range c.rows {
		lines = append(lines, lineOf(row))
	}
	for len(lines) > 0 && len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// top returns the row that is the first of the screen.
func (c *console) top() int { return max(0, len(c.rows)-screenRows) }

func (c *console) escape(cmd ansi.Cmd) {
	if cmd.Intermediate() != 0 || cmd.Prefix() != 0 {
		return
	}
	switch cmd.Final() {
	case '7':
		c.savedRow, c.savedColumn = c.row, c.column
	case '8':
		c.row, c.column = c.savedRow, c.savedColumn
	case 'M':
		c.row = max(c.top(), c.row-1)
	case 'E':
		c.execute('\n')
	case 'D':
		c.lineFeed()
	}
}

// sequence applies a CSI sequence.
func (c *console) sequence(cmd ansi.Cmd, params ansi.Params) {
	if cmd.Intermediate() != 0 || cmd.Prefix() != 0 {
		return
	}
	param := func(i, fallback int) int {
		n, _, _ := params.Param(i, fallback)
		return n
	}
	count := min(max(1, param(0, 1)), screenColumns)
	switch cmd.Final() {
	case 'm':
		c.setStyle(params)
	case 'A':
		c.row = max(0, c.row-count)
	case 'B':
		c.row = min(len(c.rows)-1, c.row+count)
	case 'C':
		c.column = min(screenColumns-1, c.column+count)
	case 'D':
		c.column = max(0, c.column-count)
	case 'E':
		c.row, c.column = min(len(c.rows)-1, c.row+count), 0
	case 'F':
		c.row, c.column = max(0, c.row-count), 0
	case 'G', '`':
		c.column = count - 1
	case 'H', 'f':
		c.moveTo(count-1, min(max(1, param(1, 1)), screenColumns)-1)
	case 'd':
		c.moveTo(count-1, c.column)
	case 'J':
		c.eraseDisplay(param(0, 0))
	case 'K':
		c.eraseLine(param(0, 0))
	case 'X':
		c.erase(c.row, c.column, c.column+count)
	case 'P':
		if row := c.rows[c.row]; c.column < len(row) {
			c.rows[c.row] = append(row[:c.column], row[min(len(row), c.column+count):]...)
		}
	case 's':
		c.savedRow, c.savedColumn = c.row, c.column
	case 'u':
		c.row, c.column = c.savedRow, c.savedColumn
	}
}

// moveTo moves the cursor to a place of the screen.
func (c *console) moveTo(row, column int) {
	row = c.top() + min(row, screenRows-1)
	for len(c.rows) <= row {
		c.rows = append(c.rows, nil)
	}
	c.row, c.column = row, column
}

func (c *console) eraseDisplay(what int) {
	first, last := c.row+1, len(c.rows)
	switch what {
	case 0:
		c.eraseLine(0)
	case 1:
		c.eraseLine(1)
		first, last = c.top(), c.row
	case 2, 3:
		first = c.top()
	default:
		return
	}
	for i := first; i < last; i++ {
		c.rows[i] = nil
	}
}

func (c *console) eraseLine(what int) {
	switch what {
	case 0:
		if c.column < len(c.rows[c.row]) {
			c.erase(c.row, c.column, c.column+1) // may be half of a wide glyph
			c.rows[c.row] = c.rows[c.row][:c.column]
		}
	case 1:
		c.erase(c.row, 0, c.column+1)
	case 2:
		c.rows[c.row] = nil
	}
}

// erase makes the cells of a row blank, as far as it has them.
func (c *console) erase(row, from, to int) {
	cells := c.rows[row]
	to = min(to, len(cells))
	if from < to && cells[from].text == "" && from > 0 {
		cells[from-1].text = " "
	}
	for i := from; i < to; i++ {
		cells[i] = glyph{text: " "}
	}
	if to > from && to < len(cells) && cells[to].text == "" {
		cells[to].text = " "
	}
}

// setStyle applies an SGR sequence. Text can neither blink nor be concealed.
func (c *console) setStyle(params ansi.Params) {
	if len(params) == 0 {
		c.style = style{}
		return
	}
	for i := 0; i < len(params); i++ {
		n, sub, _ := params.Param(i, 0)
		switch {
		case n == 0:
			c.style = style{}
		case n == 1:
			c.style.bold = true
		case n == 2:
			c.style.faint = true
		case n == 3:
			c.style.italic = true
		case n == 4:
			next, _, ok := params.Param(i+1, 0)
			c.style.underline = !sub || !ok || next != 0
		case n == 7:
			c.style.reverse = true
		case n == 9:
			c.style.strike = true
		case n == 21, n == 22:
			c.style.bold, c.style.faint = false, false
		case n == 23:
			c.style.italic = false
		case n == 24:
			c.style.underline = false
		case n == 27:
			c.style.reverse = false
		case n == 29:
			c.style.strike = false
		case n >= 30 && n <= 37, n >= 90 && n <= 97:
			c.setColour(&c.style.fg, strconv.Itoa(n))
		case n == 39:
			c.style.fg = ""
		case n >= 40 && n <= 47, n >= 100 && n <= 107:
			c.setColour(&c.style.bg, strconv.Itoa(n))
		case n == 49:
			c.style.bg = ""
		case n == 38:
			i += c.extended(&c.style.fg, "38", params[i:], sub)
			continue
		case n == 48:
			i += c.extended(&c.style.bg, "48", params[i:], sub)
			continue
		case n == 58 && !sub:
			var ignored string
			i += c.extended(&ignored, "58", params[i:], sub)
			continue
		}
		for sub && i+1 < len(params) { // the rest of the parameter
			i++
			_, sub, _ = params.Param(i, 0)
		}
	}
}

func (c *console) setColour(colour *string, parameters string) {
	if c.colours {
		*colour = parameters
	}
}

// extended reads one of 256 colours or an RGB colour, and returns how many parameters follow the first.
func (c *console) extended(colour *string, ground string, params ansi.Params, sub bool) int {
	var values []int
	if sub {
		for i := 1; i < len(params); i++ {
			n, more, _ := params.Param(i, 0)
			if values = append(values, n); !more {
				break
			}
		}
		if len(values) == 5 && values[0] == 2 { // with the number of a colour space
			values = append(values[:1], values[2:]...)
			c.setExtended(colour, ground, values)
			return 5
		}
	} else {
		kind, _, _ := params.Param(1, 0)
		for i := 1; i < min(len(params), map[int]int{5: 3, 2: 5}[kind]); i++ {
			n, _, _ := params.Param(i, 0)
			values = append(values, n)
		}
	}
	c.setExtended(colour, ground, values)
	return len(values)
}

func (c *console) setExtended(colour *string, ground string, values []int) {
	for _, v := range values {
		if v < 0 || v > 255 {
			return
		}
	}
	switch {
	case len(values) == 2 && values[0] == 5:
		c.setColour(colour, ground+";5;"+strconv.Itoa(values[1]))
	case len(values) == 4 && values[0] == 2:
		c.setColour(colour, ground+";2;"+strconv.Itoa(values[1])+";"+strconv.Itoa(values[2])+";"+strconv.Itoa(values[3]))
	}
}
