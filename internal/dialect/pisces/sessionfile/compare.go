package sessionfile

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/wire"
)

// errNoSession reports that a file is none of a session, or of another one. It is left as it is.
var errNoSession = errors.New("the file is not that of this session")

// A comparison holds a file against the lines that it should have.
type comparison struct {
	lines  *wire.Reader // nil: there is no file
	source lastByte
	header Header // of the file
	got    []byte // the next line of the file; nil: there is no more
	differ bool   // a line was not as it should be
	known  map[string]bool
	err    error
}

// lastByte remembers the last byte that was read.
type lastByte struct {
	io.Reader
	last byte
}

func (l *lastByte) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if n > 0 {
		l.last = p[n-1]
	}
	return n, err
}

// compareWith reads the header. An empty file is as good as none.
func compareWith(file io.Reader) *comparison {
	c := &comparison{source: lastByte{Reader: file}, known: map[string]bool{}}
	if file == nil {
		return c
	}
	c.lines = wire.NewReader(&c.source, longestEntry)
	c.read()
	if c.got == nil {
		c.lines = nil
		return c
	}
	f := fileReader{}
	obj, err := wire.ParseObject(c.got, rawjson.Options)
	if err != nil || !f.takeHeader(obj) {
		c.err = errNoSession
	}
	c.header = f.header
	c.read()
	return c
}

func (c *comparison) read() {
	line, err := c.lines.Next()
	switch {
	case err == nil:
		c.got = line
	case errors.Is(err, wire.ErrLineTooLong):
		c.got = []byte{} // it is not as it should be
	default:
		c.got = nil
		if err != io.EOF {
			c.err = err
		}
	}
}

// next takes the next line that the file should have. It is true if the file ends before it,
// and has what it should have so far.
func (c *comparison) next(id string, line jsontext.Value) (missing bool) {
	switch {
	case c.lines == nil || c.err != nil:
		return false
	case c.differ:
		c.known[id] = true
		return false
	case c.got == nil:
		return true
	case bytes.Equal(c.got, line):
		c.read()
		return false
	}
	c.differ = true
	c.known[id] = true
	return false
}

// end reports whether the file has what it should have so far, when there are no more lines.
// The error is errNoSession, ErrAhead or that of the source.
func (c *comparison) end(header Header) (same bool, err error) {
	if c.lines == nil || c.err != nil {
		return false, c.err
	}
	if c.header.ID != header.ID {
		return false, errNoSession
	}
	for ; c.got != nil && c.err == nil; c.read() {
		c.differ = true
		if e, ok := readEntry(c.got); ok && !c.known[e.ID] {
			return false, ErrAhead
		}
	}
	return !c.differ && c.source.last == '\n', c.err
}
