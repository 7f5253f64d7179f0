package file

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// errTorn says that the last line is not whole.
var errTorn = errors.New("torn line")

// How much is read at once, in bytes: little at first, for the many short journals.
const (
	firstRead = 16 << 10
	fullRead  = 256 << 10
)

// A scanner cuts a journal into lines and checks each.
type scanner struct {
	src   io.ReaderAt
	path  string   // for errors
	limit int64    // what stands behind this offset does not count
	at    position // behind the last line that next gave
	chain chain

	buf        []byte
	start, end int // buf[start:end] is what follows at, as far as it was read
}

// newScanner scans src from at on.
func newScanner(src io.ReaderAt, path string, at position) *scanner {
	return &scanner{src: src, path: path, limit: math.MaxInt64, at: at}
}

// next gives the next line, good and without its line feed, until the next call. At the
// end it gives io.EOF, or errTorn if something stands there that is not a whole line; a
// later call then looks again. The other errors are *journal.DamageError and those of reading.
func (s *scanner) next() ([]byte, error) {
	line, whole, err := s.cut()
	if err != nil {
		return nil, err
	}
	if !whole {
		return nil, s.tail(line)
	}
	sum, wrong := s.chain.check(line, s.at)
	if wrong == "" && s.at.seq == 0 && kindOf(line) != event.KindSessionCreated {
		wrong = "the first record is not " + string(event.KindSessionCreated)
	}
	if wrong != "" {
		return nil, s.refuse(line, wrong)
	}
	s.at = s.at.behind(len(line)+1, sum)
	s.start += len(line) + 1
	return line, nil
}

// refuse judges a bad line that has a line feed. It is torn only if it is the last one and
// ends before its hash, in the middle of its JSON.
func (s *scanner) refuse(line []byte, wrong string) error {
	if s.at.seq == 0 || hashed(line) || !incomplete(line) {
		return s.damage(wrong)
	}
	last, err := s.last(len(line) + 1)
	if err != nil {
		return err
	}
	if !last {
		return s.damage(wrong)
	}
	s.forget()
	return errTorn
}

// tail judges what stands behind the last line feed.
func (s *scanner) tail(rest []byte) error {
	defer s.forget()
	switch {
	case s.at.seq == 0:
		return s.damage("there is no first record")
	case len(rest) == 0:
		return io.EOF
	case len(rest) > maxLine:
		return s.damage("the line is too long")
	}
	// A write that was cut short ends before the line feed; it puts nothing else there.
	if _, wrong := s.chain.check(rest[:len(rest)-1], s.at); wrong == "" {
		return s.damage("another byte stands in place of the line feed")
	}
	return errTorn
}

// cut gives the next line without its line feed; without whole, it is what stands behind
// the last line feed.
func (s *scanner) cut() (line []byte, whole bool, err error) {
	for searched := 0; ; {
		unread := s.buf[s.start:s.end]
		if i := bytes.IndexByte(unread[searched:], '\n'); i >= 0 {
			return unread[:searched+i], true, nil
		}
		searched = len(unread)
		if searched > maxLine {
			return unread, false, nil
		}
		more, err := s.fill()
		if err != nil || !more {
			return s.buf[s.start:s.end], false, err
		}
	}
}

// fill reads on; false: there is nothing more.
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
	offset := s.at.offset + int64(s.end)
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

// last says whether nothing stands behind the next size bytes.
func (s *scanner) last(size int) (bool, error) {
	if s.end-s.start > size {
		return false, nil
	}
	more, err := s.fill()
	return !more, err
}

// forget drops what was read ahead, and its memory: it may change until the next call.
func (s *scanner) forget() { s.buf, s.start, s.end = nil, 0, 0 }

func (s *scanner) damage(reason string) error {
	return &journal.DamageError{Path: s.path, Offset: s.at.offset, Seq: s.at.seq + 1, Reason: reason}
}

// incomplete says whether line is the beginning of a JSON value, but not all of it.
func incomplete(line []byte) bool {
	_, err := jsontext.NewDecoder(bytes.NewReader(line)).ReadValue()
	return errors.Is(err, io.ErrUnexpectedEOF)
}
