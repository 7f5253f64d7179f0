package agentair

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/wire"
)

// fields reads the members of one object by the rules, and in the words, of the library that
// clients are written with: a field that is no Option has to be there and may not be null,
// an integer is written without point and exponent. Once a member is wrong, the rest is read
// for nothing.
type fields struct {
	obj     wire.Object
	wrong   error // about the first member that is wrong
	missing error // about the first that is not there: it only counts if none is wrong
}

// open opens a value that has to be an object: expected says what for.
func open(value jsontext.Value, expected string) (*fields, error) {
	obj, err := wire.OpenObject(value, wire.ObjectOptions{})
	if err != nil {
		return nil, unexpected(value, expected)
	}
	return &fields{obj: obj}, nil
}

// problem returns what is wrong with the object, if anything is.
func (f *fields) problem() error {
	if f.wrong != nil {
		return f.wrong
	}
	return f.missing
}

// fail keeps the first mistake.
func (f *fields) fail(err error) {
	if f.wrong == nil {
		f.wrong = err
	}
}

// optional returns a member that is there and not null.
func (f *fields) optional(name string) (jsontext.Value, bool) {
	value, ok := f.obj.Get(name)
	return value, ok && value.Kind() != jsontext.KindNull
}

// read reads a value by how.
func read[T any](f *fields, value jsontext.Value, how func(jsontext.Value) (T, error)) T {
	result, err := how(value)
	if err != nil {
		f.fail(err)
	}
	return result
}

// required reads a member that has to be there.
func required[T any](f *fields, name string, how func(jsontext.Value) (T, error)) (none T) {
	value, ok := f.obj.Get(name)
	if ok {
		return read(f, value, how)
	}
	if f.missing == nil {
		f.missing = fmt.Errorf("missing field `%s`", name)
	}
	return none
}

// defaulted reads a member that may be absent, and not null.
func defaulted[T any](f *fields, name string, how func(jsontext.Value) (T, error)) (none T) {
	if value, ok := f.obj.Get(name); ok {
		return read(f, value, how)
	}
	return none
}

// option reads a member that may be absent or null; then it is nil.
func option[T any](f *fields, name string, how func(jsontext.Value) (T, error)) *T {
	if value, given := f.optional(name); given {
		return new(read(f, value, how))
	}
	return nil
}

func (f *fields) text(name string) string          { return required(f, name, text) }
func (f *fields) optionalText(name string) *string { return option(f, name, text) }
func (f *fields) sessionID() int64                 { return required(f, "session_id", signed) }
func (f *fields) optionalSessionID() *int64        { return option(f, "session_id", signed) }

// list reads a list, each element by how. It stops at the first that is wrong, so that a
// long list of anything else takes no room.
func list[T any](how func(jsontext.Value) (T, error)) func(jsontext.Value) ([]T, error) {
	return func(value jsontext.Value) ([]T, error) {
		if value.Kind() != jsontext.KindBeginArray {
			return nil, unexpected(value, "a sequence")
		}
		d := jsontext.NewDecoder(bytes.NewBuffer(value), jsontext.AllowDuplicateNames(true)) // none is left by now
		_, _ = d.ReadToken()                                                                 // [
		all := []T{}
		for d.PeekKind() != jsontext.KindEndArray {
			element, err := d.ReadValue()
			if err != nil {
				return nil, err
			}
			one, err := how(element)
			if err != nil {
				return nil, err
			}
			all = append(all, one)
		}
		return all, nil
	}
}

// word reads one of these.
func word[S ~string](words ...S) func(jsontext.Value) (S, error) {
	return func(value jsontext.Value) (S, error) {
		given, err := text(value)
		if err != nil {
			return "", err
		}
		if i := slices.Index(words, S(given)); i >= 0 {
			return words[i], nil
		}
		return "", unknownVariant(given, words)
	}
}

func unknownVariant[S ~string](given string, words []S) error {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "`" + string(w) + "`"
	}
	expected := "one of " + strings.Join(quoted, ", ")
	if len(words) == 2 {
		expected = strings.Join(quoted, " or ")
	}
	return fmt.Errorf("unknown variant `%s`, expected %s", abridged(given), expected)
}

// object returns an object as it stands, copied.
func object(value jsontext.Value) (jsontext.Value, error) {
	if value.Kind() != jsontext.KindBeginObject {
		return nil, unexpected(value, "a map")
	}
	return slices.Clone(value), nil
}

func text(value jsontext.Value) (string, error) {
	if value.Kind() != jsontext.KindString {
		return "", unexpected(value, "a string")
	}
	unquoted, err := jsontext.AppendUnquote(nil, value)
	return string(unquoted), err
}

func boolean(value jsontext.Value) (bool, error) {
	if kind := value.Kind(); kind != jsontext.KindTrue && kind != jsontext.KindFalse {
		return false, unexpected(value, "a boolean")
	}
	return value.Kind() == jsontext.KindTrue, nil
}

// signed returns a number without point and exponent, in range.
func signed(value jsontext.Value) (int64, error) {
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || string(value) == "-0" { // which is no integer there
		return 0, unexpected(value, "i64")
	}
	return n, nil
}

// unsigned returns the same from 0 on.
func unsigned(value jsontext.Value) (uint64, error) {
	n, err := strconv.ParseUint(string(value), 10, 64)
	if err != nil {
		return 0, unexpected(value, "u64")
	}
	return n, nil
}

// unexpected returns what stands where something else should.
func unexpected(value jsontext.Value, expected string) error {
	given, flaw := "", "type"
	switch value.Kind() {
	case jsontext.KindNull:
		given = "null"
	case jsontext.KindTrue, jsontext.KindFalse:
		given = "boolean `" + string(value) + "`"
	case jsontext.KindString:
		content, _ := text(value)
		given = "string " + strconv.Quote(abridged(content))
	case jsontext.KindBeginArray:
		given = "sequence"
	case jsontext.KindBeginObject:
		given = "map"
	case jsontext.KindNumber:
		given = "floating point `" + abridged(string(value)) + "`"
		if whole(value) {
			given = "integer `" + string(value) + "`"
			if expected == "i64" || expected == "u64" {
				flaw = "value" // it is one, out of range
			}
		}
	}
	return errors.New("invalid " + flaw + ": " + given + ", expected " + expected)
}

// whole reports whether a number is an integer of any kind there.
func whole(value jsontext.Value) bool {
	_, notSigned := strconv.ParseInt(string(value), 10, 64)
	_, notUnsigned := strconv.ParseUint(string(value), 10, 64)
	return (notSigned == nil || notUnsigned == nil) && string(value) != "-0"
}

// abridged returns a text of the client's as an error may repeat it.
func abridged(text string) string { return dialect.Abridged(text, 64) }
