package jsonrpc

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
)

// Errors of Methods.Params. All others are those of wire.Object.Decode and of the checks.
var (
	ErrNoMethod  = errors.New("there is no such method")
	ErrNotObject = errors.New("params are not an object")
)

// Takes is what may stand as the params of a method.
type Takes uint8

// What a method takes.
const (
	Object   Takes = iota // an object; missing and null count as an empty one
	Required              // an object, and nothing else
	Anything              // any value: none of it is read
)

// A Method is a name on the wire, and how its params become a Go value.
type Method struct {
	Name  string
	Takes Takes
	Read  func(wire.Object) (any, error) // see [Read]
}

// Read reads params as a *P: by its fields and their tags (wire.Object.Decode), then by the
// checks, which look at what no tag can say, and may change what was read.
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

// Methods is a dialect's methods.
type Methods struct {
	rows   []Method
	byName map[string]int // index into rows
}

// NewMethods is a table of these methods, in the order of the dialect's document. It panics
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

// Names is the names of the methods, in the order of the table.
func (m Methods) Names() []string {
	names := make([]string, len(m.rows))
	for i, row := range m.rows {
		names[i] = row.Name
	}
	return names
}

// Params reads the params of a frame as its method wants them. The frame needs to come from
// Parse with the same options. What it returns does not refer to the line.
func (m Methods) Params(f Frame, o Options) (any, error) {
	i, known := m.byName[f.Method]
	if !known {
		return nil, ErrNoMethod
	}
	row := m.rows[i]
	params := f.Params
	if row.Takes == Anything || params == nil && row.Takes == Object {
		params = jsontext.Value("{}")
	}
	obj, err := wire.OpenObject(params, o.Object)
	if err != nil {
		return nil, ErrNotObject
	}
	return row.Read(obj)
}
