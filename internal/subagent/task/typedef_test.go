package task

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TestShapes has each form with data that fits it, and data that does not.
func TestShapes(t *testing.T) {
	for _, test := range []struct{ form, fits, not string }{
		{`{}`, `1 "x" null {} []`, ``},
		{`{"metadata":{"a":1},"nullable":true}`, `null 1`, ``},
		{`{"type":"boolean"}`, `true false`, `1 "true" null`},
		{`{"type":"boolean","nullable":true}`, `true null`, `0`},
		{`{"type":"string"}`, `"" "x"`, `1 null`},
		{`{"type":"float64"}`, `1 1.5 -2e9`, `"1"`},
		{`{"type":"int8"}`, `-128 127 1.0`, `-129 128 1.5 "1"`},
		{`{"type":"uint8"}`, `0 255`, `-1 256`},
		{`{"type":"uint16"}`, `65535`, `65536 -1`},
		{`{"type":"int16"}`, `-32768`, `32768`},
		{`{"type":"int32"}`, `-2147483648`, `2147483648`},
		{`{"type":"uint32"}`, `4294967295`, `4294967296 -1`},
		{`{"type":"timestamp"}`, `"2026-01-02T03:04:05Z" "2026-01-02T03:04:05.5+01:00"`, `"2026-01-02" 5`},
		{`{"enum":["a","b"]}`, `"a" "b"`, `"c" 1 null`},
		{`{"elements":{"type":"string"}}`, `[] ["a","b"]`, `["a",1] {} "a"`},
		{`{"values":{"type":"int8"}}`, `{} {"a":1}`, `{"a":"x"} []`},
		{`{"properties":{"a":{"type":"string"}},"optionalProperties":{"b":{"type":"int8"}}}`, `{"a":"x"} {"a":"x","b":1}`, `{} {"a":1} {"a":"x","b":"y"} {"a":"x","c":1} []`},
		{`{"properties":{"a":{}},"additionalProperties":true}`, `{"a":1,"c":2}`, `{"c":2}`},
		{`{"optionalProperties":{"b":{"type":"int8"}}}`, `{} {"b":1}`, `{"a":1}`},
		{
			`{"discriminator":"kind","mapping":{"a":{"properties":{"x":{"type":"string"}}},"b":{"optionalProperties":{"y":{"type":"int8"}}}}}`,
			`{"kind":"a","x":"1"} {"kind":"b"} {"kind":"b","y":1}`, `{"kind":"a"} {"kind":"c"} {"kind":"b","x":"1"} {"x":"1"} 5`,
		},
		{
			`{"definitions":{"a/b":{"properties":{"next":{"ref":"a/b","nullable":true}}}},"elements":{"ref":"a/b"}}`,
			`[] [{"next":null}] [{"next":{"next":null}}]`, `[{}] [{"next":1}] [{"next":{"next":{"other":1}}}]`,
		},
		// A JSON Schema, as models write it.
		{`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`, `{"a":1} {"a":1,"b":2}`, `{} {"a":"x"}`},
		{`{"type":"array","items":{"type":"number"}}`, `[1.5]`, `["x"] {}`},
	} {
		s, err := readShape(jsontext.Value(test.form))
		if err != nil {
			t.Errorf("%s: %v", test.form, err)
			continue
		}
		for data := range strings.FieldsSeq(test.fits) {
			if err := s.misfit(jsontext.Value(data)); err != nil {
				t.Errorf("%s does not take %s: %v", test.form, data, err)
			}
		}
		for data := range strings.FieldsSeq(test.not) {
			if s.misfit(jsontext.Value(data)) == nil {
				t.Errorf("%s takes %s", test.form, data)
			}
		}
	}
}

// TestNoShapes has what is neither.
func TestNoShapes(t *testing.T) {
	for _, form := range []string{
		`[]`, `"x"`, `{"type":"text"}`, `{"type":5}`, `{"enum":[]}`, `{"enum":["a","a"]}`, `{"enum":[1]}`, `{"elements":5}`, `{"elements":{"type":"oops"}}`,
		`{"ref":"x"}`, `{"definitions":{},"ref":"x"}`, `{"definitions":5}`, `{"elements":{"definitions":{}}}`, `{"type":"string","enum":["a"]}`,
		`{"properties":{"a":{}},"optionalProperties":{"a":{}}}`, `{"properties":5}`, `{"additionalProperties":true}`, `{"properties":{},"additionalProperties":5}`,
		`{"discriminator":"k"}`, `{"discriminator":5,"mapping":{"a":{"properties":{}}}}`, `{"discriminator":"k","mapping":{"a":{"type":"string"}}}`,
		`{"discriminator":"k","mapping":{"a":{"properties":{"k":{}}}}}`, `{"nullable":"yes"}`, `{"oops":1}`,
		`{"definitions":{"x":{"ref":"x"}},"ref":"x"}`, `{"definitions":{"x":{"ref":"y","nullable":true},"y":{"ref":"x"}}}`, `{"type":"object","properties":{"a":{"$ref":"#"}}}`,
		strings.Repeat(`{"elements":`, 70) + `{}` + strings.Repeat(`}`, 70),
	} {
		if _, err := readShape(jsontext.Value(form)); err == nil {
			t.Errorf("%s is taken", form)
		}
	}
}

// FuzzShape checks that data fits a shape exactly if a list of it fits a list of the shape, that
// lists of every shape accept an empty list and refuse an object, and that nothing but JSON fits.
func FuzzShape(f *testing.F) {
	f.Add(`{"properties":{"a":{"elements":{"type":"int8"}}}}`, `{"a":[1]}`)
	f.Add(`{"enum":["a","b"]}`, `"c"`)
	f.Add(`{"type":"string","nullable":true}`, `1,2`)
	f.Add(`{"definitions":{"x":{"ref":"x"}},"ref":"x"}`, `1`)
	f.Fuzz(func(t *testing.T, form, data string) {
		one, err := readShape(jsontext.Value(form))
		if err != nil {
			return
		}
		misfit := one.misfit(jsontext.Value(data))
		if !jsontext.Value(data).IsValid() {
			if misfit == nil {
				t.Errorf("%s accepts %q, which is not JSON", form, data)
			}
			return
		}
		list, err := readShape(jsontext.Value(`{"elements":` + form + `}`))
		if err != nil {
			return // form is a JSON Schema, has definitions, or is nested too deeply
		}
		if got := list.misfit(jsontext.Value("[" + data + "]")); (got == nil) != (misfit == nil) {
			t.Errorf("%s and %s: %v; in lists: %v", form, data, misfit, got)
		}
		if err := list.misfit(jsontext.Value("[]")); err != nil {
			t.Errorf("a list of %s refuses []: %v", form, err)
		}
		if list.misfit(jsontext.Value("{}")) == nil {
			t.Errorf("a list of %s accepts {}", form)
		}
	})
}
