package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrLineTooLong stands for one line over the reader's limit. The line is gone; the next
// call of Next goes on behind it.
var ErrLineTooLong = errors.New("line is too long")

const (
	chunk    = 64 << 10 // bytes asked of the source at once: what a pipe holds
	keep     = 1 << 20  // a larger buffer is let go after the line it was needed for
	byteMark = "\uFEFF" // the byte order mark
	blanks   = " \t\r"  // white space of JSON, without the LF that ends the line
)

// A Reader cuts its source into lines at LF. It is for one goroutine.
type Reader struct {
	src     *bufio.Reader
	limit   int
	long    []byte // a line that did not fit into src, as far as it was read
	started bool   // the first line was cut, and with it any byte order mark
	err     error  // why the source ended; it stays so
}

// NewReader reads lines of at most limit bytes from r. The limit counts what Next
// returns: no LF, no CR before it, no byte order mark.
func NewReader(r io.Reader, limit int) *Reader {
	return &Reader{src: bufio.NewReaderSize(r, chunk), limit: limit}
}

// Next returns the next line, without its LF and without one CR before that. The slice is
// valid until the next call.
//
// Lines that are empty or only white space are skipped. A byte order mark is dropped from
// the first line, and only there. A last line without LF counts; io.EOF follows it. A line
// over the limit is read away and answered once with ErrLineTooLong. Any other error is the
// source's own; like io.EOF it is final, and the piece of a line before it is dropped.
func (r *Reader) Next() ([]byte, error) {
	for {
		line, err := r.cut()
		if err != nil {
			return nil, err
		}
		if len(bytes.Trim(line, blanks)) > 0 {
			return line, nil
		}
	}
}

// cut returns the next line, blank or not, or ErrLineTooLong, or the source's error.
func (r *Reader) cut() ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	line, fits, err := r.readLine()
	if err != nil {
		r.err = err
		if err != io.EOF || fits && len(line) == 0 {
			return nil, err
		}
	}
	line = r.trim(line)
	if !fits || len(line) > r.limit {
		return nil, ErrLineTooLong
	}
	return line, nil
}

// readLine reads up to and including the next LF. It keeps no more of the line than the
// limit and what trim may take off; past that fits is false and the line is empty.
func (r *Reader) readLine() (line []byte, fits bool, err error) {
	most := r.limit + len(byteMark) + len("\r\n")
	if cap(r.long) > keep {
		r.long = nil
	}
	r.long = r.long[:0]
	fits = true
	for {
		piece, err := r.src.ReadSlice('\n')
		full := err == bufio.ErrBufferFull
		if !full && len(r.long) == 0 && fits {
			return piece, true, err // the usual line: whole, and not copied
		}
		if fits && len(r.long)+len(piece) > most {
			fits, r.long = false, nil
		}
		if fits {
			r.long = appendWithin(r.long, piece, most)
		}
		if !full {
			return r.long, fits, err
		}
	}
}

// trim takes off the line's end and, on the first line, the byte order mark.
func (r *Reader) trim(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	if !r.started {
		r.started = true
		line = bytes.TrimPrefix(line, []byte(byteMark))
	}
	return line
}

// appendWithin appends piece to buf, doubling the buffer but never past most bytes, which
// hold both: append alone would take up to twice the cap.
func appendWithin(buf, piece []byte, most int) []byte {
	need := len(buf) + len(piece)
	if need > cap(buf) {
		grown := make([]byte, len(buf), min(max(need, 2*cap(buf)), most))
		copy(grown, buf)
		buf = grown
	}
	return append(buf, piece...)
}
