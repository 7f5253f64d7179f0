package schema

import (
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

// A small wire, with what wires have: words, unions, trees, parts of other structs.
type (
	colour string

	mark interface{ isMark() }

	more struct {
		Depth int `json:"depth"`
	}

	node struct {
		more
		*Shade
		Name     string         `json:"name"`
		Colour   *colour        `json:"colour,omitzero"`
		Children []*node        `json:"children"`
		Marks    []mark         `json:"marks,omitempty"`
		Raw      jsontext.Value `json:"raw"`
		Secret   string         `json:"-"`
		_        int
	}

	Shade struct {
		Dark *bool `json:"dark"`
	}
)

var wire = Types{
	Structs: []Type{Of[node](), As[Shade]("Darkness")},
	Words:   map[Type][]string{Of[colour](): {"red", "blue"}},
	Forms:   map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[mark](): Ref("Mark")},
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestDefine(t *testing.T) {
	for _, test := range []struct {
		name  string
		types func(*Types)
		of    Type
		want  string
	}{
		{
			"a struct that contains itself, and others", func(*Types) {}, Of[node](),
			`{"type":"object","properties":{"depth":{"type":"integer"},"dark":{"type":"boolean"},"name":{"type":"string"},"colour":{"$ref":"#/$defs/colour"},` +
				`"children":{"type":"array","items":{"$ref":"#/$defs/node"}},"marks":{"type":"array","items":{"$ref":"#/$defs/Mark"}},"raw":true},` +
				`"required":["depth","dark","name","children","raw"]}`,
		},
		{
			"closed", func(all *Types) { all.Closed = true }, Of[Shade](),
			`{"type":"object","properties":{"dark":{"type":"boolean"}},"required":["dark"],"additionalProperties":false}`,
		},
		{
			"nullable", func(all *Types) { all.Nullable = []string{"dark"} }, Of[Shade](),
			`{"type":"object","properties":{"dark":{"type":["null","boolean"]}},"required":["dark"]}`,
		},
		{
			"amended", func(all *Types) {
				all.Amend = func(of Type, s *jsonschema.Schema) {
					s.Title = of.Name()
					Add(s, "light?", OrNull(Kind("integer")))
				}
			}, As[Shade]("Darkness"),
			`{"type":"object","properties":{"dark":{"type":"boolean"},"light":{"type":["integer","null"]}},"title":"Darkness","required":["dark"]}`,
		},
		{
			"a form of raw text", func(all *Types) {
				all.Structs = nil
				all.Forms = map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[jsontext.Value](): Map(Anything())}
			}, Of[struct {
				Raw jsontext.Value `json:"raw"`
			}](),
			`{"type":"object","properties":{"raw":{"type":"object","additionalProperties":true}},"required":["raw"]}`,
		},
		{"nothing in it", func(*Types) {}, Of[struct{}](), `{"type":"object"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := wire
			test.types(&all)
			s, err := all.Define(test.of)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, text(t, s)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestDefineFails(t *testing.T) {
	if s, err := wire.Define(Of[struct{ F func() }]()); err == nil {
		t.Errorf("a function is %s", text(t, s))
	}
}

// TestDocument has each definition once, and lets those stand that were there.
func TestDocument(t *testing.T) {
	document := func() *jsonschema.Schema {
		return &jsonschema.Schema{Title: "T", Defs: map[string]*jsonschema.Schema{"Mark": Const("x"), "Darkness": Kind("boolean")}, AnyOf: Refs("node", "Mark")}
	}
	got, err := wire.Document(document())
	if err != nil {
		t.Fatal(err)
	}
	again, err := wire.Document(document())
	if err != nil || string(again) != string(got) {
		t.Errorf("first %s\nthen %s, %v", got, again, err)
	}
	var doc jsonschema.Schema
	if err := json.Unmarshal(got, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Defs) != 4 || doc.Schema != "https://json-schema.org/draft/2020-12/schema" || got[len(got)-1] != '\n' {
		t.Errorf("%s", got)
	}
	for name, want := range map[string]string{
		"Mark": `{"const":"x"}`, "Darkness": `{"type":"boolean"}`, "colour": `{"type":"string","enum":["red","blue"]}`,
	} {
		if s := text(t, doc.Defs[name]); s != want {
			t.Errorf("%s is %s, want %s", name, s, want)
		}
	}
	resolved, err := doc.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]bool{
		`{"depth":0,"dark":true,"name":"a","children":[{"depth":1,"dark":false,"name":"b","children":[],"raw":7,"new":1}],"raw":null}`: true,
		`{"depth":0,"dark":true,"name":"a","children":[{"depth":1,"dark":false,"children":[],"raw":7}],"raw":null}`:                    false,
		`{"depth":0,"dark":true,"name":"a","children":null,"raw":1}`:                                                                   false,
		`{"depth":0,"dark":true,"name":"a","children":[],"raw":1,"colour":"green"}`:                                                    false,
		`"x"`: true,
	} {
		var value any
		if err := json.Unmarshal([]byte(line), &value); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); (err == nil) != want {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestBuild(t *testing.T) {
	for _, c := range []struct {
		want string
		s    *jsonschema.Schema
	}{
		{`{"$ref":"#/$defs/a"}`, AnyOf(Type{as: "a"})},
		{`{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}]}`, AnyOf(Type{as: "a"}, Type{as: "b"})},
		{`{"const":1}`, Const(1)},
		{`{"type":"string","enum":["a","b"]}`, Enum[colour]("a", "b")},
		{`{"type":"array","items":{"type":"string"}}`, List(Kind("string"))},
		{`{"type":"object","additionalProperties":{"type":"string"}}`, Map(Kind("string"))},
		{`{"type":["string","null"]}`, OrNull(Kind("string"))},
		{`{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}]}`, OrNull(Ref("a"))},
		{`{"anyOf":[{"type":"string","enum":["a"]},{"type":"null"}]}`, OrNull(Enum("a"))},
		{`{"type":"object","properties":{"b":true,"a":false},"required":["a"]}`, Object("b?", Anything(), "a", Nothing())},
	} {
		if got := text(t, c.s); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	text := Kind("string")
	if OrNull(text); text.Type != "string" {
		t.Error("what may be null here may be null everywhere")
	}
}

func TestEach(t *testing.T) {
	seen := map[string]string{}
	Each(Object("a", Object("b", List(List(Kind("string")))), "c", Ref("d")), func(member string, s *jsonschema.Schema) {
		seen[member] += s.Type + s.Ref + ";"
	})
	want := map[string]string{"a": "object;", "b": "array;", "": "array;string;", "c": "#/$defs/d;"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
