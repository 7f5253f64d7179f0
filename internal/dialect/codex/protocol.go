package codex

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/appserver"
	"parley.dev/parley/internal/wire"
)

// The wire is in protocol_*.go, which tools/codexschema writes from the published schema. This file contains what the unions
// there share.

// A tag is the member that distinguishes an object of a union from the others. Types that embed it write their word, and read any: the
// word has chosen the type.
type tag struct{}

// DecodeWire accepts the word.
func (*tag) DecodeWire(jsontext.Value, wire.ObjectOptions) error { return nil }

// writeTag writes the word.
func writeTag(e *jsontext.Encoder, word string) error { return e.WriteToken(jsontext.String(word)) }

// tagOf returns the tag of an object of a union: the value of the member that names its type.
func tagOf(value jsontext.Value, tag string, o wire.ObjectOptions) (string, error) {
	obj, err := wire.OpenObject(value, o)
	if err != nil {
		return "", &wire.FieldError{Problem: "expected an object", Expected: "an object"}
	}
	member, ok := obj.Get(tag)
	if !ok {
		return "", &wire.FieldError{Field: tag, Problem: "required field is missing", Missing: true}
	}
	var word string
	if err := wire.DecodeValue(member, &word, o); err != nil {
		return "", unknownTag(tag, "", "a string")
	}
	return word, nil
}

// unknownTag returns the error for a word that names no object of a union.
func unknownTag(tag, word string, words ...string) error {
	e := unknownWord(word, words...).(*wire.FieldError)
	e.Field = tag
	return e
}

// unknownWord returns the error for a value that is none of the words.
func unknownWord(word string, words ...string) error {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	expected := "one of " + strings.Join(quoted, ", ")
	if word != "" {
		expected += ", not " + strconv.Quote(abridged(word))
	}
	return &wire.FieldError{Problem: "expected " + expected, Expected: expected}
}

// decodeWord stores a word of a union.
func decodeWord(value jsontext.Value, dst *string, o wire.ObjectOptions, words ...string) error {
	if err := wire.DecodeValue(value, dst, o); err != nil {
		return err
	}
	if !slices.Contains(words, *dst) {
		return unknownWord(*dst, words...)
	}
	return nil
}

// decodeMember stores the member of a union's object.
func decodeMember(name string, value jsontext.Value, dst any, o wire.ObjectOptions) error {
	return appserver.Below(name, wire.DecodeValue(value, dst, o))
}

// writeMember writes an object with one member.
func writeMember(e *jsontext.Encoder, name string, value any) error {
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	if err := e.WriteToken(jsontext.String(name)); err != nil {
		return err
	}
	if err := json.MarshalEncode(e, value); err != nil {
		return err
	}
	return e.WriteToken(jsontext.EndObject)
}
