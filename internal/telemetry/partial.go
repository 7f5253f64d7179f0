package telemetry

import (
	"encoding/binary"
	"iter"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// partialSuccess returns how many spans or data points a collector has rejected, and why, as its response to a request says.
// Both responses have the same form: a message with the field partial_success, which has a number and a text.
func partialSuccess(response []byte, isJSON bool) (rejected int64, reason string) {
	if isJSON {
		return partialJSON(response)
	}
	message, ok := field(response, 1)
	if !ok {
		return 0, ""
	}
	text, _ := field(message, 2)
	return number(message, 1), string(text)
}

// partialJSON is partialSuccess of a response in JSON.
func partialJSON(response []byte) (rejected int64, reason string) {
	var r struct {
		Partial struct {
			Spans  jsontext.Value `json:"rejectedSpans"`
			Points jsontext.Value `json:"rejectedDataPoints"`
			Reason string         `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(response, &r) != nil {
		return 0, ""
	}
	for _, n := range []jsontext.Value{r.Partial.Spans, r.Partial.Points} { // 64 bits are a string in the JSON form of protobuf
		if value, err := strconv.ParseInt(strings.Trim(string(n), `"`), 10, 64); err == nil {
			rejected += value
		}
	}
	return rejected, r.Partial.Reason
}

// Wire types of protobuf.
const (
	varint          = 0
	fixed64         = 1
	lengthDelimited = 2
	fixed32         = 5
)

// A protoField is a field of a message in the encoding of protobuf.
type protoField struct {
	number, kind uint64
	value        []byte
}

// field returns the first field of a message with that number and a length; false: there is none.
func field(message []byte, want uint64) ([]byte, bool) {
	for f := range fields(message) {
		if f.number == want && f.kind == lengthDelimited {
			return f.value, true
		}
	}
	return nil, false
}

// number returns the first field of a message with that number that is a varint; 0: there is none.
func number(message []byte, want uint64) int64 {
	for f := range fields(message) {
		if f.number == want && f.kind == varint {
			n, _ := binary.Uvarint(f.value)
			return int64(n) //nolint:gosec // it is two's complement
		}
	}
	return 0
}

// fields yields the fields of a message, up to what is malformed.
func fields(message []byte) iter.Seq[protoField] {
	return func(yield func(protoField) bool) {
		for len(message) > 0 {
			tag, n := binary.Uvarint(message)
			if n <= 0 {
				return
			}
			message = message[n:]
			var skip, size int // of the length, and of the value
			switch tag & 7 {
			case varint:
				if _, size = binary.Uvarint(message); size <= 0 {
					return
				}
			case fixed64:
				size = 8
			case fixed32:
				size = 4
			case lengthDelimited:
				length, n := binary.Uvarint(message)
				if n <= 0 || length > uint64(len(message)) {
					return
				}
				skip, size = n, int(length) //nolint:gosec // it is not above the length of message
			default:
				return
			}
			if skip+size > len(message) || !yield(protoField{tag >> 3, tag & 7, message[skip : skip+size]}) {
				return
			}
			message = message[skip+size:]
		}
	}
}
