package configfile

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
)

func TestAdd(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", "{\n  \"m\": {\n    \"new\": {\n      \"k\": 1\n    }\n  }\n}\n"},
		{"// mine\n", "// mine\n{\n  \"m\": {\n    \"new\": {\n      \"k\": 1\n    }\n  }\n}\n"},
		{"{}", "{\n  \"m\": {\n    \"new\": {\n      \"k\": 1\n    }\n  }\n}"},
		{
			"{\n\t// about a\n\t\"a\": 1, // one\n\t\"m\": {\n\t\t\"x\": 1 // ex\n\t} // m\n}\n",
			"{\n\t// about a\n\t\"a\": 1, // one\n\t\"m\": {\n\t\t\"x\": 1, // ex\n\t\t\"new\": {\n\t\t\t\"k\": 1\n\t\t}\n\t} // m\n}\n",
		},
		{
			"{\n    \"a\": 1,\n    // end\n}\n",
			"{\n    \"a\": 1,\n    \"m\": {\n        \"new\": {\n            \"k\": 1\n        }\n    }\n    // end\n}\n",
		},
		{`{"m": {"x": 1}}`, "{\"m\": {\"x\": 1, \"new\": {\n      \"k\": 1\n    }}}"},
	} {
		got, err := Add("f", []byte(test.in), jsontext.Value(`{"k":1}`), "m", "new")
		if err != nil || string(got) != test.want {
			t.Errorf("%q: %v\n got %q\nwant %q", test.in, err, got, test.want)
		}
	}
	for in, want := range map[string]string{
		`{"m": {"new": 1}}`: "f: m.new is there already",
		`{"m": 5}`:          "f: m is not an object",
		`[]`:                "f: expected an object",
		"{\n\n":             "f:3: parsing value: unexpected end of the file",
	} {
		if _, err := Add("f", []byte(in), jsontext.Value(`1`), "m", "new"); message(err) != want {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
}

func TestRemove(t *testing.T) {
	for _, test := range []struct {
		in, want string
		there    bool
	}{
		{"{\n\t\"m\": {\n\t\t\"x\": 1, // ex\n\t\t\"y\": 2, // why\n\t},\n}\n", "{\n\t\"m\": {\n\t\t\"y\": 2, // why\n\t},\n}\n", true},
		{"{\n\t\"m\": {\n\t\t// about x\n\t\t\"x\": 1,\n\t\t// about y\n\t\t\"y\": 2\n\t}\n}\n", "{\n\t\"m\": {\n\t\t// about y\n\t\t\"y\": 2\n\t}\n}\n", true},
		{"{\n\t\"m\": {\n\t\t\"a\": 1, // one\n\t\t\"x\": 2 // two\n\t}\n}\n", "{\n\t\"m\": {\n\t\t\"a\": 1 // one\n\t}\n}\n", true},
		{`{"m": {"y": 1}} /* end */`, "", false},
		{"", "", false},
	} {
		got, there, err := Remove("f", []byte(test.in), "m", "x")
		if err != nil || there != test.there || there && string(got) != test.want {
			t.Errorf("%q: %v, %v\n got %q\nwant %q", test.in, there, err, got, test.want)
		}
	}
}

// FuzzEdit: what is added is there, all the rest is as it was, and it can be removed again.
func FuzzEdit(f *testing.F) {
	for _, text := range []string{"", "{}", "// x", `{"m":{"a":1,},}`, "{\n\"m\": { // x\n}}", `{"m":{"a":1 /* x */}}`, "{/**/}", "{\"a\":[1,\n2] // c\n}"} {
		f.Add(text, "name")
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		if !jsontext.Value(`"`+name+`"`).IsValid() || strings.Contains(name, `\`) {
			return
		}
		var before, after map[string]jsontext.Value
		if standard, err := hujson.Standardize([]byte(text)); err == nil && json.Unmarshal(standard, &before) != nil {
			return
		}
		added, err := Add("f", []byte(text), jsontext.Value(`{"k":[1]}`), name, "new")
		if err != nil {
			return
		}
		standard, err := hujson.Standardize(bytes.Clone(added))
		if err != nil || json.Unmarshal(standard, &after) != nil {
			t.Fatalf("%q: %v: %q", text, err, added)
		}
		var inner map[string]jsontext.Value
		if json.Unmarshal(after[name], &inner) != nil || !bytes.Contains(inner["new"], []byte(`"k"`)) {
			t.Errorf("%q: it is not there: %q", text, added)
		}
		for other, value := range before {
			if other != name && !bytes.Equal(value, after[other]) {
				t.Errorf("%q: %q has changed to %q", text, other, after[other])
			}
		}
		if removed, there, err := Remove("f", added, name, "new"); err != nil || !there {
			t.Errorf("%q: %v", removed, err)
		}
	})
}
