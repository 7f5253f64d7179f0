package file

import (
	"bytes"
	"errors"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/chain"
)

// errTorn reports that the last line is incomplete.
var errTorn = errors.New("torn line")

// The sizes of reads, in bytes: small at first, since many journals are short.
const (
	firstRead = 16 << 10
	fullRead  = 256 << 10
)

// A scanner splits a journal into lines and checks each.
type scanner struct {
	src   io.ReaderAt
	path  string         // for errors
	limit int64          // bytes from this offset on are ignored
	at    chain.Position // after the last line that next returned
	chain chain.Hasher

	buf        []byte
	start, end int // buf[start:end] are the bytes after at that were read
}

// newScanner returns a scanner of src from at on.
func newScanner(src io.ReaderAt, path string, at chain.Position) *scanner {
	return &scanner{src: src, path: path, limit: math.MaxInt64, at: at}
}

// verifyEnd returns an error unless the line that ends at a position is still the same; its hash
// verifies all lines before it.
func (s *scanner) verifyEnd(at chain.Position) error {
	if at.Seq == 0 {
		return nil
	}
	want := append(chain.AppendHash(nil, at.Sum), '\n')
	found := make([]byte, len(want))
	_, err := s.src.ReadAt(found, at.Offset-int64(len(want)))
	if err != nil && err != io.EOF {
		return err
	}
	if !bytes.Equal(found, want) {
		return s.damage("records that stood here are gone")
	}
	return nil
}

// next returns the next line, checked and without its line feed, valid until the next call. At the
// end it returns io.EOF, or errTorn if the last line is incomplete; a later call then reads again.
// Other errors are *journal.DamageError and those of reading.
func (s *scanner) next() ([]byte, error) {
	line, whole, err := s.nextLine()
	if err != nil {
		return nil, err
	}
	if !whole {
		return nil, s.classifyRest(line)
	}
	sum, wrong := s.chain.Check(line, s.at)
	if wrong == "" && s.at.Seq == 0 && chain.KindOf(line) != event.KindSessionCreated {
		wrong = "the first record is not " + string(event.KindSessionCreated)
	}
	if wrong != "" {
		return nil, s.classifyBadLine(line, wrong)
	}
	s.at = s.at.Next(len(line)+1, sum)
	s.start += len(line) + 1
	return line, nil
}

// classifyBadLine returns the error for a bad line that ends in a line feed. It is errTorn only if
// the line is the last one and ends before its hash, in the middle of its JSON.
func (s *scanner) classifyBadLine(line []byte, wrong string) error {
	if s.at.Seq == 0 || chain.HasHash(line) || !incomplete(line) {
		return s.damage(wrong)
	}
	last, err := s.isLast(len(line) + 1)
	if err != nil {
		return err
	}
	if !last {
		return s.damage(wrong)
	}
	s.discardBuffer()
	return errTorn
}

// classifyRest returns the error for the bytes after the last line feed.
func (s *scanner) classifyRest(rest []byte) error {
	defer s.discardBuffer()
	switch {
	case s.at.Seq == 0:
		return s.damage("there is no first record")
	case len(rest) == 0:
		return io.EOF
	case len(rest) > chain.MaxLen:
		return s.damage("the line is too long")
	}
	// An incomplete write ends before the line feed; it writes no other byte in its place.
	if _, wrong := s.chain.Check(rest[:len(rest)-1], s.at); wrong == "" {
		return s.damage("another byte stands in place of the line feed")
	}
	return errTorn
}

// nextLine returns the next line without its line feed. If whole is false, line contains the bytes
// after the last line feed.
func (s *scanner) nextLine() (line []byte, whole bool, err error) {
	for searched := 0; ; {
		unread := s.buf[s.start:s.end]
		if i := bytes.IndexByte(unread[searched:], '\n'); i >= 0 {
			return unread[:searched+i], true, nil
		}
		searched = len(unread)
		if searched > chain.MaxLen {
			return unread, false, nil
		}
		more, err := s.fill()
		if err != nil || !more {
			return s.buf[s.start:s.end], false, err
		}
	}
}

// fill reads more bytes; it returns false at the end.
func (s *scanner) fill() (bool, error) {
	unread := s.buf[s.start:s.end]
	room := max(firstRead, min(2*cap(s.buf), fullRead), 2*len(unread))
	if room > cap(s.buf) {
		s.buf = append(slices.Grow([]byte(nil), room), unread...)
	} else {
		copy(s.buf[:cap(s.buf)], unread)
	}
	s.buf = s.buf[:cap(s.buf)]
	s.start, s.end = 0, len(unread)
	offset := s.at.Offset + int64(s.end)
	into := s.buf[s.end:]
	if left := s.limit - offset; int64(len(into)) > left {
		into = into[:max(left, 0)]
	}
	n, err := s.src.ReadAt(into, offset)
	s.end += n
	if err == io.EOF {
		err = nil
	}
	return n > 0, err
}

// isLast reports whether there is nothing after the next size bytes.
func (s *scanner) isLast(size int) (bool, error) {
	if s.end-s.start > size {
		return false, nil
	}
	more, err := s.fill()
	return !more, err
}

// discardBuffer discards the bytes that were read ahead, which may change until the next call.
func (s *scanner) discardBuffer() { s.buf, s.start, s.end = nil, 0, 0 }

// rewind makes next read from a position on again.
func (s *scanner) rewind(at chain.Position) {
	s.at = at
	s.discardBuffer()
}

func (s *scanner) damage(reason string) error {
	id := event.SessionID(filepath.Base(filepath.Dir(s.path)))
	return &journal.DamageError{ID: id, Path: s.path, Offset: s.at.Offset, Seq: s.at.Seq + 1, Reason: reason}
}

// incomplete reports whether line is the beginning of a JSON value, but not all of it.
func incomplete(line []byte) bool {
	_, err := jsontext.NewDecoder(bytes.NewReader(line)).ReadValue()
	return errors.Is(err, io.ErrUnexpectedEOF)
}
