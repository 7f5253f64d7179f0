package dialecttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"go.uber.org/goleak"

	"parley.dev/parley/internal/dialect/schema"
	"parley.dev/parley/internal/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A recorder keeps what a check has to say. Its Fatalf panics with errFatal.
type recorder struct{ said []string }

var errFatal = errors.New("fatal")

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(errFatal)
}

// findings returns what a check says.
func findings(check func(Tester)) []string {
	r := &recorder{}
	func() {
		defer func() {
			if p := recover(); p != nil && p != errFatal {
				panic(p)
			}
		}()
		check(r)
	}()
	return r.said
}

// TestCheckSeesBreaches: each kind of breach is found, so that silence means something.
func TestCheckSeesBreaches(t *testing.T) {
	closed := schema.Object("a", schema.Kind("string"))
	closed.AdditionalProperties = schema.Nothing()
	part := Parts(func() ([]byte, error) {
		return schema.Types{}.Document(&jsonschema.Schema{Defs: map[string]*jsonschema.Schema{
			"Open":     schema.Object("a", schema.Kind("string"), "b?", schema.Object("c", schema.Kind("integer"))),
			"Nullable": schema.Object("a", schema.OrNull(schema.Kind("string"))),
			"Loose":    schema.Object("a", schema.Anything()),
			"Closed":   closed,
		}})
	})
	without := func(v any) []any {
		if _, ok := v.(map[string]any); ok {
			return []any{map[string]any{}}
		}
		return nil
	}
	whole := Sample{Text: []byte(`{"a":"x","b":{"c":1}}`), Spoil: without}
	plain := Sample{Text: []byte(`{"a":"x"}`), Spoil: without}
	free := plain
	free.Free = func(member string) bool { return member == "a" }
	nullable := plain
	nullable.Nullable = free.Free
	for _, test := range []struct {
		name   string
		sample Sample
		want   string // part of the first finding; "": none
	}{
		{"Open", whole, ""},
		{"Open", Sample{Text: []byte(`{"b":7}`)}, `{"b":7}`},
		{"Open", nullable, "a null: validating"},
		{"Open", Sample{Text: plain.Text, Spoil: func(any) []any { return []any{"y"} }}, "a may be y"},
		{"Open", Sample{Text: plain.Text, Spoil: without, More: map[string]any{"b": 1.0}}, "objects are not open"},
		{"Nullable", plain, "a null: <nil>"},
		{"Nullable", nullable, ""},
		{"Loose", nullable, "a may be 7.5"},
		{"Loose", free, ""},
		{"Closed", plain, "objects are not open"},
	} {
		said := findings(func(t Tester) { part(test.name).Check(t, test.sample) })
		if test.want == "" && len(said) > 0 || test.want != "" && (len(said) == 0 || !strings.Contains(said[0], test.want)) {
			t.Errorf("%s %s: said %q, want %q", test.name, test.sample.Text, said, test.want)
		}
	}
}

func TestCheckClosed(t *testing.T) {
	for input, want := range map[string]string{
		`{"type":"object","additionalProperties":false}`: "",
		`{"type":"object"}`: "x is open",
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}},"additionalProperties":false}`: "x.a[] is open",
	} {
		tools := Toolset{Bindings: []engine.Binding{{Name: "x", Schema: jsontext.Value(input)}, {Name: "ours"}}}
		if said := strings.Join(findings(func(t Tester) { tools.CheckClosed(t) }), "\n"); said != want {
			t.Errorf("%s: said %q, want %q", input, said, want)
		}
	}
}

func TestBinding(t *testing.T) {
	tools := Toolset{Bindings: []engine.Binding{{Name: "a", Tool: "read"}, {Name: "b", Tool: "write"}}}
	if b := tools.Binding(t, "b"); b.Tool != "write" {
		t.Errorf("%+v", b)
	}
	if said := findings(func(t Tester) { tools.Binding(t, "c") }); len(said) != 1 {
		t.Errorf("%q", said)
	}
}

func TestDeclared(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("room", 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"room/protocol.go":  "package room\n\ntype A struct{}\n",
		"protocol.go":       "package p\n\ntype A struct {\n\tType string // \"a\"\n}\n\ntype Word string\n\nconst (\n\tRed Word = \"red\"\n\tEventX = \"x\"\n\tLimit = 7\n)\n\nvar v int\n",
		"protocol_extra.go": "package p\n\ntype (\n\tB struct{ N int }\n\tC interface{ c() }\n)\n",
		"other.go":          "package p\n\ntype D struct{}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	structs, constants := Declared(t)
	if diff := cmp.Diff([]Struct{{"p", "A", "a", true}, {"p", "B", "", false}, {"room", "A", "", false}}, structs); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]Constant{{"Red", "Word", "red"}, {"EventX", "", "x"}}, constants); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// echo answers each line with itself, and at the end says something that is no line.
func echo(ctx context.Context, args []string, stdin io.Reader, stdout, _ io.Writer, env []string) int {
	if _, err := io.Copy(stdout, stdin); err != nil {
		return 1
	}
	fmt.Fprint(stdout, args[0], Getenv(env)("LANG"))
	return 3
}

// TestClient talks to a process whose lines are tapped.
func TestClient(t *testing.T) {
	p := NewPlace(t, t.TempDir(), "text Hello.\n")
	var seen []string
	note := func(mark string) func([]byte) {
		return func(line []byte) { seen = append(seen, mark+string(line)) }
	}
	c := p.Dial(t, Tapped(echo, note(">"), note("<"), func(rest string) { seen = append(seen, rest) }), "bye ")
	c.Send("a\nb")
	if line, ok := c.Next(); line != "a" || !ok {
		t.Errorf("%q, %t", line, ok)
	}
	c.Send("\n")
	c.HangUp()
	if line, ok := c.Next(); line != "b" || !ok {
		t.Errorf("%q, %t", line, ok)
	}
	if line, ok := c.Next(); ok {
		t.Errorf("then comes %q", line)
	}
	if code := c.Over(); code != 3 {
		t.Errorf("exit code %d", code)
	}
	if diff := cmp.Diff([]string{">a", "<a", ">b", "<b", "bye C.UTF-8"}, seen); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestReport(t *testing.T) {
	said := findings(func(t Tester) { Report(t, []string{"PWD=/x", "PWD=/tmp/story/home/work"}, []string{"no end"}) })
	if len(said) != 1 || said[0] != "story: no end" {
		t.Errorf("%q", said)
	}
}

func TestModels(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("text Hello.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := NewModels(Getenv([]string{"PARLEY_OFFLINE_SCRIPT=" + script}))
	if m.Default() != "offline/demo" {
		t.Error(m.Default())
	}
	for _, offer := range Offers(m, m.Names()...) {
		if r, err := m.Resolve(offer.Name); err != nil || r.Provider == nil || !offer.Info.Known || offer.Info.Name != offer.Name {
			t.Errorf("%+v: %v", offer, err)
		}
	}
	if _, err := m.Resolve("openai/gpt-x"); err == nil || !strings.Contains(err.Error(), "openai/gpt-x") {
		t.Errorf("%v", err)
	}
}
