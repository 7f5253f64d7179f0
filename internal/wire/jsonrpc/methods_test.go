package jsonrpc

import (
	"errors"
	"slices"
	"testing"

	"parley.dev/parley/internal/wire"
)

type greeting struct {
	Name  string `json:"name,omitzero"`
	Times int    `json:"times,omitzero"`
}

func polite(g *greeting) error {
	if g.Times < 0 {
		return &wire.FieldError{Field: "times", Problem: "must not be negative"}
	}
	if g.Times == 0 {
		g.Times = 1
	}
	return nil
}

var table = NewMethods(
	Method{Name: "greet", Read: Read(polite)},
	Method{Name: "greet/loudly", Params: Required, Read: Read[greeting]()},
	Method{Name: "ping", Params: Anything, Read: Read[struct{}]()},
)

func TestMethodNames(t *testing.T) {
	if got, want := table.Names(), []string{"greet", "greet/loudly", "ping"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMethodListedTwice(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("accepted")
		}
	}()
	NewMethods(Method{Name: "a"}, Method{Name: "a"})
}

func TestParams(t *testing.T) {
	for _, test := range []struct {
		name, line string
		want       greeting
		err        error // nil: want is read; errField: a FieldError
	}{
		{"object", `{"method":"greet","params":{"name":"Ada","times":2}}`, greeting{"Ada", 2}, nil},
		{"missing", `{"method":"greet"}`, greeting{"", 1}, nil},
		{"null", `{"method":"greet","params":null}`, greeting{"", 1}, nil},
		{"null member, unknown member", `{"method":"greet","params":{"name":null,"mood":7}}`, greeting{"", 1}, nil},
		{"array", `{"method":"greet","params":[]}`, greeting{}, ErrNotObject},
		{"scalar", `{"method":"greet","params":"x"}`, greeting{}, ErrNotObject},
		{"false", `{"method":"greet","params":false}`, greeting{}, ErrNotObject},
		{"required", `{"method":"greet/loudly","params":{"name":"Ada"}}`, greeting{"Ada", 0}, nil},
		{"required, missing", `{"method":"greet/loudly"}`, greeting{}, ErrNotObject},
		{"required, null", `{"method":"greet/loudly","params":null}`, greeting{}, ErrNotObject},
		{"no such method", `{"method":"Greet"}`, greeting{}, ErrNoMethod},
		{"wrong type", `{"method":"greet","params":{"name":7}}`, greeting{}, errField},
		{"check", `{"method":"greet","params":{"times":-1}}`, greeting{}, errField},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, invalid := Parse([]byte(test.line), loose)
			if invalid != nil {
				t.Fatalf("%+v", invalid)
			}
			got, err := table.Params(f, loose)
			switch _, isField := errors.AsType[*wire.FieldError](err); {
			case test.err == nil && err == nil:
				if *got.(*greeting) != test.want {
					t.Errorf("got %+v, want %+v", got, test.want)
				}
			case test.err == nil || test.err == errField && !isField || test.err != errField && !errors.Is(err, test.err):
				t.Errorf("got %v, %v", got, err)
			case got != nil:
				t.Errorf("got %v beside %v", got, err)
			}
		})
	}
}

var errField = errors.New("some *wire.FieldError")

func TestParamsOfAnyType(t *testing.T) {
	for _, params := range []string{`7`, `[]`, `null`, `{"a":1}`, `"x"`} {
		f, invalid := Parse([]byte(`{"method":"ping","params":`+params+`}`), loose)
		if invalid != nil {
			t.Fatalf("%+v", invalid)
		}
		if _, err := table.Params(f, loose); err != nil {
			t.Errorf("%s: %v", params, err)
		}
	}
}
