package wire

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func nested(levels int) string {
	return strings.Repeat(`{"a":`, levels-1) + "{}" + strings.Repeat("}", levels-1)
}

func TestParseObjectRefuses(t *testing.T) {
	const incomplete, notObject = problemIncomplete, "expected a JSON object"
	tests := []struct{ name, line, want string }{
		{"nothing", ``, incomplete},
		{"open brace", `{`, incomplete},
		{"cut in a name", `{"na`, incomplete},
		{"cut in a string", `{"a":"x`, incomplete},
		{"cut in a literal", `{"a":tru`, incomplete},
		{"cut after a value", `{"a":1`, incomplete},
		{"cut in a nested value", `{"a":[{"b":1}`, incomplete},
		{"cut after a comma", `{"a":1,`, incomplete},
		{"array", `[1]`, notObject},
		{"array of objects", `[{"a":1}]`, notObject},
		{"null", `null`, notObject},
		{"string", ` "x" `, notObject},
		{"number", `7`, notObject},
		{"cut array", `[1`, incomplete},
		{"bare word", `{bad`, "invalid JSON at byte 2"},
		{"bare word in an array", `[bad]`, "invalid JSON at byte 2"},
		{"trailing comma", `{"a":1,}`, "invalid JSON at byte 7"},
		{"number as a name", `{1:2}`, "invalid JSON at byte 2"},
		{"no colon", `{"a" 1}`, "invalid JSON at byte 6"},
		{"no comma", `{"a":1 "b":2}`, "invalid JSON at byte 8"},
		{"leading zero", `{"a":01}`, "invalid JSON at byte 7"},
		{"comment", `{} // x`, problemTrailing},
		{"single quotes", `{'a':1}`, "invalid JSON at byte 2"},
		{"bad escape", `{"a":"\q"}`, "invalid JSON at byte 7"},
		{"two objects", `{} {}`, problemTrailing},
		{"garbage after", `{}x`, problemTrailing},
		{"brace too many", `{}}`, problemTrailing},
		{"text after another value", `[] []`, problemTrailing},
		{"byte order mark", "\uFEFF{}", "invalid JSON at byte 1"},
		{"invalid UTF-8 in a value", "{\"a\":\"\xff\"}", problemUTF8},
		{"invalid UTF-8 in a name", "{\"\xc3\":1}", problemUTF8},
		{"invalid UTF-8 deep inside", "{\"a\":[{\"b\":\"\xed\xa0\x80\"}]}", problemUTF8},
		{"invalid UTF-8 before", "\xff{}", problemUTF8},
		{"invalid UTF-8 after", "{} \xff", problemUTF8},
		{"raw newline", "{\"a\":\"x\ny\"}", problemControl},
		{"raw tab", "{\"a\":\"x\ty\"}", problemControl},
		{"raw NUL in a name", "{\"a\x00\":1}", problemControl},
		{"repeated name", `{"a":1,"b":2,"a":3}`, `name "a" occurs twice`},
		{"repeated name, escaped", `{"a":1,"\u0061":3}`, `name "a" occurs twice`},
		{"repeated name deep inside", `{"x":[{"a":1,"a":2}]}`, `name "a" occurs twice`},
		{"repeated long name", `{"` + strings.Repeat("ä", 99) + `":1,"` + strings.Repeat("ä", 99) + `":1}`, `name "` + strings.Repeat("ä", 32) + `…" occurs twice`},
		{"too deep", nested(257), "line nests deeper than 256 levels"},
		{"too deep, never closed", strings.Repeat(`{"a":`, 1<<20), "line nests deeper than 256 levels"},
		{"too deep array", strings.Repeat("[", 1<<20), "line nests deeper than 256 levels"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := ParseObject([]byte(test.line), ObjectOptions{})
			if err == nil || err.Error() != test.want {
				t.Fatalf("got %v, want %s", err, test.want)
			}
			_, syntactic := errors.AsType[*SyntaxError](err)
			if syntactic == errors.Is(err, ErrNotObject) {
				t.Errorf("%T is not one of the two kinds of error", err)
			}
		})
	}
}

func TestParseObjectAccepts(t *testing.T) {
	brackets := `{"a":"` + strings.Repeat(`[{\"\\`, 300) + `"}`
	for _, line := range []string{
		`{}`, ` { } `, "\t{\"a\":1}\r", "{}\n", `{"a":null,"A":1}`, `{"":0}`, `{"a":"\ud83d\ude00"}`, `{"a":1e999}`,
		nested(256), brackets, `{"a":[` + strings.Repeat("[],", 300) + `[]]}`,
	} {
		if _, err := ParseObject([]byte(line), ObjectOptions{}); err != nil {
			t.Errorf("%.40s: %v", line, err)
		}
	}
}

// Half of a surrogate pair is read as U+FFFD, in values and names.
func TestParseObjectSurrogates(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{`{"a":"x\ud83d"}`, `{"a":"x\ufffd"}`},
		{`{"a":"\uDC00x"}`, `{"a":"\ufffdx"}`},
		{`{"a":"\ud800\ud801"}`, `{"a":"\ufffd\ufffd"}`},
		{`{"a":"\ud800\ud83d\ude00\udfff"}`, `{"a":"\ufffd\ud83d\ude00\ufffd"}`},
		{`{"a":"\udE00\uD83d"}`, `{"a":"\ufffd\ufffd"}`},
		{`{"a":[{"b":[["\udfff"]]}]}`, `{"a":[{"b":[["\ufffd"]]}]}`},
		{`{"\ud800":{"\udbff":1}}`, `{"\ufffd":{"\ufffd":1}}`},
		{`{"a":"\\ud800 \\\ud800"}`, `{"a":"\\ud800 \\\ufffd"}`},
		{`{"a":"\ud800\\udc00"}`, `{"a":"\ufffd\\udc00"}`},
		{`{"a":"\u0041\ud7ff\ue000"}`, `{"a":"\u0041\ud7ff\ue000"}`},
	} {
		line := []byte(test.line)
		obj, err := ParseObject(line, ObjectOptions{})
		if err != nil {
			t.Errorf("%s: %v", test.line, err)
			continue
		}
		want, err := ParseObject([]byte(test.want), ObjectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(rebuild(t, obj)), string(rebuild(t, want)); got != want {
			t.Errorf("%s: got %s, want %s", test.line, got, want)
		}
		if string(line) != test.line {
			t.Errorf("the line was changed to %s", line)
		}
	}
	for _, line := range []string{`{"a":"\ud80"}`, `{"a":"\ud8`, `{"\ud800":1,"\ufffd":2}`, `{"a":\ud800}`, `{"a":"\ud800\u"}`} {
		if _, err := ParseObject([]byte(line), ObjectOptions{}); err == nil {
			t.Errorf("%s is accepted", line)
		}
	}
}

func TestParseObjectMaxDepth(t *testing.T) {
	o := ObjectOptions{MaxDepth: 2}
	if _, err := ParseObject([]byte(`{"a":[],"b":{},"c":"[[["}`), o); err != nil {
		t.Error(err)
	}
	for _, line := range []string{`{"a":[[]]}`, `{"a":"\"","b":{"c":{}}}`} {
		_, err := ParseObject([]byte(line), o)
		if want := "line nests deeper than 2 levels"; err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", line, err, want)
		}
	}
}

func TestObject(t *testing.T) {
	obj, err := ParseObject([]byte(`{"b": [1, 2] ,"a":null,"\u00e4":"x","A":{}}`), ObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b", "a", "ä", "A"}, obj.Names()); diff != "" {
		t.Errorf("names (-want +got)\n%s", diff)
	}
	for name, want := range map[string]string{"b": "[1, 2]", "a": "null", "ä": `"x"`, "A": "{}"} {
		if got, ok := obj.Get(name); !ok || string(got) != want {
			t.Errorf("%s: got %s, %v, want %s", name, got, ok, want)
		}
	}
	for _, name := range []string{"B", "", "Ä", `\u00e4`} {
		if got, ok := obj.Get(name); ok {
			t.Errorf("%s: got %s, want nothing", name, got)
		}
	}
}

func TestLastDuplicateWins(t *testing.T) {
	obj, err := ParseObject([]byte(`{"a":1,"b":{"c":1,"c":2},"\u0061":3}`), ObjectOptions{LastDuplicateWins: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, obj.Names()); diff != "" {
		t.Errorf("names (-want +got)\n%s", diff)
	}
	var got struct {
		A int            `json:"a"`
		B map[string]int `json:"b"`
	}
	if err := obj.Decode(&got); err != nil || got.A != 3 || got.B["c"] != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
	if value, _ := obj.Get("a"); string(value) != "3" {
		t.Errorf("Get: %s, want 3", value)
	}
}

// Appending to a value must not overwrite the text after it.
func TestObjectValuesAreApart(t *testing.T) {
	obj, err := ParseObject([]byte(`{"a":1,"b":2}`), ObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := obj.Get("a")
	_ = append(a, "999999"...)
	if b, _ := obj.Get("b"); string(b) != "2" {
		t.Errorf("b became %s", b)
	}
}

// rebuild encodes an object from its members.
func rebuild(t *testing.T, obj Object) jsontext.Value {
	text := []byte("{")
	for i, name := range obj.Names() {
		if i > 0 {
			text = append(text, ',')
		}
		value, ok := obj.Get(name)
		if !ok {
			t.Fatalf("no value for %q", name)
		}
		text = append(append(AppendString(text, name), ':'), value...)
	}
	return append(text, '}')
}

func FuzzParseObject(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"type":"prompt","text":"x"}`, `[1]`, `null`, `{bad`, `{} {}`, `{"a":1,"a":{"b":[2]}}`, `{"a":"\ud800"}`, `{"\udc00":["\ud83d\ude00\ud83d"]}`,
		"{\"a\":\"\xff\"}", `{"a":"\u0041\n\"[{"}`, nested(9), `{"a":[[[[[[[[[]]]]]]]]]}`, ` {"a" : 1.50e3 , "b":-0} `, `{"a":01}`, `{"a":1,}`,
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, line []byte, duplicates bool) {
		const depth = 8
		original := string(line)
		obj, err := ParseObject(line, ObjectOptions{LastDuplicateWins: duplicates, MaxDepth: depth})
		var whole jsontext.Value
		oracle := json.Unmarshal(line, &whole, jsontext.AllowDuplicateNames(duplicates), jsontext.AllowInvalidUTF8(true))
		valid := oracle == nil && utf8.Valid(line) && whole.Kind() == jsontext.KindBeginObject && depthOf(t, whole) <= depth
		if valid != (err == nil) {
			t.Fatalf("ParseObject: %v; the library: %v", err, oracle)
		}
		if string(line) != original {
			t.Fatal("the line was changed")
		}
		if err != nil {
			if text := err.Error(); text == "" || len(text) > 300 {
				t.Errorf("unfit error text %q", text)
			}
			return
		}
		if duplicates {
			return
		}
		again := rebuild(t, obj)
		if err := errors.Join(again.Format(), whole.Format(jsontext.AllowInvalidUTF8(true))); err != nil {
			t.Fatal(err)
		}
		if string(again) != string(whole) {
			t.Errorf("rebuilt %s from %s", again, whole)
		}
	})
}

// depthOf returns the number of levels that the library reports.
func depthOf(t *testing.T, value jsontext.Value) int {
	deepest := 0
	d := jsontext.NewDecoder(strings.NewReader(string(value)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		if _, err := d.ReadToken(); err != nil {
			t.Fatal(err)
		}
		deepest = max(deepest, d.StackDepth())
		if d.StackDepth() == 0 {
			return deepest
		}
	}
}
