package wire

import (
	"bytes"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// A cursor reads one JSON text and returns its parts as slices of that text.
type cursor struct {
	text []byte
	src  bytes.Buffer // text again: of a bytes.Buffer the decoder makes no copy
	dec  jsontext.Decoder
}

var cursors = sync.Pool{New: func() any { return new(cursor) }}

// openCursor returns a cursor at the start of text. The caller closes it.
func openCursor(text []byte, duplicates bool) *cursor {
	c := cursors.Get().(*cursor)
	c.text, c.src = text, *bytes.NewBuffer(text)
	c.dec.Reset(&c.src, jsontext.AllowDuplicateNames(duplicates))
	return c
}

// close releases the text and returns the cursor to the pool.
func (c *cursor) close() {
	c.text, c.src = nil, bytes.Buffer{}
	c.dec.Reset(&c.src)
	cursors.Put(c)
}

// delimiter reads past one of { } [ ].
func (c *cursor) delimiter() error {
	_, err := c.dec.ReadToken()
	return err
}

// value reads the next whole value or member name.
func (c *cursor) value() (jsontext.Value, error) {
	value, err := c.dec.ReadValue()
	if err != nil {
		return nil, err
	}
	end := int(c.dec.InputOffset())
	return c.text[end-len(value) : end : end], nil
}

// nextIs reports whether the next token is of this kind. It returns false at an error, which the
// next read returns.
func (c *cursor) nextIs(kind jsontext.Kind) bool { return c.dec.PeekKind() == kind }

// rest returns the text after what was read.
func (c *cursor) rest() []byte { return c.text[c.dec.InputOffset():] }
