package draw

import (
	"strings"

	"parley.dev/parley/internal/highlight"
	"parley.dev/parley/internal/terminal"
)

const (
	chunkLeast = 512      // bytes of code after which a chunk ends if a line is not indented
	chunkMost  = 1 << 10  // bytes of code after which it ends with the line
	codeLimit  = 16 << 10 // bytes of a block that have colours
)

// code returns a block of code in a language. It is highlighted in chunks, each as if it were alone: so long code has
// colours, too, and code that grows has the ones that it will have in the end.
func (m *markdown) code(source, language string, width int) []line {
	source = strings.TrimRight(source, "\n")
	if source == "" {
		return nil
	}
	var lines []line
	for done := 0; done < len(source); {
		n := chunkEnd(source[done:])
		if n < 0 {
			n = len(source) - done
		}
		lines = append(lines, m.drawer.chunk(source[done:done+n], language, done, width)...)
		done += n
	}
	return lines
}

// chunkEnd returns the length of the first chunk of code; -1 if that depends on what follows.
func chunkEnd(code string) int {
	for at := 0; ; {
		n := strings.IndexByte(code[at:], '\n')
		if n < 0 || at+n+1 == len(code) {
			return -1
		}
		at += n + 1
		if at >= chunkMost || at >= chunkLeast && strings.IndexByte(" \t\n})]", code[at]) < 0 {
			return at
		}
	}
}

// chunk returns the lines of a chunk that begins at a place of its block.
func (d *Drawer) chunk(code, language string, at, width int) []line {
	code = terminal.Clean(strings.TrimSuffix(code, "\n"))
	known := highlight.Language(language)
	var lines []line
	ok := false
	if at < codeLimit {
		lines, ok = d.highlight(code, known)
	}
	if !ok {
		lines = nil
		for l := range strings.SplitSeq(code, "\n") {
			look := style{}
			if known == highlight.Diff {
				look = d.diffStyle(l)
			}
			lines = append(lines, line{{text: l, style: look}})
		}
	}
	var out []line
	for _, l := range lines {
		for _, part := range chop(l, max(1, width-2)) {
			if part.plain() == "" {
				out = append(out, nil)
			} else {
				out = append(out, append(line{{text: "  "}}, part...))
			}
		}
	}
	return out
}

// diffStyle returns the style of a line of a diff.
func (d *Drawer) diffStyle(l string) style {
	switch {
	case strings.HasPrefix(l, "+++"), strings.HasPrefix(l, "---"), strings.HasPrefix(l, "@@"):
		return d.palette[Faint]
	case strings.HasPrefix(l, "+"):
		return d.palette[addedRole]
	case strings.HasPrefix(l, "-"):
		return d.palette[removedRole]
	}
	return style{}
}

// A codeState is the beginning of a block of code that grows.
type codeState struct {
	scanned int      // bytes of the block in whose lines there is no end of it
	drawn   int      // bytes of the code that are drawn: whole chunks
	done    []string // they
	lines   string   // the whole lines of the next chunk
	open    []string // they, drawn
}

// grow returns the lines of a text that is one block of code between fences, as far as it has come; ok is false if it is
// not only that.
func (s *codeState) grow(d *Drawer, text string, width int) (lines []string, ok bool) {
	if s == nil {
		return nil, false
	}
	head, _, whole := strings.Cut(text, "\n")
	fence, language := fenceOf(head)
	if !whole || fence == "" {
		return nil, false
	}
	for s.scanned = max(s.scanned, len(head)+1); ; {
		n := strings.IndexByte(text[s.scanned:], '\n')
		if n < 0 {
			break
		}
		if l := strings.Trim(text[s.scanned:s.scanned+n], " \t"); strings.HasPrefix(l, fence) && strings.Trim(l, fence[:1]) == "" {
			return nil, false
		}
		s.scanned += n + 1
	}
	code := text[len(head)+1:]
	if rest := strings.TrimLeft(text[s.scanned:], " "); rest != "" && strings.Trim(rest, fence[:1]) == "" {
		code = text[len(head)+1 : s.scanned] // perhaps the end of the block
	}
	code = strings.TrimRight(code, "\n")
	m := d.newMarkdown(inner(width))
	for s.drawn < len(code) {
		n := chunkEnd(code[s.drawn:])
		if n < 0 {
			break
		}
		s.done = append(s.done, d.finish(d.chunk(code[s.drawn:s.drawn+n], language, s.drawn, m.width), width)...)
		s.drawn += n
	}
	// The last line is drawn alone while it grows, since a lexer takes some milliseconds for a chunk.
	end := max(s.drawn, strings.LastIndexByte(code, '\n')+1)
	if whole := code[s.drawn:end]; whole != s.lines {
		s.lines, s.open = whole, d.finish(d.chunk(whole, language, s.drawn, m.width), width)
	}
	lines = append(make([]string, 0, len(s.done)+len(s.open)+4), s.done...)
	if s.lines != "" {
		lines = append(lines, s.open...)
	}
	if end < len(code) {
		lines = append(lines, d.finish(d.chunk(code[end:], language, end, m.width), width)...)
	}
	return lines, true
}

// fenceOf reads the first line of a block of code; fence is "" if it is not one at the margin.
func fenceOf(l string) (fence, language string) {
	if !strings.HasPrefix(l, "```") && !strings.HasPrefix(l, "~~~") {
		return "", ""
	}
	fence = runOf(l)
	info := l[len(fence):]
	if fence[0] == '`' && strings.Contains(info, "`") {
		return "", ""
	}
	if fields := strings.Fields(info); len(fields) > 0 {
		language = fields[0]
	}
	return fence, language
}
