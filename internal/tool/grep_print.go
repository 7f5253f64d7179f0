package tool

import (
	"bytes"
	"fmt"
)

// Caps of the lines that a search shows, in bytes.
const (
	maxMatchLine = 1000 // longer lines are cut around the match
	matchLead    = 200  // kept before the match in such a line
)

// A printer shows the matching lines of one file with their context: path:line:text,
// and path-line-text for context.
type printer struct {
	name          string
	text          []byte
	find          func(line []byte) []int // the place of the first match in a line
	numbers       bool
	before, after int // lines
	max           int // lines to print

	lines   []string
	matches []int // indices in lines at which matches begin
	size    int   // of lines, in bytes
	printed int   // text up to here is printed, or left out for good
	counted int   // text up to here has number lines
	number  int
}

// match prints a match with the context before it, and that after the match before.
func (p *printer) match(m span) {
	p.trail(m.start)
	start := m.start
	for range p.before {
		if start <= p.printed {
			break
		}
		start = lineAround(p.text, start-1).start
	}
	start = max(start, p.printed)
	if len(p.lines) > 0 && start > p.printed && (p.before > 0 || p.after > 0) {
		p.lines = append(p.lines, "--")
	}
	p.print(span{start, m.start}, '-')
	p.matches = append(p.matches, len(p.lines))
	p.print(m, ':')
}

// trail prints the context after the last match, up to limit.
func (p *printer) trail(limit int) {
	if len(p.lines) == 0 {
		return
	}
	end := p.printed
	for range p.after {
		if end >= limit {
			break
		}
		end = lineEnd(p.text, end)
	}
	p.print(span{p.printed, end}, '-')
}

// full reports whether no more lines are wanted.
func (p *printer) full() bool { return len(p.lines) >= p.max || p.size > MaxText }

func (p *printer) print(lines span, mark byte) {
	for at := lines.start; at < lines.end && !p.full(); {
		end := lineEnd(p.text, at)
		line := p.line(at, end, mark)
		p.lines, p.size = append(p.lines, line), p.size+len(line)
		at, p.printed = end, end
	}
}

func (p *printer) line(at, end int, mark byte) string {
	text := p.shown(bytes.TrimRight(p.text[at:end], "\r\n"))
	if !p.numbers {
		return fmt.Sprintf("%s%c%s", p.name, mark, text)
	}
	p.number += bytes.Count(p.text[p.counted:at], []byte("\n"))
	p.counted = at
	return fmt.Sprintf("%s%c%d%c%s", p.name, mark, p.number+1, mark, text)
}

// shown returns a line as valid UTF-8, cut around the match if it is long.
func (p *printer) shown(line []byte) []byte {
	replacement := []byte("\uFFFD")
	if len(line) <= maxMatchLine {
		return bytes.ToValidUTF8(line, replacement)
	}
	start := 0
	if at := p.find(line); at != nil {
		start = max(0, min(at[0]-matchLead, len(line)-maxMatchLine))
	}
	end := start + maxMatchLine
	out := bytes.ToValidUTF8(line[start:end], nil)
	if start > 0 {
		out = append([]byte("…"), out...)
	}
	if end < len(line) {
		out = append(out, "…"...)
	}
	return fmt.Appendf(out, " [cut: the line has %d bytes]", len(line))
}
