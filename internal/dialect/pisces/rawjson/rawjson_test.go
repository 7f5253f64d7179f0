package rawjson

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/wire"
)

// TestMembers: what is not touched stays as it was, and where it was.
func TestMembers(t *testing.T) {
	obj, err := wire.OpenObject([]byte(`{"n":12345678901234567890, "gone":[1.50],"a":{"x" : 1.0}}`), Options)
	if err != nil {
		t.Fatal(err)
	}
	m := MembersOf(obj)
	m.Set("a", Quoted("b\n"))
	m.Set("new", jsontext.Value("1e3"))
	m.Drop("gone")
	m.Drop("never there")
	if got := string(m.Value()); got != `{"n":12345678901234567890,"a":"b\n","new":1e3}` {
		t.Error(got)
	}
	if m.Get("gone") != nil || string(m.Get("n")) != "12345678901234567890" {
		t.Errorf("it has %s and %s", m.Get("gone"), m.Get("n"))
	}
}

func TestObjects(t *testing.T) {
	all := Objects(jsontext.Value(`[{"a":1},7,[{}],{"a":"x"}]`))
	if len(all) != 2 || string(all[1].Get("a")) != `"x"` {
		t.Errorf("%v", all)
	}
	if all := Objects(jsontext.Value(`{"a":1}`)); all != nil {
		t.Errorf("an object has %v", all)
	}
}

func TestRewrite(t *testing.T) {
	var seen []string
	r := Rewriter{
		Skips: func(value jsontext.Value) bool { return !strings.Contains(string(value), "x") },
		Change: func(name string, data bool, value jsontext.Value) (jsontext.Value, bool) {
			what := name
			if data {
				what += " of a picture"
			}
			seen = append(seen, what)
			if PlainText(value) != "x" {
				return value, false
			}
			return Quoted("y"), true
		},
	}
	for _, test := range []struct{ text, want, seen string }{
		{`"x"`, `"y"`, ""},
		{`{"a": "xx", "n":1.0}`, `{"a": "xx", "n":1.0}`, "a"},
		{`{"a":"x", "n":1.0, "b":["z", {"x":[ ]}, "x"]}`, `{"a":"y","n":1.0,"b":["z",{"x":[ ]},"y"]}`, "a,"},
		{`{"type":"image","data":"x","mimeType":"x"}`, `{"type":"image","data":"y","mimeType":"y"}`, "data of a picture,mimeType"},
		{`{"data":"x"}`, `{"data":"y"}`, "data"},
		{`{"x":`, `{"x":`, ""},
		{`[ 1, 2 ]`, `[ 1, 2 ]`, ""},
	} {
		seen = nil
		if got := string(r.Rewrite(jsontext.Value(test.text))); got != test.want || strings.Join(seen, ",") != test.seen {
			t.Errorf("%s becomes %s, want %s; seen %q", test.text, got, test.want, seen)
		}
	}
}

// TestValues: what is something else than expected is as if it was not there.
func TestValues(t *testing.T) {
	if PlainText(jsontext.Value(`7`)) != "" || PlainText(jsontext.Value(`"\u00e4"`)) != "ä" || PlainText(nil) != "" {
		t.Error("texts")
	}
	if Number(jsontext.Value(`"7"`)) != 0 || Number(jsontext.Value(`7.5`)) != 7.5 || Number(jsontext.Value(`1e999`)) != 0 {
		t.Error("numbers")
	}
	if !IsTrue(jsontext.Value(`true`)) || IsTrue(jsontext.Value(`1`)) || IsTrue(nil) {
		t.Error("true")
	}
	if got := string(Marshal(map[string]any{"b": "\xff", "a": jsontext.Value(`1.0`)})); got != `{"a":1.0,"b":"`+"\uFFFD"+`"}` {
		t.Error(got)
	}
}
