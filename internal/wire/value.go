package wire

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	rawType  = reflect.TypeFor[jsontext.Value]()
	timeType = reflect.TypeFor[time.Time]()
)

// A Decoder is a field type that decodes itself: a union, or a value with several spellings.
type Decoder interface {
	// DecodeWire stores a value of a line that ParseObject has checked, and retains nothing of
	// that line. The error is a *FieldError whose Field is the path below the value.
	DecodeWire(value jsontext.Value, o ObjectOptions) error
}

// DecodeValue stores a value of a line that ParseObject has checked in the variable that dst
// points to, as Object.Decode does with a field. It is for a Decoder that consists of fields.
func DecodeValue(value jsontext.Value, dst any, o ObjectOptions) error {
	v := reflect.ValueOf(dst)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return fmt.Errorf("wire: cannot decode into %T, only into a pointer", dst)
	}
	return decodeValue(value, v.Elem(), nil, o)
}

// decodeValue stores a value that ParseObject has checked. In the *FieldError that it returns,
// Field is the path below the value: empty if the value itself is wrong. enum applies to the
// strings inside dst.
func decodeValue(value jsontext.Value, dst reflect.Value, enum []string, o ObjectOptions) error {
	switch dst.Type() {
	case rawType:
		dst.SetBytes(bytes.Clone(value))
		return nil
	case timeType:
		return decodeTime(value, dst)
	}
	if dst.Type().PkgPath() != "" {
		if d, ok := dst.Addr().Interface().(Decoder); ok {
			return d.DecodeWire(value, o)
		}
	}
	switch dst.Kind() {
	case reflect.Pointer:
		return decodePointer(value, dst, enum, o)
	case reflect.String:
		return decodeString(value, dst, enum)
	case reflect.Bool:
		return decodeBool(value, dst)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return decodeInteger(value, dst)
	case reflect.Float32, reflect.Float64:
		return decodeFloat(value, dst)
	case reflect.Slice:
		return decodeSlice(value, dst, enum, o)
	case reflect.Map:
		return decodeMap(value, dst, enum, o)
	case reflect.Struct:
		members, err := membersOf(value)
		if err != nil {
			return err
		}
		return decodeStruct(members, dst, o)
	}
	return fmt.Errorf("wire: cannot decode into %s", dst.Type())
}

// typeError returns the error for a value that is not what its field requires.
func typeError(expected string) error {
	return &FieldError{Problem: "expected " + expected, Expected: expected}
}

func decodePointer(value jsontext.Value, dst reflect.Value, enum []string, o ObjectOptions) error {
	if value.Kind() == jsontext.KindNull {
		dst.SetZero()
		return nil
	}
	target := reflect.New(dst.Type().Elem())
	if err := decodeValue(value, target.Elem(), enum, o); err != nil {
		return err
	}
	dst.Set(target)
	return nil
}

func decodeString(value jsontext.Value, dst reflect.Value, enum []string) error {
	if value.Kind() != jsontext.KindString {
		return typeError(expectedString(enum))
	}
	text := string(unquote(value))
	if enum != nil && !slices.Contains(enum, text) {
		return typeError(expectedString(enum))
	}
	dst.SetString(text)
	return nil
}

// decodeTime stores a time of RFC 3339.
func decodeTime(value jsontext.Value, dst reflect.Value) error {
	expected := typeError("a time such as 2026-11-21T06:40:00Z")
	if value.Kind() != jsontext.KindString {
		return expected
	}
	t, err := time.Parse(time.RFC3339, string(unquote(value)))
	if err != nil {
		return expected
	}
	dst.Set(reflect.ValueOf(t))
	return nil
}

// expectedString returns `"a", "b" or "c"`, or "a string" without an enum.
func expectedString(enum []string) string {
	if len(enum) == 0 {
		return "a string"
	}
	quoted := make([]string, len(enum))
	for i, value := range enum {
		quoted[i] = strconv.Quote(value)
	}
	last := len(quoted) - 1
	if last == 0 {
		return quoted[0]
	}
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

func decodeBool(value jsontext.Value, dst reflect.Value) error {
	kind := value.Kind()
	if kind != jsontext.KindTrue && kind != jsontext.KindFalse {
		return typeError("true or false")
	}
	dst.SetBool(kind == jsontext.KindTrue)
	return nil
}

func decodeSlice(value jsontext.Value, dst reflect.Value, enum []string, o ObjectOptions) error {
	if value.Kind() != jsontext.KindBeginArray {
		return typeError("an array")
	}
	c := openCursor(value, true)
	defer c.close()
	if err := c.delimiter(); err != nil {
		return err
	}
	dst.Set(reflect.MakeSlice(dst.Type(), 0, 0)) // never nil: an empty array is not an absent one
	for i := 0; !c.nextIs(jsontext.KindEndArray); i++ {
		element, err := c.value()
		if err != nil {
			return err
		}
		dst.Grow(1)
		dst.SetLen(i + 1)
		if err := decodeValue(element, dst.Index(i), enum, o); err != nil {
			return prefixField("["+strconv.Itoa(i)+"]", err)
		}
	}
	return nil
}

func decodeMap(value jsontext.Value, dst reflect.Value, enum []string, o ObjectOptions) error {
	t := dst.Type()
	if t.Key().Kind() != reflect.String {
		return fmt.Errorf("wire: cannot decode into %s", t)
	}
	members, err := membersOf(value)
	if err != nil {
		return err
	}
	dst.Set(reflect.MakeMapWithSize(t, len(members)))
	for _, m := range members {
		if o.ignores(m.value) {
			continue
		}
		element := reflect.New(t.Elem()).Elem()
		if err := decodeValue(m.value, element, enum, o); err != nil {
			return prefixField(clipName(string(m.name)), err)
		}
		dst.SetMapIndex(reflect.ValueOf(string(m.name)).Convert(t.Key()), element)
	}
	return nil
}

// membersOf returns the members of a nested object. It does not check for repeated names:
// ParseObject has rejected them if the dialect does.
func membersOf(value jsontext.Value) ([]member, error) {
	if value.Kind() != jsontext.KindBeginObject {
		return nil, typeError("an object")
	}
	c := openCursor(value, true)
	defer c.close()
	return c.members(true)
}
