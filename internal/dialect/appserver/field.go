package appserver

import (
	"errors"

	"parley.dev/parley/internal/wire"
)

// Below puts the name of a parent before the field of err.
func Below(parent string, err error) error {
	if e, ok := errors.AsType[*wire.FieldError](err); ok {
		return &wire.FieldError{Field: wire.FieldPath(parent, e.Field), Problem: e.Problem, Missing: e.Missing, Expected: e.Expected, Known: e.Known}
	}
	return err
}
