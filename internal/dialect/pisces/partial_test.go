package pisces

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestPartialObject(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{``, `{}`},
		{` {`, `{}`},
		{`{"comm`, `{}`},
		{`{"command"`, `{}`},
		{`{"command":`, `{}`},
		{`{"command":"`, `{"command":""}`},
		{`{"command":"ls -`, `{"command":"ls -"}`},
		{`{"command":"a\`, `{"command":"a"}`},
		{`{"command":"a\u00`, `{"command":"a"}`},
		{`{"command":"a\n`, `{"command":"a\n"}`},
		{`{"command":"ls"}`, `{"command":"ls"}`},
		{`{"command":"ls"} x`, `{"command":"ls"}`},
		{`{"a":1,"b":[1,{"c":"x`, `{"a":1,"b":[1,{"c":"x"}]}`},
		{`{"a":tru`, `{}`},
		{`{"a":[`, `{"a":[]}`},
		{`{"a":1,"a":2`, `{"a":1,"a":2}`},
		{`[1,2`, `{}`},
		{`"text`, `{}`},
		{`nonsense`, `{}`},
	} {
		if got := string(partialObject([]byte(c.raw))); got != c.want {
			t.Errorf("%s is %s, want %s", c.raw, got, c.want)
		}
	}
}

// FuzzPartialObject: whatever a model has written, what is shown of it is an object.
func FuzzPartialObject(f *testing.F) {
	f.Add([]byte(`{"a":["x",{"b":"\u00e9`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		v := partialObject(raw)
		if !v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) || v.Kind() != '{' {
			t.Errorf("%q is shown as %s", raw, v)
		}
	})
}
