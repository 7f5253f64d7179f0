package file

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"strconv"

	"parley.dev/parley/internal/event"
)

// This file encodes and checks lines; the package comment describes the format.

const (
	sumSize    = 16
	hashPrefix = `,"hash":"`
	hashSuffix = `"}`
	hashLen    = len(hashPrefix) + 2*sumSize + len(hashSuffix)

	// maxLine is the maximum length of a line, in bytes. Large payloads are blobs.
	maxLine = 128 << 20
)

var brace = []byte{'}'}

// A position is a boundary between two lines of a journal.
type position struct {
	seq    uint64        // of the line before it; 0 at the start
	offset int64         // of the line after it, in bytes
	sum    [sumSize]byte // of the line before it
}

// next returns the position after a line at p that has size bytes, including its line feed.
func (p position) next(size int, sum [sumSize]byte) position {
	return position{seq: p.seq + 1, offset: p.offset + int64(size), sum: sum}
}

// A chain computes the hashes of lines. Its zero value is ready.
type chain struct {
	sha hash.Hash
	out [sha256.Size]byte
}

// sum returns the hash of a line without the hash member, which is given in two parts.
func (c *chain) sum(before [sumSize]byte, line, rest []byte) [sumSize]byte {
	if c.sha == nil {
		c.sha = sha256.New()
	}
	c.sha.Reset()
	copy(c.out[:], before[:])
	c.sha.Write(c.out[:sumSize])
	c.sha.Write(line)
	c.sha.Write(rest)
	return [sumSize]byte(c.sha.Sum(c.out[:0]))
}

// appendLine appends the line of rec at the position at, numbers the record, and returns the
// position after it.
func (c *chain) appendLine(dst []byte, rec event.Record, at position) ([]byte, position, error) {
	rec.Seq = at.seq + 1
	if err := checkStorable(rec); err != nil {
		return dst, at, err
	}
	start := len(dst)
	dst, err := rec.AppendJSON(dst)
	if err != nil {
		return dst, at, err
	}
	line := dst[start:]
	if bytes.IndexByte(line, '\n') >= 0 {
		return dst, at, fmt.Errorf("record of kind %s contains a line feed", rec.Event.Kind())
	}
	if len(line)+hashLen > maxLine {
		return dst, at, fmt.Errorf("record of kind %s has %d bytes; at most %d fit, the rest belongs into blobs", rec.Event.Kind(), len(line), maxLine-hashLen)
	}
	sum := c.sum(at.sum, line, nil)
	dst = append(appendSum(dst[:len(dst)-1], sum), '\n')
	return dst, at.next(len(dst)-start, sum), nil
}

// appendSum appends the hash member, and the end of the object.
func appendSum(dst []byte, sum [sumSize]byte) []byte {
	dst = append(dst, hashPrefix...)
	dst = hex.AppendEncode(dst, sum[:])
	return append(dst, hashSuffix...)
}

// checkStorable returns an error for a record that could not be decoded again.
func checkStorable(rec event.Record) error {
	if rec.Event == nil {
		return errors.New("record without an event")
	}
	kind := rec.Event.Kind()
	if !kind.Durable() {
		return fmt.Errorf("events of kind %s are not stored", kind)
	}
	if first := rec.Seq == 1; first != (kind == event.KindSessionCreated) {
		return fmt.Errorf("%s cannot be record %d: the first record, and no other, is %s", kind, rec.Seq, event.KindSessionCreated)
	}
	if year := rec.Time.UTC().Year(); year < 0 || year > 9999 {
		return fmt.Errorf("record of the year %d", year)
	}
	if unknown, ok := rec.Event.(event.Unknown); ok && !unknown.Data.IsValid() {
		return fmt.Errorf("data of kind %s is not JSON", kind)
	}
	return nil
}

// check returns the hash of the line at position at, given without its line feed, and what is wrong
// with the line; "" if it is good.
func (c *chain) check(line []byte, at position) (sum [sumSize]byte, wrong string) {
	if len(line) > maxLine {
		return sum, "the line is too long"
	}
	if !hasHash(line) {
		return sum, "the line has no hash"
	}
	body := line[:len(line)-hashLen]
	sum = c.sum(at.sum, body, brace)
	var member [hashLen]byte
	if !bytes.Equal(appendSum(member[:0], sum), line[len(body):]) {
		return sum, "wrong hash"
	}
	var number [32]byte
	prefix := append(strconv.AppendUint(append(number[:0], `{"seq":`...), at.seq+1, 10), ',')
	if !bytes.HasPrefix(body, prefix) {
		return sum, "wrong record number"
	}
	return sum, ""
}

// hasHash reports whether a line has a hash member, right or wrong, at its end.
func hasHash(line []byte) bool {
	start := len(line) - hashLen
	return start > 0 && bytes.HasPrefix(line[start:], []byte(hashPrefix))
}

// kindOf returns the kind of a good line.
func kindOf(line []byte) event.Kind { return event.Kind(member(line, `,"kind":"`)) }

// timeOf returns the time of a good line, unparsed.
func timeOf(line []byte) []byte { return member(line, `,"time":"`) }

// member returns a string member before the data of a good line. Its name cannot occur earlier:
// within another string the quotes would be escaped.
func member(line []byte, name string) []byte {
	_, rest, _ := bytes.Cut(line, []byte(name))
	value, _, _ := bytes.Cut(rest, []byte{'"'})
	return value
}
