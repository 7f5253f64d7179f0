package sse

import (
	"bytes"
	"errors"
	"io"
)

// MaxEvent is the longest event a Reader takes, in bytes: a wire's last event may repeat
// the whole answer.
const MaxEvent = 32 << 20

// readSize is the first size of a Reader's buffer, in bytes.
const readSize = 8 << 10

var errTooLong = errors.New("an event is longer than 32 MiB")

var byteOrderMark = []byte("\uFEFF")

// An Event is what stood between two blank lines of a stream. Data is valid until the
// next call of Next.
type Event struct {
	Name string // of its "event" field; may be ""
	Data []byte // its "data" lines, joined by LF; never empty
}

// A Reader cuts a text/event-stream into events (WHATWG HTML, "Server-sent events").
// Other than there, an event at the end of the stream needs no blank line after it:
// gateways forget it. A line that is a JSON object is an event, too.
type Reader struct {
	src  io.Reader
	buf  []byte // buf[pos:end] was read and is not yet cut
	pos  int
	end  int
	err  error // of src, after what is in buf
	name string
	data []byte

	started bool // the first line was cut, and its byte order mark dropped
	skipLF  bool // the last line ended with CR: a LF right after it belongs to it
}

// NewReader returns a Reader of src.
func NewReader(src io.Reader) *Reader { return &Reader{src: src, buf: make([]byte, readSize)} }

// Next returns the next event that has data. Its error is io.EOF at the end of the stream,
// or src's.
func (r *Reader) Next() (Event, error) {
	name, lines := "", 0
	r.data = r.data[:0]
	for {
		line, err := r.line()
		if err != nil && (err != io.EOF || lines == 0) {
			return Event{}, err
		}
		if len(line) == 0 {
			if lines > 0 && len(r.data) > 0 {
				return Event{Name: name, Data: r.data}, nil
			}
			name, lines = "", 0
			if err != nil {
				return Event{}, err
			}
			continue
		}
		if line[0] == '{' && lines == 0 {
			return Event{Name: name, Data: line}, nil // newline-delimited JSON, of gateways: no field begins so
		}
		field, value, _ := bytes.Cut(line, []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		switch string(field) {
		case "event":
			name = r.intern(value)
		case "data":
			if lines++; lines > 1 {
				r.data = append(r.data, '\n')
			}
			r.data = append(r.data, value...)
			if len(r.data) > MaxEvent {
				return Event{}, errTooLong
			}
		}
	}
}

// intern returns name as a string; streams repeat theirs, so the last one is kept.
func (r *Reader) intern(name []byte) string {
	if string(name) != r.name {
		r.name = string(name)
	}
	return r.name
}

// line returns the next line without its end, valid until the next call. A last line needs no end.
func (r *Reader) line() ([]byte, error) {
	scanned := 0
	for {
		r.skipHalf()
		if i := lineEnd(r.buf[r.pos+scanned : r.end]); i >= 0 {
			return r.cut(scanned+i, 1), nil
		}
		scanned = r.end - r.pos
		switch {
		case r.err == io.EOF && scanned > 0:
			return r.cut(scanned, 0), nil
		case r.err != nil:
			return nil, r.err
		case scanned > MaxEvent:
			return nil, errTooLong
		}
		r.fill()
	}
}

// cut takes n bytes as a line, and drops the end bytes after them.
func (r *Reader) cut(n, end int) []byte {
	line := r.buf[r.pos : r.pos+n]
	r.pos += n + end
	r.skipLF = end > 0 && r.buf[r.pos-1] == '\r'
	if !r.started {
		r.started = true
		line = bytes.TrimPrefix(line, byteOrderMark)
	}
	return line
}

// skipHalf drops the second half of a CRLF whose first half ended the last line.
func (r *Reader) skipHalf() {
	if r.skipLF && r.pos < r.end {
		r.skipLF = false
		if r.buf[r.pos] == '\n' {
			r.pos++
		}
	}
}

// lineEnd returns where the first CR or LF of b is; -1: nowhere.
func lineEnd(b []byte) int {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		b = b[:i+1]
	}
	if i := bytes.IndexByte(b, '\r'); i >= 0 {
		return i
	}
	if len(b) > 0 && b[len(b)-1] == '\n' {
		return len(b) - 1
	}
	return -1
}

// fill reads once more, after what is left in the buffer.
func (r *Reader) fill() {
	if r.pos > 0 {
		copy(r.buf, r.buf[r.pos:r.end])
		r.pos, r.end = 0, r.end-r.pos
	}
	if r.end == len(r.buf) {
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	n, err := r.src.Read(r.buf[r.end:])
	r.end += n
	r.err = err
}
