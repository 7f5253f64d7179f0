// Package otlptest decodes messages of package otlp. Only tests import it.
package otlptest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
)

// errCut is that a message ends within a field.
var errCut = errors.New("the message is cut off")

// Protobuf decodes a message into a pointer to a struct of package otlp. A field that the struct does not have is an error.
func Protobuf(data []byte, message any) error { return decode(data, reflect.ValueOf(message).Elem()) }

func decode(data []byte, message reflect.Value) error {
	for len(data) > 0 {
		tag, n := binary.Uvarint(data)
		if n <= 0 {
			return errCut
		}
		var err error
		field, fixed := fieldOf(message, tag>>3)
		if data, err = decodeField(data[n:], tag&7, field, fixed); err != nil {
			return fmt.Errorf("field %d of %s: %w", tag>>3, message.Type(), err)
		}
	}
	return nil
}

// fieldOf returns the field with a number, and whether integers in it are of a fixed size; an invalid value if there is none.
func fieldOf(message reflect.Value, number uint64) (v reflect.Value, fixed bool) {
	for i := range message.NumField() {
		if n, option, _ := strings.Cut(message.Type().Field(i).Tag.Get("pb"), ","); n == fmt.Sprint(number) {
			return message.Field(i), option == "fixed"
		}
	}
	return reflect.Value{}, false
}

// kindOf returns how a value is written.
func kindOf(v reflect.Value, fixed bool) uint64 {
	switch {
	case v.Kind() == reflect.String, v.Kind() == reflect.Struct, v.Kind() == reflect.Slice:
		return 2
	case fixed && v.Type().Bits() == 32:
		return 5
	case fixed, v.CanFloat():
		return 1
	}
	return 0
}

// decodeField decodes the value of a field, and returns the data after it.
func decodeField(data []byte, kind uint64, v reflect.Value, fixed bool) (rest []byte, err error) {
	if !v.IsValid() {
		return nil, errors.New("it is not known")
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if want := kindOf(v, fixed); kind != want {
		return nil, fmt.Errorf("it is of kind %d, want %d", kind, want)
	}
	var number uint64
	switch kind {
	case 0:
		var n int
		if number, n = binary.Uvarint(data); n <= 0 {
			return nil, errCut
		}
		data = data[n:]
	case 1:
		if len(data) < 8 {
			return nil, errCut
		}
		number, data = binary.LittleEndian.Uint64(data), data[8:]
	case 5:
		if len(data) < 4 {
			return nil, errCut
		}
		number, data = uint64(binary.LittleEndian.Uint32(data)), data[4:]
	default:
		size, n := binary.Uvarint(data)
		if n <= 0 || size > uint64(len(data)-n) {
			return nil, errCut
		}
		data = data[n:]
		return data[size:], setBytes(v, data[:size])
	}
	return data, setNumber(v, number)
}

func setNumber(v reflect.Value, n uint64) error {
	switch {
	case v.Kind() == reflect.Bool:
		v.SetBool(n != 0)
	case v.CanFloat():
		v.SetFloat(math.Float64frombits(n))
	case v.CanInt():
		v.SetInt(int64(n)) //nolint:gosec // it is two's complement on the wire
	case v.CanUint():
		v.SetUint(n)
	default:
		return fmt.Errorf("it is a number, not a %s", v.Type())
	}
	return nil
}

func setBytes(v reflect.Value, data []byte) error {
	switch {
	case v.Kind() == reflect.String:
		v.SetString(string(data))
	case v.Kind() == reflect.Struct:
		return decode(data, v)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		v.SetBytes(append([]byte(nil), data...))
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		element := reflect.New(v.Type().Elem()).Elem()
		if err := decode(data, element); err != nil {
			return err
		}
		v.Set(reflect.Append(v, element))
	case v.Kind() == reflect.Slice && len(data)%8 == 0: // numbers of 8 bytes
		for ; len(data) > 0; data = data[8:] {
			element := reflect.New(v.Type().Elem()).Elem()
			if err := setNumber(element, binary.LittleEndian.Uint64(data)); err != nil {
				return err
			}
			v.Set(reflect.Append(v, element))
		}
	default:
		return fmt.Errorf("it is bytes, not a %s", v.Type())
	}
	return nil
}
