// Package chain encodes and checks the lines of journals, whose format docs/journal.md describes: one
// record each, with a hash that covers all lines before it. Every driver stores these bytes. It does not
// know where they are stored.
package chain

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

const (
	// HashSize is the size of the hash of a line, in bytes.
	HashSize = 16

	hashPrefix = `,"hash":"`
	hashSuffix = `"}`
	hashLen    = len(hashPrefix) + 2*HashSize + len(hashSuffix)

	// MaxLen is the maximum length of a line, in bytes. Large payloads are blobs.
	MaxLen = 128 << 20
)

var brace = []byte{'}'}

// A HashSum is the hash of a line.
type HashSum = [HashSize]byte

// A Position is a boundary between two lines of a journal.
type Position struct {
	Seq    uint64  // of the line before it; 0 at the start
	Offset int64   // of the line after it, in bytes
	Sum    HashSum // of the line before it
}

// Next returns the position after a line at p that has size bytes, including its line feed.
func (p Position) Next(size int, sum HashSum) Position {
	return Position{Seq: p.Seq + 1, Offset: p.Offset + int64(size), Sum: sum}
}

// A Hasher computes the hashes of lines. Its zero value is ready.
type Hasher struct {
	sha hash.Hash
	out [sha256.Size]byte
}

// sum returns the hash of a line without the hash member, which is given in two parts.
func (c *Hasher) sum(before HashSum, line, rest []byte) HashSum {
	if c.sha == nil {
		c.sha = sha256.New()
	}
	c.sha.Reset()
	copy(c.out[:], before[:])
	c.sha.Write(c.out[:HashSize])
	c.sha.Write(line)
	c.sha.Write(rest)
	return HashSum(c.sha.Sum(c.out[:0]))
}

// Append appends the line of rec at the position at, numbers the record, and returns the
// position after it.
func (c *Hasher) Append(dst []byte, rec event.Record, at Position) ([]byte, Position, error) {
	rec.Seq = at.Seq + 1
	if err := checkStorable(rec); err != nil {
		return dst, at, err
	}
	if stored, ok := rec.Event.(event.Stored); ok {
		return c.appendStored(dst, stored.Line, at)
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
	if len(line)+hashLen > MaxLen {
		return dst, at, fmt.Errorf("record of kind %s has %d bytes; at most %d fit, the rest belongs into blobs", rec.Event.Kind(), len(line), MaxLen-hashLen)
	}
	sum := c.sum(at.Sum, line, nil)
	dst = append(AppendHash(dst[:len(dst)-1], sum), '\n')
	return dst, at.Next(len(dst)-start, sum), nil
}

// appendStored appends a line of another journal, which must be the one that belongs at this position.
func (c *Hasher) appendStored(dst, line []byte, at Position) ([]byte, Position, error) {
	sum, wrong := c.Check(line, at)
	if wrong == "" && bytes.IndexByte(line, '\n') >= 0 {
		wrong = "the line contains a line feed"
	}
	if wrong != "" {
		return dst, at, fmt.Errorf("line %d of another journal: %s", at.Seq+1, wrong)
	}
	dst = append(append(dst, line...), '\n')
	return dst, at.Next(len(line)+1, sum), nil
}

// AppendHash appends the hash member, and the end of the object.
func AppendHash(dst []byte, sum HashSum) []byte {
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

// Check returns the hash of the line at Position at, given without its line feed, and what is wrong
// with the line; "" if it is good.
func (c *Hasher) Check(line []byte, at Position) (sum HashSum, wrong string) {
	if len(line) > MaxLen {
		return sum, "the line is too long"
	}
	if !HasHash(line) {
		return sum, "the line has no hash"
	}
	body := line[:len(line)-hashLen]
	sum = c.sum(at.Sum, body, brace)
	var member [hashLen]byte
	if !bytes.Equal(AppendHash(member[:0], sum), line[len(body):]) {
		return sum, "wrong hash"
	}
	var number [32]byte
	prefix := append(strconv.AppendUint(append(number[:0], `{"seq":`...), at.Seq+1, 10), ',')
	if !bytes.HasPrefix(body, prefix) {
		return sum, "wrong record number"
	}
	return sum, ""
}

// HasHash reports whether a line has a hash member, right or wrong, at its end.
func HasHash(line []byte) bool {
	start := len(line) - hashLen
	return start > 0 && bytes.HasPrefix(line[start:], []byte(hashPrefix))
}

// KindOf returns the kind of a good line.
func KindOf(line []byte) event.Kind { return event.Kind(member(line, `,"kind":"`)) }

// TimeOf returns the time of a good line, unparsed.
func TimeOf(line []byte) []byte { return member(line, `,"time":"`) }

// member returns a string member before the data of a good line. Its name cannot occur earlier:
// within another string the quotes would be escaped.
func member(line []byte, name string) []byte {
	_, rest, _ := bytes.Cut(line, []byte(name))
	value, _, _ := bytes.Cut(rest, []byte{'"'})
	return value
}
