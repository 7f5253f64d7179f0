package jsonrpc

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
)

// The errors of Methods.Params, in addition to those of wire.Object.Decode and of the checks.
var (
	ErrNoMethod  = errors.New("there is no such method")
	ErrNotObject = errors.New("params are not an object")
)

// ParamsKind is the kind of params that a method accepts.
type ParamsKind uint8

// The kinds of params.
const (
	Object   ParamsKind = iota // an object; missing or null means an empty one
	Required                   // an object, and nothing else
	Anything                   // any value, which is ignored
)

// A Method is a name on the wire, and the decoder of its params.
type Method struct {
	Name   string
	Params ParamsKind
	Read   func(wire.Object) (any, error) // see [Read]
}

// Read returns a function that decodes params into a *P: by its fields and their tags
// (wire.Object.Decode), then by the checks, which verify what tags cannot express and may change
// the value.
func Read[P any](checks ...func(*P) error) func(wire.Object) (any, error) {
	return func(obj wire.Object) (any, error) {
		params := new(P)
		if err := obj.Decode(params); err != nil {
			return nil, err
		}
		for _, check := range checks {
			if err := check(params); err != nil {
				return nil, err
			}
		}
		return params, nil
	}
}

// Methods is the table of a dialect's methods.
type Methods struct {
	rows   []Method
	byName map[string]int // index into rows
}

// NewMethods returns a table of these methods, in the order of the dialect's document. It panics
// if two have the same name.
func NewMethods(rows ...Method) Methods {
	m := Methods{rows: rows, byName: make(map[string]int, len(rows))}
	for i, row := range rows {
		if _, taken := m.byName[row.Name]; taken {
			panic(fmt.Sprintf("jsonrpc: method %s is listed twice", row.Name))
		}
		m.byName[row.Name] = i
	}
	return m
}

// Names returns the names of the methods, in the order of the table.
func (m Methods) Names() []string {
	names := make([]string, len(m.rows))
	for i, row := range m.rows {
		names[i] = row.Name
	}
	return names
}

// Params decodes the params of a frame for its method. The frame must come from Parse with the
// same options. The result does not refer to the line.
func (m Methods) Params(f Frame, o Options) (any, error) {
	i, known := m.byName[f.Method]
	if !known {
		return nil, ErrNoMethod
	}
	row := m.rows[i]
	params := f.Params
	if row.Params == Anything || params == nil && row.Params == Object {
		params = jsontext.Value("{}")
	}
	obj, err := wire.OpenObject(params, o.Object)
	if err != nil {
		return nil, ErrNotObject
	}
	return row.Read(obj)
}
