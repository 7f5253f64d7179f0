package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrLineTooLong reports a line over the reader's limit. The next call of Next continues after that
// line.
var ErrLineTooLong = errors.New("line is too long")

const (
	firstSize     = 1 << 10  // bytes per read of the source, until a line is longer: idle clients need no more
	readSize      = 64 << 10 // bytes per read at most: the capacity of a pipe
	growth        = 4        // of the reads, with each line that is longer
	maxIdleBuffer = 1 << 20  // a larger buffer is released after the line that needed it
	maxPrefix     = 4 << 10  // bytes that Next returns of a line over the limit
	byteOrderMark = "\uFEFF" // the byte order mark
	whiteSpace    = " \t\r"  // white space of JSON, without the LF that ends the line
)

// A Reader splits its source into lines at LF. It must be used by one goroutine only.
type Reader struct {
	from    io.Reader
	src     *bufio.Reader // of from
	size    int           // of the largest buffer of src
	limit   int
	long    []byte // the bytes read of a line that did not fit into the buffer of src
	started bool   // the first line was read, and a byte order mark removed
	err     error  // why the source ended; it is final
}

// NewReader returns a Reader of lines of at most limit bytes from r. The limit counts what Next
// returns: no LF, no CR before it, no byte order mark.
func NewReader(r io.Reader, limit int) *Reader {
	return &Reader{from: r, src: bufio.NewReaderSize(r, firstSize), size: readSize, limit: limit}
}

// Next returns the next line, without its LF and without one CR before that. The slice is
// valid until the next call.
//
// Lines that are empty or only white space are skipped. A byte order mark is dropped from
// the first line, and only there. A last line without LF counts; io.EOF follows it. A line
// over the limit is skipped, and reported once with ErrLineTooLong and the beginning of the line.
// Any other error is that of the source; like io.EOF it is final, and an incomplete line before
// it is dropped.
func (r *Reader) Next() ([]byte, error) {
	for {
		line, err := r.readLineOrPrefix()
		if err != nil {
			return line, err
		}
		if len(bytes.Trim(line, whiteSpace)) > 0 {
			return line, nil
		}
	}
}

// readLineOrPrefix returns the next line, blank or not; or the beginning of a line and
// ErrLineTooLong; or the source's error.
func (r *Reader) readLineOrPrefix() ([]byte, error) {
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
		return line[:min(len(line), maxPrefix)], ErrLineTooLong
	}
	return line, nil
}

// readLine reads up to and including the next LF. It stores no more of the line than the limit and
// what trim may remove; if the line is longer, fits is false and line is its beginning.
func (r *Reader) readLine() (line []byte, fits bool, err error) {
	maxLen := r.limit + len(byteOrderMark) + len("\r\n")
	if cap(r.long) > maxIdleBuffer {
		r.long = nil
	}
	r.long = r.long[:0]
	fits = true
	for {
		piece, err := r.src.ReadSlice('\n')
		full := err == bufio.ErrBufferFull
		if !full && len(r.long) == 0 && fits {
			return piece, true, err // the usual case: a complete line, not copied
		}
		if fits && len(r.long)+len(piece) > maxLen {
			fits = false
			r.long = firstBytes(r.long, piece, min(maxPrefix, maxLen))
		}
		if fits {
			r.long = appendWithin(r.long, piece, maxLen)
		}
		if full && r.src.Size() < r.size { // nothing is in the buffer but piece
			r.src = bufio.NewReaderSize(r.from, min(growth*r.src.Size(), r.size))
		}
		if !full {
			return r.long, fits, err
		}
	}
}

// trim removes the line's end and, from the first line, the byte order mark.
func (r *Reader) trim(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	if !r.started {
		r.started = true
		line = bytes.TrimPrefix(line, []byte(byteOrderMark))
	}
	return line
}

// appendWithin appends piece to buf. It doubles the buffer, but never beyond maxLen bytes, which are
// enough for both: append alone could allocate twice as much.
func appendWithin(buf, piece []byte, maxLen int) []byte {
	need := len(buf) + len(piece)
	if need > cap(buf) {
		grown := make([]byte, len(buf), min(max(need, 2*cap(buf)), maxLen))
		copy(grown, buf)
		buf = grown
	}
	return append(buf, piece...)
}

// firstBytes returns at most the first n bytes of buf and piece, in a buffer of that size.
func firstBytes(buf, piece []byte, n int) []byte {
	start := append(make([]byte, 0, n), buf[:min(len(buf), n)]...)
	return append(start, piece[:min(len(piece), n-len(start))]...)
}
