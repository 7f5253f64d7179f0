package otlp

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
)

// An ID is that of a trace or a span, in hexadecimal digits in JSON.
type ID []byte

// String returns the digits.
func (id ID) String() string { return hex.EncodeToString(id) }

// MarshalText implements encoding.TextMarshaler.
func (id ID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (id *ID) UnmarshalText(text []byte) (err error) {
	*id, err = hex.AppendDecode(nil, text)
	return err
}

// A Count is a number of an array of them, which are strings in JSON.
type Count uint64

// MarshalText implements encoding.TextMarshaler.
func (c Count) MarshalText() ([]byte, error) { return strconv.AppendUint(nil, uint64(c), 10), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *Count) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 10, 64)
	*c = Count(n)
	return err
}

// JSON returns a message, a pointer to a struct of this package, in the JSON of OTLP.
func JSON(message any) ([]byte, error) { return json.Marshal(message) }

// Protobuf returns a message, a pointer to a struct of this package, in the encoding of Protocol Buffers.
func Protobuf(message any) []byte { return appendMessage(nil, reflect.ValueOf(message).Elem()) }

// The kinds of fields on the wire.
const (
	varint  = 0
	fixed64 = 1
	length  = 2
	fixed32 = 5
)

// A field is a field of a message.
type field struct {
	index, number int
	fixed         bool
}

// fieldsOf returns the fields of a type, in the order of their numbers.
func fieldsOf(t reflect.Type) []field {
	if cached, ok := types.Load(t); ok {
		return cached.([]field)
	}
	var all []field
	for i := range t.NumField() {
		number, options, _ := strings.Cut(t.Field(i).Tag.Get("pb"), ",")
		n, err := strconv.Atoi(number)
		if err != nil {
			panic(fmt.Sprintf("otlp: the field %s of %s has no number", t.Field(i).Name, t))
		}
		all = append(all, field{i, n, options == "fixed"})
	}
	types.Store(t, all)
	return all
}

var types sync.Map // of []field by reflect.Type

func appendMessage(b []byte, message reflect.Value) []byte {
	for _, f := range fieldsOf(message.Type()) {
		b = f.append(b, message.Field(f.index))
	}
	return b
}

// append appends a field, unless it is empty.
func (f field) append(b []byte, v reflect.Value) []byte {
	switch {
	case v.Kind() == reflect.Pointer:
		if v.IsNil() {
			return b
		}
		return f.appendValue(b, v.Elem())
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		for i := range v.Len() {
			b = f.appendValue(b, v.Index(i))
		}
		return b
	case v.Kind() == reflect.Slice && v.Len() > 0 && v.Type().Elem().Kind() != reflect.Uint8:
		return f.appendPacked(b, v)
	case v.IsZero() && v.Kind() != reflect.Struct || v.Kind() == reflect.Slice && v.Len() == 0:
		return b
	}
	return f.appendValue(b, v)
}

func (f field) appendValue(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Struct:
		return f.appendBytes(b, appendMessage(nil, v))
	case reflect.String:
		return f.appendBytes(b, []byte(v.String()))
	case reflect.Slice:
		return f.appendBytes(b, v.Bytes())
	case reflect.Bool:
		if v.Bool() {
			return append(f.appendTag(b, varint), 1)
		}
		return append(f.appendTag(b, varint), 0)
	case reflect.Float64:
		return binary.LittleEndian.AppendUint64(f.appendTag(b, fixed64), math.Float64bits(v.Float()))
	}
	bits := v.Type().Bits()
	var n uint64
	if v.CanInt() {
		n = uint64(v.Int()) //nolint:gosec // it is two's complement on the wire
	} else {
		n = v.Uint()
	}
	switch {
	case f.fixed && bits == 32:
		return binary.LittleEndian.AppendUint32(f.appendTag(b, fixed32), uint32(n)) //nolint:gosec // it has 32 bits
	case f.fixed:
		return binary.LittleEndian.AppendUint64(f.appendTag(b, fixed64), n)
	}
	return binary.AppendUvarint(f.appendTag(b, varint), n)
}

// appendPacked appends a list of numbers, each of 8 bytes.
func (f field) appendPacked(b []byte, v reflect.Value) []byte {
	b = binary.AppendUvarint(f.appendTag(b, length), uint64(v.Len())*8) //nolint:gosec // a length is not negative
	for i := range v.Len() {
		var n uint64
		if e := v.Index(i); e.CanFloat() {
			n = math.Float64bits(e.Float())
		} else {
			n = e.Uint()
		}
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
}

func (f field) appendBytes(b, content []byte) []byte {
	return append(binary.AppendUvarint(f.appendTag(b, length), uint64(len(content))), content...)
}

func (f field) appendTag(b []byte, kind uint64) []byte {
	return binary.AppendUvarint(b, uint64(f.number)<<3|kind) //nolint:gosec // a number is not negative
}
