package wire

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestRecoverObject(t *testing.T) {
	for _, test := range []struct{ name, line, want string }{
		{"cut in a string", `{"id":7,"text":"cut`, `7`},
		{"cut after the id", `{"id":"a",`, `"a"`},
		{"cut in the id", `{"id":"a`, ``},
		{"cut in a number", `{"id":12`, ``},
		{"cut in the name", `{"id`, ``},
		{"cut after a backslash", `{"id":1,"a":"\`, `1`},
		{"nesting", `{"a":` + strings.Repeat("[", 999) + strings.Repeat("]", 999) + `,"id":"late"}`, `"late"`},
		{"invalid UTF-8 before", "{\"a\xff\":\"\xff\\\"\",\"id\":1}", `1`},
		{"invalid UTF-8 in the id", "{\"id\":\"\xff\"}", ``},
		{"raw control character", "{\"a\":\"x\ty\",\"id\":1}", `1`},
		{"a bad value", `{"a":tru,"id":1}`, `1`},
		{"a bad escape", `{"a":"\q","id":1}`, `1`},
		{"a bad value inside", `{"a":{"b":[nul]},"id":1}`, `1`},
		{"the id is bad", `{"id":01,"a":2}`, ``},
		{"no comma", `{"a":"said "hi"","id":1}`, ``},
		{"no comma after", `{"id":1 "a":2}`, `1`},
		{"a comma too many", `{"id":1,}`, `1`},
		{"text after", `{"id":1} x`, `1`},
		{"twice", `{"id":1,"a":2,"a":3,"id":4,`, `4`},
		{"inside", `{"a":{"id":1},"b":["id",2,"\"id\":3"],"c":"\",\"id\":4"`, ``},
		{"an object", `{"id":{"a":[1,null]},`, ``},
		{"half a pair", `{"id":"\ud83d","a`, `"\ufffd"`},
		{"escaped name", `{"\u0069d":1,`, `1`},
		{"blanks", " \t{ \"id\" : -1.5e3 , \"a\"", `-1.5e3`},
		{"array", `[{"id":1}`, ``},
		{"nothing", ``, ``},
		{"closed too often", `{"id":1],"id":2}`, `1`},
	} {
		obj := RecoverObject([]byte(test.line))
		if got, _ := obj.Get("id"); string(got) != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

// FuzzRecoverObject checks that each scalar of a valid object is recovered, from a part of it only
// members of the whole, and that every recovered value can be sent.
func FuzzRecoverObject(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"id":7,"method":"a/b","params":{"x":[1,{"id":2}]}}`, `[1]`, `{bad`, `{"id":1,"id":"\ud800"}`, "{\"id\":\"\xff\",\"a\":1}",
		` {"a" : 1.50e3 , "b":-0, "c":"\"}"} `, `{"a":01,"b":tru}`, `{"a":"said "id"","id":1}`, `{"a":[[[{"b":`, `{"a":1}}`,
	} {
		f.Add([]byte(seed), uint(9))
	}
	f.Fuzz(func(t *testing.T, line []byte, cut uint) {
		original := string(line)
		part := RecoverObject(line[:cut%uint(len(line)+1)])
		all := RecoverObject(line)
		if string(line) != original {
			t.Fatal("the line was changed")
		}
		for _, m := range append(part.members, all.members...) {
			if len(m.value) > 0 && !m.value.IsValid() {
				t.Errorf("%q was recovered of %q", m.value, line)
			}
		}
		if len(part.members) > len(all.members) {
			t.Fatalf("a part has %d members, the whole %d", len(part.members), len(all.members))
		}
		for i, m := range part.members {
			isCut := i == len(part.members)-1 && len(m.value) == 0
			if got := all.members[i]; string(got.name) != string(m.name) || string(got.value) != string(m.value) && !isCut {
				t.Errorf("a part has %s: %s, the whole %s: %s", m.name, m.value, got.name, got.value)
			}
		}
		obj, err := ParseObject(line, ObjectOptions{LastDuplicateWins: true})
		if err != nil {
			return
		}
		if len(obj.members) != len(all.members) {
			t.Fatalf("recovered %q, want %q", all.Names(), obj.Names())
		}
		for i, m := range obj.members {
			want := string(m.value)
			if kind := m.value.Kind(); kind == jsontext.KindBeginObject || kind == jsontext.KindBeginArray {
				want = ""
			}
			if got := all.members[i]; string(got.name) != string(m.name) || string(got.value) != want {
				t.Errorf("recovered %s: %s, want %s: %s", got.name, got.value, m.name, want)
			}
		}
	})
}
