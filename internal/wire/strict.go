package wire

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A FieldError says which field of an object is wrong, and why.
type FieldError struct {
	Field    string // path from the object decoded: "text", "questions[1].text", "env.HOME"
	Problem  string // a short sentence, fit for the wire
	Missing  bool   // the field is required and not there
	Expected string // what the value should have been, "a string" for one; empty where the problem is another
}

// Error is "field: problem".
func (e *FieldError) Error() string { return e.Field + ": " + e.Problem }

// Decode stores the object in the struct that dst points to and refuses whatever the
// struct does not describe. The first mistake found is returned, as a *FieldError: unknown
// names are looked for first, then missing fields, then, in the order of the struct, wrong
// values. Any other error is a mistake in the struct. After an error dst may be half filled.
//
// Each field needs a tag `json:"name"`, matched case by case, and is required unless the
// tag says omitzero; an absent field keeps the value it had. Nothing is converted: a string
// field takes a string, an integer field a number that is whole (3.0 is) and in range. Null
// is refused, except by a pointer (nil) and by a jsontext.Value (null; nil means absent).
//
// Fields may be strings, booleans, integers, floats, slices, maps with string keys, structs
// (closed too), pointers to these, and jsontext.Value for any value unread. A string may
// carry a tag `enum:"allow,deny"`. A struct with a field `_ struct{}` tagged `open:"true"`
// ignores unknown names. The fields of an embedded struct are the struct's own. A [Decoder]
// reads its value itself. Nothing stored refers to the line.
//
// The ObjectOptions Open and NullIsAbsent make it more tolerant.
func (o Object) Decode(dst any) error {
	v := reflect.ValueOf(dst)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("wire: cannot decode into %T, only into a pointer to a struct", dst)
	}
	return decodeStruct(o.members, v.Elem(), o.options)
}

// decodeStruct checks the set of names before it looks at any value.
func decodeStruct(members []member, dst reflect.Value, o ObjectOptions) error {
	plan, err := planOf(dst.Type())
	if err != nil {
		return err
	}
	values := make([]jsontext.Value, len(plan.fields))
	for _, m := range members {
		if i, known := plan.byName[string(m.name)]; known {
			values[i] = m.value // of a repeated name the last
			if o.ignores(m.value) {
				values[i] = nil
			}
		} else if !plan.open && !o.Open {
			return &FieldError{Field: shown(string(m.name)), Problem: "unknown field"}
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
			return inside(f.name, err)
		}
	}
	return nil
}

// ignores reports whether a member with this value counts as absent.
func (o ObjectOptions) ignores(value jsontext.Value) bool {
	return o.NullIsAbsent && value.Kind() == jsontext.KindNull
}

// inside puts the name of a parent, or an index of it, before the field of err.
func inside(parent string, err error) error {
	e, ok := err.(*FieldError)
	if !ok {
		return err
	}
	below := *e
	below.Field = Inside(parent, e.Field)
	return &below
}

// Inside is the path of a field that lies in parent: "parent.field", or "parent[1]".
func Inside(parent, field string) string {
	if field == "" || strings.HasPrefix(field, "[") {
		return parent + field
	}
	return parent + "." + field
}
