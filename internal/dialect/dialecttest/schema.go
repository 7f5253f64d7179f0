package dialecttest

import (
	"bytes"
	"flag"
	"os"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"parley.dev/parley/internal/dialect/schema"
)

var update = flag.Bool("update-schema", false, "write the checked-in schema")

// CheckedIn holds a dialect's schema to the file that is checked in.
func CheckedIn(t testing.TB, dialect string, document func() ([]byte, error)) {
	t.Helper()
	path := "../../../schema/" + dialect + ".schema.json"
	generated, err := document()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, generated, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(generated, want) {
		t.Errorf("%s is not what protocol.go says: run make schema", path)
	}
}

// A Part is the schema of one of a document's definitions.
type Part struct {
	name string
	all  func() (*jsonschema.Resolved, error)
}

// Parts finds the parts of a document, which it makes when the first is used.
func Parts(document func() ([]byte, error)) func(name string) Part {
	all := sync.OnceValues(func() (*jsonschema.Resolved, error) {
		text, err := document()
		if err != nil {
			return nil, err
		}
		var doc jsonschema.Schema
		if err := json.Unmarshal(text, &doc); err != nil {
			return nil, err
		}
		one := &jsonschema.Schema{Defs: doc.Defs, Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: schema.Nothing()}
		for name := range doc.Defs {
			one.Properties[name] = schema.Ref(name)
		}
		return one.Resolve(nil)
	})
	return func(name string) Part { return Part{name, all} }
}

// Fits returns nil if the value is what the document defines.
func (p Part) Fits(t Tester, value any) error {
	t.Helper()
	all, err := p.all()
	if err != nil {
		t.Fatalf("%v", err)
	}
	return all.Validate(map[string]any{p.name: value})
}

// FitsText is Fits for JSON.
func (p Part) FitsText(t Tester, text string) error {
	t.Helper()
	return p.Fits(t, Decoded(t, []byte(text)))
}

// A Sample is a value as Go writes it, and what may be done to it.
type Sample struct {
	Text     []byte
	Free     func(member string) bool // it may be anything; nil: none
	Nullable func(member string) bool // it may be null; nil: none
	Spoil    func(member any) []any   // values for a member that it may not have, beside those of other types
	More     map[string]any           // members that it may have besides
}

// Check holds a part to a sample: it fits as it is, and with further members, but not when a
// member is null, of another type or spoilt.
func (p Part) Check(t Tester, s Sample) {
	t.Helper()
	if err := p.FitsText(t, string(s.Text)); err != nil {
		t.Fatalf("%s: %v", s.Text, err)
	}
	members := Decoded(t, s.Text).(map[string]any)
	is := func(test func(string) bool, member string) bool { return test != nil && test(member) }
	for member, was := range members {
		if is(s.Free, member) {
			continue
		}
		members[member] = nil
		if err := p.Fits(t, members); (err == nil) != is(s.Nullable, member) {
			t.Errorf("%s null: %v", member, err)
		}
		for _, odd := range append(s.Spoil(was), another(was)) {
			members[member] = odd
			if p.Fits(t, members) == nil {
				t.Errorf("%s may be %v", member, odd)
			}
		}
		members[member] = was
	}
	members["unheardOf"] = []any{}
	for name, value := range s.More {
		members[name] = value
	}
	if err := p.Fits(t, members); err != nil {
		t.Errorf("objects are not open: %v", err)
	}
}

// another returns a value of another type.
func another(v any) any {
	if _, isText := v.(string); isText {
		return 7.5
	}
	return "odd"
}

// Decoded returns the value of a JSON text, in which half a surrogate pair is U+FFFD.
func Decoded(t Tester, text []byte) (value any) {
	t.Helper()
	if err := json.Unmarshal(text, &value, jsontext.AllowInvalidUTF8(true)); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}
