package wire

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// Messages of an open protocol, with every kind of field that closed ones lack.
type (
	order struct {
		ID    string            `json:"id"`
		Note  string            `json:"note,omitzero"`
		Count *int              `json:"count,omitzero"`
		Place place             `json:"place,omitzero"`
		Env   map[string]string `json:"env,omitzero"`
		Sizes []size            `json:"sizes,omitzero"`
		Named map[string]size   `json:"named,omitzero"`
		Best  *size             `json:"best,omitzero"`
		Raw   jsontext.Value    `json:"raw,omitzero"`
		Extras
	}

	place struct {
		Town string `json:"town"`
	}

	// Extras are fields of the struct that embeds it.
	Extras struct {
		Colour string `json:"colour,omitzero" enum:"red,blue"`
		Size   size   `json:"size,omitzero"`
	}

	// A size is a number of centimetres, or one of two words, or an object with either.
	size int
)

func (s *size) DecodeWire(value jsontext.Value, o ObjectOptions) error {
	switch value.Kind() {
	case jsontext.KindNumber:
		var n int
		err := DecodeValue(value, &n, o)
		*s = size(n)
		return err
	case jsontext.KindString:
		var word string
		if err := DecodeValue(value, &word, o); err != nil {
			return err
		}
		words := map[string]size{"small": 10, "large": 100}
		if words[word] == 0 {
			return &FieldError{Problem: "is no size", Expected: "a size"}
		}
		*s = words[word]
		return nil
	}
	obj, err := OpenObject(value, o)
	if err != nil {
		return &FieldError{Problem: "is no size", Expected: "a size"}
	}
	var inner struct {
		Of size `json:"of"`
	}
	err = obj.Decode(&inner)
	*s = inner.Of
	return err
}

func TestDecodeTolerant(t *testing.T) {
	three := 3
	large := size(100)
	for _, test := range []struct {
		line string
		want order
		err  string
	}{
		{line: `{"id":"a"}`, want: order{ID: "a"}},
		{line: `{"id":"a","new":1,"place":{"town":"x","new":null}}`, want: order{ID: "a", Place: place{"x"}}},
		{line: `{"id":"a","note":null,"count":null,"place":null,"env":null,"sizes":null,"raw":null,"colour":null,"size":null,"best":null}`, want: order{ID: "a"}},
		{line: `{"id":"a","count":3,"note":"n"}`, want: order{ID: "a", Count: &three, Note: "n"}},
		{line: `{"id":"a","env":{"A":"1","B":null}}`, want: order{ID: "a", Env: map[string]string{"A": "1"}}},
		{line: `{"id":"a","colour":"red","size":"small"}`, want: order{ID: "a", Extras: Extras{"red", 10}}},
		{line: `{"id":"a","sizes":[1,"large",{"of":{"of":2},"x":1}],"best":"large"}`, want: order{ID: "a", Sizes: []size{1, 100, 2}, Best: &large}},
		{line: `{"id":"a","named":{"x":5,"y":null}}`, want: order{ID: "a", Named: map[string]size{"x": 5}}},
		{line: `{"id":"a","note":"x","note":null}`, want: order{ID: "a"}},
		{line: `{"id":"a","raw":[null]}`, want: order{ID: "a", Raw: jsontext.Value("[null]")}},

		{line: `{}`, err: "id: required field is missing"},
		{line: `{"id":null}`, err: "id: required field is missing"},
		{line: `{"id":"a","place":{}}`, err: "place.town: required field is missing"},
		{line: `{"id":"a","place":{"town":null}}`, err: "place.town: required field is missing"},
		{line: `{"id":"a","place":7}`, err: "place: expected an object"},
		{line: `{"id":"a","sizes":[1,null]}`, err: "sizes[1]: is no size"},
		{line: `{"id":"a","sizes":[{"of":{"of":"huge"}}]}`, err: "sizes[0].of.of: is no size"},
		{line: `{"id":"a","sizes":[{}]}`, err: "sizes[0].of: required field is missing"},
		{line: `{"id":"a","named":{"x":{"of":1.5}}}`, err: "named.x.of: expected a whole number"},
		{line: `{"id":"a","colour":"green"}`, err: `colour: expected "red" or "blue"`},
		{line: `{"id":"a","size":"huge"}`, err: "size: is no size"},
	} {
		obj, err := ParseObject([]byte(test.line), ObjectOptions{LastDuplicateWins: true, Open: true, NullIsAbsent: true})
		if err != nil {
			t.Fatalf("%s: %v", test.line, err)
		}
		var got order
		err = obj.Decode(&got)
		switch _, isField := errors.AsType[*FieldError](err); {
		case test.err == "" && err == nil:
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", test.line, diff)
			}
		case err == nil || !isField || err.Error() != test.err:
			t.Errorf("%s: got %v, want %q", test.line, err, test.err)
		}
	}
}

// The two options are independent.
func TestDecodeToleranceIsAsked(t *testing.T) {
	for _, test := range []struct {
		o    ObjectOptions
		line string
		want string
	}{
		{ObjectOptions{}, `{"id":"a","x":1}`, "x: unknown field"},
		{ObjectOptions{NullIsAbsent: true}, `{"id":"a","x":null}`, "x: unknown field"},
		{ObjectOptions{NullIsAbsent: true}, `{"id":"a","place":{"town":"x","y":1}}`, "place.y: unknown field"},
		{ObjectOptions{Open: true}, `{"id":"a","note":null}`, "note: expected a string"},
		{ObjectOptions{Open: true}, `{"id":"a","env":{"A":null}}`, "env.A: expected a string"},
		{ObjectOptions{Open: true}, `{"id":"a","place":{"town":null}}`, "place.town: expected a string"},
		{ObjectOptions{Open: true}, `{"id":"a","sizes":[{"of":null}]}`, "sizes[0].of: is no size"},
		{ObjectOptions{}, `{"id":"a","sizes":[{"of":1,"x":2}]}`, "sizes[0].x: unknown field"},
	} {
		obj, err := ParseObject([]byte(test.line), test.o)
		if err != nil {
			t.Fatalf("%s: %v", test.line, err)
		}
		if err := obj.Decode(new(order)); err == nil || err.Error() != test.want {
			t.Errorf("%+v %s: got %v, want %s", test.o, test.line, err, test.want)
		}
	}
}

// A dialect can write its own errors from the fields of a FieldError.
func TestFieldErrorSaysWhat(t *testing.T) {
	for line, want := range map[string]FieldError{
		`{}`:                      {Field: "id", Missing: true},
		`{"id":1}`:                {Field: "id", Expected: "a string"},
		`{"id":"","x":1}`:         {Field: "x", Known: "id, note, count, place, env, sizes, named, best, raw, colour, size"},
		`{"id":"","count":1e99}`:  {Field: "count", Expected: "a number in range"},
		`{"id":"","count":""}`:    {Field: "count", Expected: "a whole number"},
		`{"id":"","place":[]}`:    {Field: "place", Expected: "an object"},
		`{"id":"","place":{}}`:    {Field: "place.town", Missing: true},
		`{"id":"","sizes":{}}`:    {Field: "sizes", Expected: "an array"},
		`{"id":"","colour":"x"}`:  {Field: "colour", Expected: `"red" or "blue"`},
		`{"id":"","sizes":["x"]}`: {Field: "sizes[0]", Expected: "a size"},
	} {
		obj, err := ParseObject([]byte(line), ObjectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got, ok := errors.AsType[*FieldError](obj.Decode(new(order)))
		if !ok {
			t.Errorf("%s: no FieldError", line)
			continue
		}
		if got.Problem == "" || strings.HasPrefix(got.Problem, "expected") && got.Problem != "expected "+got.Expected {
			t.Errorf("%s: the problem is %q", line, got.Problem)
		}
		want.Problem = got.Problem
		if *got != want {
			t.Errorf("%s: got %+v, want %+v", line, *got, want)
		}
	}
}

func TestOpenObject(t *testing.T) {
	outer, err := ParseObject([]byte(`{"a":{"b":1,"c":[2],"b":3},"d":[1],"e":null}`), ObjectOptions{LastDuplicateWins: true})
	if err != nil {
		t.Fatal(err)
	}
	value, _ := outer.Get("a")
	obj, err := OpenObject(value, ObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(obj.Names(), " "); got != "b c" {
		t.Errorf("names %s", got)
	}
	if b, _ := obj.Get("b"); string(b) != "3" {
		t.Errorf("b is %s", b)
	}
	for _, name := range []string{"d", "e", "absent"} {
		value, _ := outer.Get(name)
		if _, err := OpenObject(value, ObjectOptions{}); !errors.Is(err, ErrNotObject) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestDecodeValueNeedsAPointer(t *testing.T) {
	for name, dst := range map[string]any{"value": 7, "nil": nil, "nil pointer": (*int)(nil)} {
		err := DecodeValue(jsontext.Value("7"), dst, ObjectOptions{})
		if _, isField := errors.AsType[*FieldError](err); err == nil || isField {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestInside(t *testing.T) {
	for _, test := range [][3]string{
		{"a", "", "a"}, {"a", "b", "a.b"}, {"a", "[1]", "a[1]"}, {"a", "[1].b", "a[1].b"}, {"[0]", "b", "[0].b"},
	} {
		if got := FieldPath(test[0], test[1]); got != test[2] {
			t.Errorf("%s in %s is %s, want %s", test[1], test[0], got, test[2])
		}
	}
}

// FuzzDecodeTolerant checks that errors of a tolerant Decode are always about the line.
func FuzzDecodeTolerant(f *testing.F) {
	for _, seed := range []string{
		`{"id":"a","size":{"of":{"of":7}},"env":{"A":null}}`, `{"id":null}`, `{"id":"a","sizes":["large",null]}`, `{"id":"a","named":{"x":{}},"colour":"red"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		obj, err := ParseObject(line, ObjectOptions{LastDuplicateWins: true, Open: true, NullIsAbsent: true})
		if err != nil {
			return
		}
		err = obj.Decode(new(order))
		if e, isField := errors.AsType[*FieldError](err); err != nil && (!isField || e.Problem == "") {
			t.Fatalf("%s: %v", line, err)
		}
	})
}
