package draw

import (
	"fmt"
	"strconv"
	"strings"

	"parley.dev/parley/internal/tui/conversation"
	"parley.dev/parley/record"
)

const (
	commandRows = 6 // lines of a command at its beginning that are shown
	outputRows  = 8 // last lines of its output that are shown
	longRow     = 3 // lines that one row of it may take there
)

// A commandState is the output of a command that runs, so that only what is new of it has to be drawn.
type commandState struct {
	console *console
	written string   // what the console has got
	done    []string // the first frozen rows of the console, drawn
	first   int      // the number of the first of them
	next    int      // the number of the row after them
}

func (s *commandState) bytes() int { return s.console.size + len(s.written) + 100*len(s.done) }

// command returns a command, its output and how it ended.
func (d *Drawer) command(e *entry, item conversation.Item, width int, unfolded bool) []string {
	shell := item.Shell
	if shell == nil {
		return nil
	}
	text := d.fold(d.wrapped(shell.Command, d.palette[Strong], inner(width)), commandRows, 0, inner(width), unfolded)
	if shell.Dir != "" && (d.options.Folder == nil || shell.Dir != d.options.Folder()) {
		text = append(text, clip(line{d.text(Faint, "in "+oneLine(shell.Dir))}, inner(width)))
	}
	lines := encode(d.block(d.text(Accent, "$"), text), width)
	state, _ := e.state.(*commandState)
	if state == nil {
		state = &commandState{console: newConsole(conversation.OutputLimit, d.theme != NoColour)}
	}
	state.update(shell.Output, d.theme != NoColour)
	if unfolded {
		if shell.Cut || state.console.removed > 0 {
			lines = append(lines, line{{text: "  "}, d.text(Faint, "… the beginning is not here")}.encode())
		}
		lines = append(lines, state.all(width)...)
	} else {
		lines = append(lines, encode(d.block(span{}, d.lastRows(state.console, inner(width))), width)...)
	}
	if ending := d.commandEnd(shell, item.Open); ending != nil {
		lines = append(lines, encode(d.block(span{}, wrap(ending, inner(width))), width)...)
	}
	if e.state = nil; item.Open {
		e.state = state
	}
	return lines
}

// update writes the output to the console, or what is new of it.
func (s *commandState) update(output string, colours bool) {
	if output == s.written {
		return
	}
	rest, ok := strings.CutPrefix(output, s.written)
	if !ok {
		rest, ok = continued(s.written, output)
	}
	if !ok {
		*s = commandState{console: newConsole(conversation.OutputLimit, colours)}
		rest = output
	}
	s.console.write(rest)
	s.written = output
}

// continued returns what is new in a text that is the end of an earlier one with something after it.
func continued(earlier, text string) (rest string, ok bool) {
	const probe = 64
	if len(text) < probe {
		return "", false
	}
	for from := 0; ; {
		i := strings.Index(earlier[from:], text[:probe])
		if i < 0 {
			return "", false
		}
		from += i
		if rest, ok := strings.CutPrefix(text, earlier[from:]); ok {
			return rest, true
		}
		from++
	}
}

// all returns all rows, drawn.
func (s *commandState) all(width int) []string {
	c := s.console
	if s.first != c.removed {
		s.done, s.first, s.next = nil, c.removed, c.removed
	}
	for ; s.next < c.removed+len(c.frozen); s.next++ {
		s.done = append(s.done, drawRow(c.frozen[s.next-c.removed], width)...)
	}
	lines := append(make([]string, 0, len(s.done)+len(c.rows)), s.done...)
	for _, l := range c.live() {
		lines = append(lines, drawRow(l, width)...)
	}
	return lines
}

func drawRow(l line, width int) []string {
	return encode(indent(chop(l, inner(width)), line{{text: "  "}}, line{{text: "  "}}), width)
}

// lastRows returns the last rows that fit into outputRows lines.
func (d *Drawer) lastRows(c *console, width int) []line {
	live := c.live()
	total := c.removed + len(c.frozen) + len(live)
	var last [][]line // from the end
	used, rows := 0, 0
	for ; rows < len(live)+len(c.frozen); rows++ {
		var l line
		if rows < len(live) {
			l = live[len(live)-1-rows]
		} else {
			l = c.frozen[len(c.frozen)-1-(rows-len(live))]
		}
		parts := chop(l, width)
		if len(parts) > longRow {
			cut := append(line{}, parts[longRow-1]...)
			parts = append(parts[:longRow-1:longRow-1], clip(append(cut, span{text: strings.Repeat(" ", width)}), width))
		}
		if used+len(parts) > outputRows {
			break
		}
		used += len(parts)
		last = append(last, parts)
	}
	if total-rows == 1 && used < outputRows+1 && rows < len(live)+len(c.frozen) { // one more line takes no more place than its count
		l := live[0]
		if len(c.frozen) > 0 {
			l = c.frozen[0]
		}
		if parts := chop(l, width); len(parts) == 1 {
			last = append(last, parts)
			rows++
		}
	}
	var lines []line
	if total > rows {
		lines = append(lines, d.more(total-rows, width))
	}
	for i := len(last) - 1; i >= 0; i-- {
		lines = append(lines, last[i]...)
	}
	return lines
}

// commandEnd returns how a command ended; nil if it runs.
func (d *Drawer) commandEnd(shell *conversation.Shell, open bool) line {
	switch {
	case shell.Ended:
		role, text := Good, "exit "+strconv.Itoa(shell.ExitCode)
		if shell.ExitCode != 0 {
			role = Bad
		}
		l := line{d.text(role, text)}
		if shell.Signal != "" {
			l = append(l, d.text(Bad, fmt.Sprintf(" (%s)", oneLine(shell.Signal))))
		}
		if shell.TimedOut {
			l = append(l, d.text(Bad, " (timed out)"))
		}
		if shell.Outcome == record.CallInterrupted {
			l = append(l, d.text(Warn, " interrupted"))
		}
		return l
	case shell.Outcome == record.CallSucceeded, shell.Outcome == "" && open:
		return nil
	case shell.Outcome == "":
		return line{d.text(Bad, "the end is not known")}
	}
	return line{d.text(Bad, outcomeText(shell.Outcome))}
}
