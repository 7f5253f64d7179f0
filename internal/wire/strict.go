package wire

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A FieldError says which field of an object is wrong, and why.
type FieldError struct {
	Field   string // path from the object decoded: "text", "questions[1].text", "env.HOME"
	Problem string // a short sentence, fit for the wire
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
// ignores unknown names. Nothing stored refers to the line.
func (o Object) Decode(dst any) error {
	v := reflect.ValueOf(dst)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("wire: cannot decode into %T, only into a pointer to a struct", dst)
	}
	return decodeStruct(o.members, v.Elem())
}

// decodeStruct checks the set of names before it looks at any value.
func decodeStruct(members []member, dst reflect.Value) error {
	plan, err := planOf(dst.Type())
	if err != nil {
		return err
	}
	values := make([]jsontext.Value, len(plan.fields))
	for _, m := range members {
		if i, known := plan.byName[string(m.name)]; known {
			values[i] = m.value // of a repeated name the last
		} else if !plan.open {
			return &FieldError{shown(string(m.name)), "unknown field"}
		}
	}
	for i, f := range plan.fields {
		if values[i] == nil && f.required {
			return &FieldError{f.name, "required field is missing"}
		}
	}
	for i, f := range plan.fields {
		if values[i] == nil {
			continue
		}
		if err := decodeValue(values[i], dst.Field(f.index), f.enum); err != nil {
			return inside(f.name, err)
		}
	}
	return nil
}

// inside puts the name of a parent, or an index of it, before the field of err.
func inside(parent string, err error) error {
	e, ok := err.(*FieldError)
	switch {
	case !ok:
		return err
	case e.Field == "" || strings.HasPrefix(e.Field, "["):
		return &FieldError{parent + e.Field, e.Problem}
	}
	return &FieldError{parent + "." + e.Field, e.Problem}
}
