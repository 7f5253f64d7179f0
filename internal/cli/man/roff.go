package man

import (
	"fmt"
	"strings"
)

// escape returns text as roff: a hyphen stays the character of a command line, and a character outside of
// ASCII has its name, so that no program that formats the page has to know its encoding.
func escape(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			b.WriteString(`\&`) // else a request
		}
		for _, r := range line {
			switch {
			case r == '\\':
				b.WriteString(`\e`)
			case r == '-':
				b.WriteString(`\-`)
			case r > 126:
				fmt.Fprintf(&b, `\[u%04X]`, r)
			default:
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// paragraphs returns the long help of a command: its paragraphs are filled, and indented lines stay as they are.
func paragraphs(text string) string {
	var b strings.Builder
	for i, block := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		lines := strings.Split(block, "\n")
		for len(lines) > 0 && strings.TrimLeft(lines[0], " \t") == lines[0] {
			b.WriteString(escape(lines[0]) + "\n")
			lines = lines[1:]
		}
		if len(lines) > 0 {
			b.WriteString(verbatim(lines))
		}
	}
	return b.String()
}

// verbatim returns lines that are not filled, indented once.
func verbatim(lines []string) string {
	var b strings.Builder
	b.WriteString(".RS 4\n.nf\n")
	for _, line := range lines {
		b.WriteString(escape(strings.TrimPrefix(strings.TrimPrefix(line, "  "), "\t")) + "\n")
	}
	b.WriteString(".fi\n.RE\n")
	return b.String()
}
