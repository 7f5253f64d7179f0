package toolschema

import (
	"maps"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model/profile"
)

func TestFit(t *testing.T) {
	const usual = profile.AnthropicSchema
	for _, test := range []struct {
		name    string
		dialect profile.Schema
		schema  string
		want    string // "": the same bytes
		names   map[string]string
	}{
		{"nothing to do", usual, `{ "type":"object", "$schema":"x", "properties":{"a":{"type":"array","items":{"const":1}}}, "required":["a"] }`, "", nil},
		{"no properties", usual, `{"type":"object"}`, `{"type":"object","properties":{}}`, nil},
		{"no type", usual, `{}`, `{"type":"object","properties":{}}`, nil},
		{"null type", usual, `{"type":["object","null"],"properties":{}}`, `{"type":"object","properties":{}}`, nil},
		{"null", usual, `null`, `{"type":"object","properties":{}}`, nil},
		{"true", usual, `true`, `{"type":"object","properties":{}}`, nil},
		{"cut", usual, `{"type":"obj`, `{"type":"object","properties":{}}`, nil},
		{"empty", usual, ``, `{"type":"object","properties":{}}`, nil},
		{
			"arrays without items", profile.OpenAISchema,
			`{"type":"object","properties":{"a":{"type":"array"},"b":{"type":["array","null"]},"c":{"type":"array","items":[{"type":"string"},{"type":"number"}]},"d":{"type":"array","items":{"type":"array"}}}}`,
			`{"type":"object","properties":{"a":{"type":"array","items":{}},"b":{"type":["array","null"],"items":{}},"c":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}},"d":{"type":"array","items":{"type":"array","items":{}}}}}`, nil,
		},
		{
			"alternatives at the top", usual,
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"anyOf":[{"properties":{"b":{"type":"string"},"c":{"type":"number"}},"required":["b","c"]},{"properties":{"b":{"type":"number"}},"required":["b"]}]}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"anyOf":[{"type":"string"},{"type":"number"}]},"c":{"type":"number"}},"required":["a","b"]}`, nil,
		},
		{"alternatives of required", usual, `{"type":"object","properties":{"a":{},"b":{}},"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"type":"object","properties":{"a":{},"b":{}}}`, nil},
		{
			"all of", usual, `{"allOf":[{"$ref":"#/$defs/A"},{"properties":{"y":{}},"required":["y"]}],"$defs":{"A":{"type":"object","properties":{"x":{}},"required":["x"]}}}`,
			`{"$defs":{"A":{"type":"object","properties":{"x":{}},"required":["x"]}},"properties":{"x":{},"y":{}},"required":["x","y"],"type":"object"}`, nil,
		},
		{"reference at the top", usual, `{"$ref":"#/definitions/A","definitions":{"A":{"type":"object","properties":{"x":{}}}}}`, `{"definitions":{"A":{"type":"object","properties":{"x":{}}}},"type":"object","properties":{"x":{}}}`, nil},
		{"reference to itself", usual, `{"$ref":"#","anyOf":[{"$ref":"#"}]}`, `{"type":"object","properties":{}}`, nil},
		{
			"names", usual, `{"type":"object","properties":{"bad key!":{"type":"object","properties":{"$filter":{}},"required":["$filter"]},"$filter":{},"_filter":{}},"required":["bad key!"]}`,
			`{"type":"object","properties":{"bad_key_":{"type":"object","properties":{"_filter_2":{}},"required":["_filter_2"]},"_filter_2":{},"_filter":{}},"required":["bad_key_"]}`,
			map[string]string{"bad_key_": "bad key!", "_filter_2": "$filter"},
		},
		{"names that OpenAI takes", profile.OpenAISchema, `{"type":"object","properties":{"$filter":{}}}`, "", nil},
		{"empty enum", profile.OpenAISchema, `{"type":"object","properties":{"a":{"type":"string","enum":[]}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, nil},
		{"boolean schema", profile.OpenAISchema, `{"type":"object","properties":{"a":true}}`, `{"type":"object","properties":{"a":{}}}`, nil},
		{"keywords that only Gemini refuses", usual, `{"type":"object","properties":{"a":{"type":"number","exclusiveMinimum":0},"b":{"patternProperties":{"x":{}}}},"additionalProperties":false}`, "", nil},
		{
			"Gemini: keywords", profile.GoogleSchema,
			`{"$schema":"s","type":"object","properties":{"a":{"const":"x"},"b":{"type":"number","exclusiveMinimum":0},"c":{"type":"object","patternProperties":{"^x":{}},"additionalProperties":false},"d":{"type":"string","format":"uri"},"e":{"type":"string","format":"date-time"},"f":{"enum":[1,2]}},"required":["a","zz"],"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"enum":["x"],"type":"string"},"b":{"type":"number","minimum":0},"c":{"type":"object"},"d":{"type":"string"},"e":{"type":"string","format":"date-time"},"f":{}},"required":["a"]}`, nil,
		},
		{
			"Gemini: references", profile.GoogleSchema,
			`{"type":"object","properties":{"tree":{"$ref":"#/$defs/Node"},"list":{"type":"array"}},"$defs":{"Node":{"type":"object","properties":{"name":{"type":"string"},"next":{"$ref":"#/$defs/Node"}}}}}`,
			`{"type":"object","properties":{"tree":{"type":"object","properties":{"name":{"type":"string"},"next":{"type":"object"}}},"list":{"type":"array","items":{"type":"string"}}}}`, nil,
		},
		{
			"Gemini: choices", profile.GoogleSchema,
			`{"type":"object","properties":{"a":{"type":["string","null"],"description":"d"},"b":{"oneOf":[{"type":"string"},{"type":"number"}]},"c":{"anyOf":[{"type":"integer"},{"type":"null"}]},"d":{"type":["string","number"]},"e":{"allOf":[{"$ref":"#/$defs/S"}]}},"$defs":{"S":{"type":"string"}}}`,
			`{"type":"object","properties":{"a":{"description":"d","nullable":true,"type":"string"},"b":{"anyOf":[{"type":"string"},{"type":"number"}]},"c":{"nullable":true,"type":"integer"},"d":{"anyOf":[{"type":"string"},{"type":"number"}]},"e":{"type":"string"}}}`, nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Fit(jsontext.Value(test.schema), test.dialect)
			if test.want == "" {
				test.want = test.schema
			}
			if diff := cmp.Diff(test.want, string(got.Schema)); diff != "" {
				t.Error(diff)
			}
			if !maps.Equal(got.Names, test.names) {
				t.Errorf("names are %v", got.Names)
			}
			if again := Fit(got.Schema, test.dialect); string(again.Schema) != string(got.Schema) {
				t.Errorf("it is not final: %s", again.Schema)
			}
		})
	}
}

func TestRenamed(t *testing.T) {
	names := map[string]string{"_filter": "$filter", "bad_key_": "bad key!"}
	for _, test := range []struct{ input, want string }{
		{`{"_filter":{"bad_key_":[{"_filter":1}]},"b": 2}`, `{"$filter":{"bad key!":[{"$filter":1}]},"b":2}`},
		{`{ "b": 2 }`, `{ "b": 2 }`},
		{`"cut"`, `"cut"`},
		{`{"_filter":1,"$filter":2}`, `{"_filter":1,"$filter":2}`},
		{``, ``},
	} {
		if got := string(renamed(jsontext.Value(test.input), names)); got != test.want {
			t.Errorf("%s: %s, want %s", test.input, got, test.want)
		}
	}
}

// Whatever a tool server sends becomes the schema of an object, and the same each time.
func FuzzFit(f *testing.F) {
	for _, seed := range []string{
		`{"type":"object"}`, `{"anyOf":[{"$ref":"#"},{"$ref":"#"}],"oneOf":[{"$ref":"#"},{"$ref":"#/anyOf/0"}],"allOf":[{"$ref":"#"}]}`,
		`{"properties":{"a b":{"type":["array","null"],"items":[true,{}]},"":{"$ref":"#/properties/a b"}},"required":["a b",1]}`,
		`{"properties":{"a":{"$ref":"#"},"b":{"allOf":[{"$ref":"#/properties/b"}]},"c":{"$ref":"#/properties/c"}}}`,
		`[[[`, `{"a":1,"a":2}`, "{\"properties\":{\"\xff\":1}}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, schema []byte) {
		for _, dialect := range []profile.Schema{profile.AnySchema, profile.OpenAISchema, profile.AnthropicSchema, profile.GoogleSchema} {
			got := Fit(schema, dialect)
			var s struct {
				Type       string                    `json:"type"`
				Properties map[string]jsontext.Value `json:"properties"`
				AnyOf      jsontext.Value            `json:"anyOf"`
				OneOf      jsontext.Value            `json:"oneOf"`
				AllOf      jsontext.Value            `json:"allOf"`
			}
			err := json.Unmarshal(got.Schema, &s, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
			if err != nil || s.Type != "object" || s.Properties == nil || s.AnyOf != nil || s.OneOf != nil || s.AllOf != nil {
				t.Fatalf("%q: %s is not the schema of an object: %v", dialect, got.Schema, err)
			}
			for name := range s.Properties {
				if dialect != profile.OpenAISchema && !legal(name) {
					t.Errorf("%q: a property is called %q", dialect, name)
				}
			}
			if again := Fit(schema, dialect); string(again.Schema) != string(got.Schema) {
				t.Errorf("%q: %s, then %s", dialect, got.Schema, again.Schema)
			}
		}
	})
}
