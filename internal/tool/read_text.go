package tool

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"parley.dev/parley/internal/tool/output"
	"parley.dev/parley/internal/tool/textedit"
)

// Caps of what is shown of a text.
const (
	maxLine    = 16 << 10 // bytes of one line; the rest is left out
	noteRoom   = 200      // bytes kept free for a note after a text that was cut
	maxCounted = 64 << 20 // bytes after the lines shown that are read to count the lines there
)

// readText shows the lines that were asked for, as far as the limits allow. A note follows if the
// file has more.
func (c *readCall) readText(in *bufio.Reader) (Result, error) {
	skip := max(0, c.input.Offset-c.from)
	limit := cmp.Or(c.input.Limit, c.limits.readLines())
	p := page{numbered: c.input.LineNumbers, size: c.limits.read()}
	line := 0
	for p.lines() < limit {
		text, left, err := nextLine(in)
		if err == io.EOF {
			break
		}
		if err != nil {
			return Result{}, err
		}
		line++
		if line > skip && !p.add(line, text, left) {
			p.cut()
			break
		}
	}
	rest, whole, err := countRest(in)
	total := line + rest
	switch {
	case err != nil:
		return Result{}, err
	case total == 0:
		return Result{Text: "the file is empty"}, nil
	case p.lines() == 0:
		return Failed(fmt.Sprintf("offset %d is past the end: the file has %s", c.input.Offset, plural(total, "line"))), nil
	case p.last() < total:
		most := ""
		if !whole {
			most = "more than "
		}
		p.text = fmt.Appendf(p.text, "[%s of %s%d; go on with offset %d]\n",
			textedit.LineRange(p.first, p.last()), most, total, p.last()+c.from)
	}
	return Result{Text: string(p.text)}, nil
}

// countRest counts the lines that are left, in at most maxCounted bytes; whole reports whether
// these are all.
func countRest(in *bufio.Reader) (lines int, whole bool, err error) {
	limited := &io.LimitedReader{R: in, N: maxCounted}
	buf := make([]byte, 32<<10)
	last := byte('\n')
	for {
		n, err := limited.Read(buf)
		if n > 0 {
			lines, last = lines+bytes.Count(buf[:n], []byte("\n")), buf[n-1]
		}
		switch {
		case err == io.EOF:
			whole = limited.N > 0
			if whole && last != '\n' {
				lines++
			}
			return lines, whole, nil
		case err != nil:
			return 0, false, err
		}
	}
}

// nextLine reads a line with its newline, of which it keeps maxLine bytes; left is how
// many more there were. The text is valid until the next call. io.EOF means that there
// is no line any more.
func nextLine(in *bufio.Reader) (text []byte, left int, err error) {
	chunk, err := in.ReadSlice('\n')
	if err == nil && len(chunk) <= maxLine {
		return chunk, 0, nil
	}
	for {
		keep := min(len(chunk), maxLine-len(text))
		text, left = append(text, chunk[:keep]...), left+len(chunk)-keep
		if !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
		chunk, err = in.ReadSlice('\n')
	}
	if err == io.EOF && len(text) > 0 {
		err = nil
	}
	return text, left, err
}

// A page is the lines shown so far.
type page struct {
	numbered bool
	size     int // of text at most, in bytes
	text     []byte
	starts   []int // where each line begins in text
	first    int   // number of the first line, from 1
}

// lines returns how many lines the page has.
func (p *page) lines() int { return len(p.starts) }

// last returns the number of the last line.
func (p *page) last() int { return p.first + len(p.starts) - 1 }

// add appends a line, and reports whether the page still fits its size.
func (p *page) add(number int, line []byte, left int) bool {
	if len(p.starts) == 0 {
		p.first = number
	}
	p.starts = append(p.starts, len(p.text))
	if p.numbered {
		p.text = fmt.Appendf(p.text, "%6d\t", number)
	}
	if left > 0 {
		whole := output.WholeRunes(line)
		line, left = whole, left+len(line)-len(whole)
	}
	p.text = append(p.text, bytes.ToValidUTF8(line, []byte("\uFFFD"))...)
	if left > 0 {
		p.text = fmt.Appendf(p.text, "… [line cut here: %s more]\n", plural(left, "byte"))
	}
	return len(p.text) <= p.size
}

// cut removes last lines until there is room for a note.
func (p *page) cut() {
	n := len(p.starts) - 1
	for n > 1 && p.starts[n] > p.size-noteRoom {
		n--
	}
	p.text, p.starts = p.text[:p.starts[n]], p.starts[:n]
}
