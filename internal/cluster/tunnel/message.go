package tunnel

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A kind is what a message means.
type kind byte

const (
	kindData  kind = 'd' // bytes of the stream
	kindEnd   kind = 'e' // no more bytes come
	kindClose kind = 'c' // the sender neither sends nor reads any more
	kindPing  kind = 'p' // the sender lives; it has no number of its own
)

// A message is one of a tunnel. Those that are no pings are numbered from 1 on.
type message struct {
	kind   kind
	number uint64 // its own, or in a ping that of the last numbered one before it
	taken  uint64 // the bytes that the sender's user has read
	data   []byte
}

const (
	headSize = 17
	// maxData is how many bytes of the stream a message can have.
	maxData = 64 << 10
)

var errMalformed = errors.New("malformed message")

// append appends the form of a message on the wire.
func (m message) append(b []byte) []byte {
	b = append(b, byte(m.kind))
	b = binary.BigEndian.AppendUint64(b, m.number)
	b = binary.BigEndian.AppendUint64(b, m.taken)
	return append(b, m.data...)
}

// decode is the reverse of append. The data is a part of b.
func decode(b []byte) (message, error) {
	if len(b) < headSize || len(b) > headSize+maxData {
		return message{}, fmt.Errorf("%w of %d bytes", errMalformed, len(b))
	}
	m := message{kind(b[0]), binary.BigEndian.Uint64(b[1:]), binary.BigEndian.Uint64(b[9:]), b[headSize:]}
	switch m.kind {
	case kindData:
		if len(m.data) == 0 {
			return message{}, fmt.Errorf("%w without data", errMalformed)
		}
	case kindEnd, kindClose, kindPing:
		if len(m.data) > 0 {
			return message{}, fmt.Errorf("%w with data", errMalformed)
		}
	default:
		return message{}, fmt.Errorf("%w of kind %q", errMalformed, m.kind)
	}
	return m, nil
}
