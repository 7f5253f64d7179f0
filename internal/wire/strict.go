package wire

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A FieldError reports which field of an object is wrong, and why.
type FieldError struct {
	Field    string // path from the object decoded: "text", "questions[1].text", "env.HOME"
	Problem  string // a short sentence, fit for the wire
	Missing  bool   // the field is required and absent
	Expected string // the expected kind of value, e.g. "a string"; empty for other problems
	Known    string // of an unknown field: the fields that the object can have, "a, b"
}

// unknownField is the problem of a field that the object cannot have.
const unknownField = "unknown field"

// Error returns "field: problem".
func (e *FieldError) Error() string { return e.Field + ": " + e.Problem }

// Clause returns what is wrong, worded to follow the name of the field: "is required", "must be a string".
func (e *FieldError) Clause() string {
	switch {
	case e.Missing:
		return "is required"
	case e.Expected != "":
		return "must be " + e.Expected
	case e.Problem == unknownField && e.Known != "":
		return "is not known; possible are " + e.Known
	case e.Problem == unknownField:
		return "is not known"
	}
	return e.Problem
}

// Decode stores the object in the struct that dst points to, and rejects everything that the
// struct does not describe. It returns the first mistake as a *FieldError: unknown names first,
// then missing fields, then, in the order of the struct, wrong values. Any other error means that
// the struct type is wrong. After an error dst may be partially set.
//
// Each field needs a tag `json:"name"`, which is matched case-sensitively, and is required unless
// the tag says omitzero, or there is a tag `optional:"true"`; an absent field keeps its value. Nothing is converted: a string field
// accepts a string, an integer field a number that is whole (3.0 is) and in range. Null is
// rejected, except for a pointer (nil) and for a jsontext.Value (null; nil means absent).
//
// Fields may be strings, booleans, integers, floats, times (strings as in RFC 3339), slices, maps with string keys, structs
// (unknown names are errors there too), pointers to these, and jsontext.Value for any value as
// it is. A string may have a tag `enum:"allow,deny"`. A struct with a field `_ struct{}` tagged
// `open:"true"` ignores unknown names. The fields of an embedded struct are the struct's own. A
// [Decoder] decodes its value itself. Nothing stored refers to the line.
//
// The ObjectOptions Open and NullIsAbsent make it more tolerant.
func (o Object) Decode(dst any) error {
	v := reflect.ValueOf(dst)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("wire: cannot decode into %T, only into a pointer to a struct", dst)
	}
	return decodeStruct(o.members, v.Elem(), o.options)
}

// decodeStruct decodes members into dst. It checks the set of names before any value.
func decodeStruct(members []member, dst reflect.Value, o ObjectOptions) error {
	plan, err := planOf(dst.Type())
	if err != nil {
		return err
	}
	values := make([]jsontext.Value, len(plan.fields))
	for _, m := range members {
		if i, known := plan.byName[string(m.name)]; known {
			values[i] = m.value // the last one of a repeated name
			if o.ignores(m.value) {
				values[i] = nil
			}
		} else if !plan.open && !o.Open {
			return &FieldError{Field: clipName(string(m.name)), Problem: unknownField, Known: strings.Join(plan.names(), ", ")}
		}
	}
	for i, f := range plan.fields {
		if values[i] == nil && f.required {
			return &FieldError{Field: f.name, Problem: "required field is missing", Missing: true}
		}
	}
	for i, f := range plan.fields {
		if values[i] == nil {
			continue
		}
		if err := decodeValue(values[i], dst.FieldByIndex(f.index), f.enum, o); err != nil {
			return prefixField(f.name, err)
		}
	}
	return nil
}

// ignores reports whether a member with this value counts as absent.
func (o ObjectOptions) ignores(value jsontext.Value) bool {
	return o.NullIsAbsent && value.Kind() == jsontext.KindNull
}

// prefixField returns err with the name of a parent, or an index, put before its field.
func prefixField(parent string, err error) error {
	e, ok := err.(*FieldError)
	if !ok {
		return err
	}
	prefixed := *e
	prefixed.Field = FieldPath(parent, e.Field)
	return &prefixed
}

// FieldPath returns the path of a field of parent: "parent.field", or "parent[1]".
func FieldPath(parent, field string) string {
	if field == "" || strings.HasPrefix(field, "[") {
		return parent + field
	}
	return parent + "." + field
}
