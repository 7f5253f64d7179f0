package sse

import (
	"encoding/base64"
	"io"
)

// A Picture is a string of a request: Prefix, then Data in base64. Data is encoded while it is sent,
// so that it is never copied.
type Picture struct {
	Prefix string
	Data   []byte
}

// An encoded reads data as base64.
type encoded struct {
	data []byte
	rest []byte // of last, which did not fit
	last [4]byte
}

func encodedSize(data []byte) int64 { return int64(base64.StdEncoding.EncodedLen(len(data))) }

func (e *encoded) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(e.rest) > 0 {
		n := copy(p, e.rest)
		e.rest = e.rest[n:]
		return n, nil
	}
	if len(e.data) == 0 {
		return 0, io.EOF
	}
	take := e.data[:min(len(e.data), max(len(p)/4, 1)*3)]
	e.data = e.data[len(take):]
	if len(p) < 4 {
		base64.StdEncoding.Encode(e.last[:], take)
		e.rest = e.last[:]
		return e.Read(p)
	}
	base64.StdEncoding.Encode(p, take)
	return base64.StdEncoding.EncodedLen(len(take)), nil
}
