package tool

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Caps of what is shown of a text, in bytes.
const (
	maxLine  = 16 << 10 // of one line; the rest is left out
	noteRoom = 200      // kept free for a note behind a text that was cut
)

// readText shows the lines that were asked for, as many as fit.
func readText(in *bufio.Reader, want readInput) (Result, error) {
	p := page{numbered: want.LineNumbers}
	line := 0
	for ; want.Limit == 0 || line-want.Offset < want.Limit; line++ {
		text, left, err := nextLine(in)
		if err == io.EOF {
			break
		}
		if err != nil {
			return Result{}, err
		}
		if line >= want.Offset && !p.add(line, text, left) {
			return Result{Text: p.cut()}, nil
		}
	}
	switch {
	case line == 0:
		return Result{Text: "the file is empty"}, nil
	case line <= want.Offset:
		return Failed(fmt.Sprintf("offset %d is behind the end: the file has %s", want.Offset, plural(line, "line"))), nil
	}
	return Result{Text: string(p.text)}, nil
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
	text     []byte
	starts   []int // where each line begins in text
	first    int   // number of the first line, from 0
}

// add appends a line if it fits a Result.
func (p *page) add(number int, line []byte, left int) bool {
	if len(p.starts) == 0 {
		p.first = number
	}
	start := len(p.text)
	p.starts = append(p.starts, start)
	if p.numbered {
		p.text = fmt.Appendf(p.text, "%6d\t", number+1)
	}
	if left > 0 {
		whole := wholeRunes(line)
		line, left = whole, left+len(line)-len(whole)
	}
	p.text = append(p.text, bytes.ToValidUTF8(line, []byte("\uFFFD"))...)
	if left > 0 {
		p.text = fmt.Appendf(p.text, "… [line cut here: %s more]\n", plural(left, "byte"))
	}
	return len(p.text) <= MaxText
}

// cut is the page without its last lines, and with a note that says how to go on.
func (p *page) cut() string {
	n := len(p.starts) - 1
	for p.starts[n] > MaxText-noteRoom {
		n--
	}
	next := p.first + n
	return fmt.Sprintf("%s[cut after line %d; the file goes on: read it with offset %d]\n", p.text[:p.starts[n]], next, next)
}

// wholeRunes is text without a last rune that is cut.
func wholeRunes(text []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if tail := text[len(text)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return text[:len(text)-i]
			}
			break
		}
	}
	return text
}
