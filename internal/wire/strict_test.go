package wire

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// Small messages with every kind of field that a closed protocol has.
type (
	say struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	call struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Args    string `json:"args,omitzero"`
	}
	stop struct {
		Type string `json:"type"`
	}
	answer struct {
		Type      string   `json:"type"`
		RequestID string   `json:"request_id"`
		Decision  decision `json:"decision" enum:"allow,deny"`
		Reason    *string  `json:"reason,omitzero"`
	}
	decision string
	page     struct {
		Items []string `json:"items"`
		Next  string   `json:"next" optional:"true"`
	}
)

func decode(t testing.TB, line string, dst any) error {
	t.Helper()
	obj, err := ParseObject([]byte(line), ObjectOptions{LastDuplicateWins: true})
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return obj.Decode(dst)
}

func TestDecodeClosedMessages(t *testing.T) {
	tests := []struct {
		line string
		dst  any
		want string // "" is accepted
	}{
		{`{"type":"say","text":"x"}`, new(say), ""},
		{`  {"text":"x" , "type":"say"}` + "\t", new(say), ""},
		{`{"type":"say","text":""}`, new(say), ""},
		{`{"type":"say"}`, new(say), "text: required field is missing"},
		{`{"items":[]}`, new(page), ""},
		{`{"items":[],"next":"x"}`, new(page), ""},
		{`{"items":[],"next":1}`, new(page), "next: expected a string"},
		{`{"next":"x"}`, new(page), "items: required field is missing"},
		{`{"type":"say","text":null}`, new(say), "text: expected a string"},
		{`{"type":"say","text":1}`, new(say), "text: expected a string"},
		{`{"type":"say","text":true}`, new(say), "text: expected a string"},
		{`{"type":"say","text":["x"]}`, new(say), "text: expected a string"},
		{`{"type":"say","text":"x","id":"1"}`, new(say), "id: unknown field"},
		{`{"type":"say","text":"x","id":null}`, new(say), "id: unknown field"},
		{`{"TYPE":"say","text":"x"}`, new(say), "TYPE: unknown field"},
		{`{"type":"say","Text":"x"}`, new(say), "Text: unknown field"},
		{`{"type":"say","text":"x","":1}`, new(say), ": unknown field"},
		{`{"type":"say","text":1,"text":"x"}`, new(say), ""},
		{`{"type":"say","text":"x","text":1}`, new(say), "text: expected a string"},
		{`{"type":"stop"}`, new(stop), ""},
		{`{"type":"stop","turn_id":"a"}`, new(stop), "turn_id: unknown field"},
		{`{"type":"call","command":"c"}`, new(call), ""},
		{`{"type":"call","command":"c","args":""}`, new(call), ""},
		{`{"type":"call","command":"c","args":null}`, new(call), "args: expected a string"},
		{`{"type":"call","command":"c","args":[]}`, new(call), "args: expected a string"},
		{`{"type":"answer","request_id":"r","decision":"allow"}`, new(answer), ""},
		{`{"type":"answer","request_id":"r","decision":"deny","reason":null}`, new(answer), ""},
		{`{"type":"answer","request_id":"r","decision":"deny","reason":"no"}`, new(answer), ""},
		{`{"type":"answer","request_id":"r","decision":"deny","reason":1}`, new(answer), "reason: expected a string"},
		{`{"type":"answer","request_id":"r","decision":"Allow"}`, new(answer), `decision: expected "allow" or "deny"`},
		{`{"type":"answer","request_id":"r","decision":""}`, new(answer), `decision: expected "allow" or "deny"`},
		{`{"type":"answer","request_id":"r","decision":true}`, new(answer), `decision: expected "allow" or "deny"`},
		{`{"type":"answer","request_id":"r","decision":null}`, new(answer), `decision: expected "allow" or "deny"`},
		// Unknown names come first, then missing ones, then wrong values.
		{`{"text":1,"id":"1"}`, new(say), "id: unknown field"},
		{`{"text":1}`, new(say), "type: required field is missing"},
		{`{"text":1,"type":2}`, new(say), "type: expected a string"},
	}
	for _, test := range tests {
		checkDecode(t, test.line, test.dst, test.want)
	}
}

// checkDecode decodes and compares the error, which has to be a FieldError.
func checkDecode(t *testing.T, line string, dst any, want string) {
	t.Helper()
	err := decode(t, line, dst)
	if err == nil {
		if want != "" {
			t.Errorf("%s: accepted, want %s", line, want)
		}
		return
	}
	if _, ok := errors.AsType[*FieldError](err); !ok || err.Error() != want {
		t.Errorf("%s: %v (%T), want %s", line, err, err, want)
	}
}

type everything struct {
	Time    time.Time         `json:"time,omitzero"`
	String  string            `json:"string,omitzero"`
	Bool    bool              `json:"bool,omitzero"`
	Int     int               `json:"int,omitzero"`
	Int8    int8              `json:"int8,omitzero"`
	Uint8   uint8             `json:"uint8,omitzero"`
	Uint64  uint64            `json:"uint64,omitzero"`
	Float   float64           `json:"float,omitzero"`
	Float32 float32           `json:"float32,omitzero"`
	List    []string          `json:"list,omitzero"`
	Maybe   []*int            `json:"maybe,omitzero"`
	Levels  []decision        `json:"levels,omitzero" enum:"low,middle,high"`
	Only    string            `json:"only,omitzero" enum:"one"`
	Env     map[string]string `json:"env,omitzero"`
	Tags    map[decision]bool `json:"tags,omitzero"`
	Inner   inner             `json:"inner,omitzero"`
	Inners  []inner           `json:"inners,omitzero"`
	ByName  map[string]inner  `json:"byName,omitzero"`
	Pointer *inner            `json:"pointer,omitzero"`
	Open    open              `json:"open,omitzero"`
	Raw     jsontext.Value    `json:"raw,omitzero"`
	Raws    []jsontext.Value  `json:"raws,omitzero"`
	Tree    *tree             `json:"tree,omitzero"`
	Skipped string            `json:"-"`
}

type inner struct {
	Text string `json:"text"`
	N    int    `json:"n,omitzero"`
}

type open struct {
	_    struct{} `open:"true"`
	Text string   `json:"text"`
}

type tree struct {
	Sub []tree `json:"sub"`
}

func TestDecodeValues(t *testing.T) {
	one := 1
	tests := []struct {
		line string
		want everything
	}{
		{`{}`, everything{}},
		{`{"string":"a\"\u00e4\ud83d\ude00\n"}`, everything{String: "a\"ä😀\n"}},
		{`{"bool":true}`, everything{Bool: true}},
		{`{"int":-7}`, everything{Int: -7}},
		{`{"int":3.0}`, everything{Int: 3}},
		{`{"int":12.50e1}`, everything{Int: 125}},
		{`{"int":5E+2}`, everything{Int: 500}},
		{`{"int":1200e-2}`, everything{Int: 12}},
		{`{"int":-0}`, everything{}},
		{`{"int":-0.0e9}`, everything{}},
		{`{"int":0e99999999999999999999}`, everything{}},
		{`{"int":9223372036854775807}`, everything{Int: math.MaxInt64}},
		{`{"int":-9223372036854775808.0}`, everything{Int: math.MinInt64}},
		{`{"int8":-128}`, everything{Int8: -128}},
		{`{"uint8":255}`, everything{Uint8: 255}},
		{`{"uint8":-0}`, everything{}},
		{`{"uint64":18446744073709551615}`, everything{Uint64: math.MaxUint64}},
		{`{"float":-1.5e3}`, everything{Float: -1500}},
		{`{"float":7}`, everything{Float: 7}},
		{`{"time":"2026-11-21T06:40:00.5Z"}`, everything{Time: time.Date(2026, 11, 21, 6, 40, 0, 5e8, time.UTC)}},
		{`{"list":[]}`, everything{List: []string{}}},
		{`{"list":["a", "b"]}`, everything{List: []string{"a", "b"}}},
		{`{"maybe":[null,1]}`, everything{Maybe: []*int{nil, &one}}},
		{`{"levels":["low","high"]}`, everything{Levels: []decision{"low", "high"}}},
		{`{"env":{}}`, everything{Env: map[string]string{}}},
		{`{"env":{"A":"1","\u0042":"2"}}`, everything{Env: map[string]string{"A": "1", "B": "2"}}},
		{`{"tags":{"x":true}}`, everything{Tags: map[decision]bool{"x": true}}},
		{`{"inner":{"text":"x"}}`, everything{Inner: inner{Text: "x"}}},
		{`{"inners":[{"text":"x"},{"n":2,"text":"y"}]}`, everything{Inners: []inner{{Text: "x"}, {Text: "y", N: 2}}}},
		{`{"byName":{"a":{"text":"x"}}}`, everything{ByName: map[string]inner{"a": {Text: "x"}}}},
		{`{"pointer":null}`, everything{}},
		{`{"pointer":{"text":"x"}}`, everything{Pointer: &inner{Text: "x"}}},
		{`{"open":{"text":"x","more":[{"a":1}]}}`, everything{Open: open{Text: "x"}}},
		{`{"raw": {"a": [1,null]} }`, everything{Raw: jsontext.Value(`{"a": [1,null]}`)}},
		{`{"raw":null}`, everything{Raw: jsontext.Value("null")}},
		{`{"raws":[null,"x",1.0]}`, everything{Raws: []jsontext.Value{[]byte("null"), []byte(`"x"`), []byte("1.0")}}},
		{`{"tree":{"sub":[{"sub":[]},{"sub":[]}]}}`, everything{Tree: &tree{Sub: []tree{{Sub: []tree{}}, {Sub: []tree{}}}}}},
	}
	for _, test := range tests {
		var got everything
		if err := decode(t, test.line, &got); err != nil {
			t.Errorf("%s: %v", test.line, err)
		} else if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(open{})); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.line, diff)
		}
	}
}

func TestDecodeRefusesValues(t *testing.T) {
	const whole, tooLarge = "expected a whole number", "number is out of range"
	tests := []struct{ line, want string }{
		{`{"bool":"true"}`, "bool: expected true or false"},
		{`{"bool":0}`, "bool: expected true or false"},
		{`{"bool":null}`, "bool: expected true or false"},
		{`{"int":"3"}`, "int: " + whole},
		{`{"int":null}`, "int: " + whole},
		{`{"int":true}`, "int: " + whole},
		{`{"int":3.5}`, "int: " + whole},
		{`{"int":3.00000000000000000000000001}`, "int: " + whole},
		{`{"int":1e-1}`, "int: " + whole},
		{`{"int":1e-99999999999999999999}`, "int: " + whole},
		{`{"int":9223372036854775808}`, "int: " + tooLarge},
		{`{"int":9223372036854775808.0}`, "int: " + tooLarge},
		{`{"int":1e19}`, "int: " + tooLarge},
		{`{"int":0.001e99999999999999999999}`, "int: " + tooLarge},
		{`{"int8":128}`, "int8: " + tooLarge},
		{`{"uint8":256}`, "uint8: " + tooLarge},
		{`{"uint8":-1}`, "uint8: " + tooLarge},
		{`{"float":"1"}`, "float: expected a number"},
		{`{"float":null}`, "float: expected a number"},
		{`{"float":1e999}`, "float: " + tooLarge},
		{`{"float32":1e39}`, "float32: " + tooLarge},
		{`{"time":"2026-11-21"}`, "time: expected a time such as 2026-11-21T06:40:00Z"},
		{`{"time":1763707200}`, "time: expected a time such as 2026-11-21T06:40:00Z"},
		{`{"time":{}}`, "time: expected a time such as 2026-11-21T06:40:00Z"},
		{`{"list":null}`, "list: expected an array"},
		{`{"list":"a"}`, "list: expected an array"},
		{`{"list":{}}`, "list: expected an array"},
		{`{"list":["a",null]}`, "list[1]: expected a string"},
		{`{"levels":["low","Low"]}`, `levels[1]: expected "low", "middle" or "high"`},
		{`{"only":"two"}`, `only: expected "one"`},
		{`{"env":null}`, "env: expected an object"},
		{`{"env":[]}`, "env: expected an object"},
		{`{"env":{"HOME":1}}`, "env.HOME: expected a string"},
		{`{"inner":null}`, "inner: expected an object"},
		{`{"inner":{}}`, "inner.text: required field is missing"},
		{`{"inner":{"text":"x","Text":"y"}}`, "inner.Text: unknown field"},
		{`{"inners":[{"text":"x"},{"text":1}]}`, "inners[1].text: expected a string"},
		{`{"inners":[[]]}`, "inners[0]: expected an object"},
		{`{"byName":{"a":{"text":"x","n":"1"}}}`, "byName.a.n: " + whole},
		{`{"pointer":{"id":1}}`, "pointer.id: unknown field"},
		{`{"pointer":[]}`, "pointer: expected an object"},
		{`{"open":{"more":1}}`, "open.text: required field is missing"},
		{`{"tree":{"sub":[{"sub":[]},{"sub":[{"x":1}]}]}}`, "tree.sub[1].sub[0].x: unknown field"},
		{`{"Skipped":"x"}`, "Skipped: unknown field"},
		{`{"-":"x"}`, "-: unknown field"},
		{`{"_":"x"}`, "_: unknown field"},
		{`{"` + strings.Repeat("x", 1000) + `":1}`, strings.Repeat("x", 64) + "…: unknown field"},
	}
	for _, test := range tests {
		checkDecode(t, test.line, new(everything), test.want)
	}
}

// Absent fields keep their values, which dialects use for defaults.
func TestDecodeKeepsDefaults(t *testing.T) {
	got := everything{String: "default", Int: 5}
	if err := decode(t, `{"int":6}`, &got); err != nil || got.String != "default" || got.Int != 6 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// The memory of the line is reused for the next line.
func TestDecodeCopies(t *testing.T) {
	line := []byte(`{"string":"a","raw":[1],"env":{"k":"v"},"list":["x"]}`)
	obj, err := ParseObject(line, ObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got everything
	if err := obj.Decode(&got); err != nil {
		t.Fatal(err)
	}
	clear(line)
	want := everything{String: "a", Raw: jsontext.Value("[1]"), Env: map[string]string{"k": "v"}, List: []string{"x"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(open{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDecodeRefusesTypes(t *testing.T) {
	for name, dst := range map[string]any{
		"nil":              nil,
		"struct":           say{},
		"nil pointer":      (*say)(nil),
		"pointer to a map": new(map[string]string),
		"no name": new(struct {
			A string
		}),
		"unexported": structOf(reflect.StructField{Name: "a", PkgPath: "wire", Tag: `json:"a"`}),
		"same name":  structOf(reflect.StructField{Name: "A", Tag: `json:"a"`}, reflect.StructField{Name: "B", Tag: `json:"a"`}),
		"channel": new(struct {
			A chan int `json:"a"`
		}),
		"any": new(struct {
			A any `json:"a"`
		}),
		"numbers as keys": new(struct {
			A map[int]string `json:"a"`
		}),
	} {
		err := decode(t, `{"a":{}}`, dst)
		if _, isField := errors.AsType[*FieldError](err); err == nil || isField {
			t.Errorf("%s: got %v, want an error about the type", name, err)
		}
	}
}

// structOf returns a pointer to a struct of strings that vet would reject in source code.
func structOf(fields ...reflect.StructField) any {
	for i := range fields {
		fields[i].Type = reflect.TypeFor[string]()
	}
	return reflect.New(reflect.StructOf(fields)).Interface()
}

// FuzzDecode compares Decode with the JSON library: what both accept, they decode to the same value,
// and Decode accepts nothing that the library rejects but whole numbers written with a fraction.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"string":"x","bool":false,"int":3.0,"float":1e3}`, `{"inners":[{"text":"x"},{"text":"y","n":2}]}`,
		`{"env":{"A":"1"},"tags":{"x":true},"byName":{"a":{"text":"t"}}}`, `{"raw":[1, 2],"raws":[null],"pointer":null}`,
		`{"open":{"text":"x","y":1},"tree":{"sub":[{"sub":[]}]}}`, `{"levels":["low"],"only":"one","maybe":[null,1]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		obj, err := ParseObject(line, ObjectOptions{})
		if err != nil {
			return
		}
		var got, want everything
		err = obj.Decode(&got)
		if _, isField := errors.AsType[*FieldError](err); err != nil && !isField {
			t.Fatalf("an error about the type: %v", err)
		}
		oracle := json.Unmarshal(line, &want)
		if err != nil {
			return
		}
		if oracle != nil {
			if !strings.ContainsAny(string(line), ".eE") && !strings.Contains(string(line), "-0") {
				t.Fatalf("accepted; the library: %v", oracle)
			}
			return
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(open{})); diff != "" {
			t.Errorf("(-library +ours)\n%s", diff)
		}
	})
}
