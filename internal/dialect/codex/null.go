package codex

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// This file contains the types of members that are null if they have no value: the protocol does not omit them, and clients compare
// them with null.

// A nullString is null if it is empty.
type nullString string

// MarshalJSONTo writes the string or null.
func (s nullString) MarshalJSONTo(e *jsontext.Encoder) error {
	if s == "" {
		return e.WriteToken(jsontext.Null)
	}
	return e.WriteToken(jsontext.String(string(s)))
}

// A nullList is null if it is nil.
type nullList[T any] []T

// MarshalJSONTo writes the list or null.
func (l nullList[T]) MarshalJSONTo(e *jsontext.Encoder) error {
	if l == nil {
		return e.WriteToken(jsontext.Null)
	}
	return json.MarshalEncode(e, []T(l))
}

// A nullMap is null if it is nil.
type nullMap[T any] map[string]T

// MarshalJSONTo writes the object or null.
func (m nullMap[T]) MarshalJSONTo(e *jsontext.Encoder) error {
	if m == nil {
		return e.WriteToken(jsontext.Null)
	}
	return json.MarshalEncode(e, map[string]T(m))
}
