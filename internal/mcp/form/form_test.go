package form

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func same(text string) string { return text }

func TestParseRefuses(t *testing.T) {
	for name, test := range map[string]struct{ schema, want string }{
		"no object": {`[]`, "cannot be read"},
		"type":      {`{"type":"array"}`, "not object"},
		"nested":    {`{"properties":{"a":{"type":"object"}}}`, `the field "a": the type "object"`},
		"free list": {`{"properties":{"a":{"type":"array","items":{"type":"string"}}}}`, "lists of an enum"},
		"pattern":   {`{"properties":{"a":{"type":"string","pattern":"("}}}`, "cannot be used"},
	} {
		if _, err := Parse(jsontext.Value(test.schema), same); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	fields := make([]string, maxFields+1)
	for i := range fields {
		fields[i] = `"` + strings.Repeat("x", i+1) + `":{"type":"string"}`
	}
	if _, err := Parse(jsontext.Value(`{"properties":{`+strings.Join(fields, ",")+`}}`), same); err == nil {
		t.Error("a form without end is taken")
	}
}

func TestValue(t *testing.T) {
	for name, test := range map[string]struct {
		schema string
		answer []string
		want   string // JSON; or !, and a part of the problem
	}{
		"text":              {`{"type":"string"}`, []string{" a b "}, `" a b "`},
		"nothing":           {`{"type":"string"}`, nil, `null`},
		"too long":          {`{"type":"string","maxLength":2}`, []string{"abc"}, "!at most 2 characters"},
		"integer":           {`{"type":"integer"}`, []string{" 7 "}, `7`},
		"fraction":          {`{"type":"integer"}`, []string{"7.5"}, "!whole number"},
		"no number":         {`{"type":"number"}`, []string{"NaN"}, "!a number"},
		"two answers":       {`{"type":"number"}`, []string{"1", "2"}, "!one answer"},
		"out of range":      {`{"type":"number","maximum":5}`, []string{"6"}, "!at most 5"},
		"boolean":           {`{"type":"boolean"}`, []string{"TRUE"}, `true`},
		"no boolean":        {`{"type":"boolean"}`, []string{"2"}, "!yes or no"},
		"label":             {`{"type":"string","oneOf":[{"const":"a","title":"b"},{"const":"b","title":"c"}]}`, []string{"b"}, `"a"`},
		"value":             {`{"type":"string","oneOf":[{"const":"a","title":"b"},{"const":"b","title":"c"}]}`, []string{"a"}, `"a"`},
		"same labels":       {`{"type":"string","oneOf":[{"const":"a","title":"x"},{"const":"b","title":"x"}]}`, []string{"x (2)"}, `"b"`},
		"none of them":      {`{"type":"string","enum":["a"]}`, []string{"x"}, "!one of those"},
		"twice":             {`{"type":"array","items":{"type":"string","enum":["a","b"]}}`, []string{"b", "b"}, `["b"]`},
		"too few":           {`{"type":"array","minItems":2,"items":{"type":"string","enum":["a","b"]}}`, []string{"b"}, "!at least 2"},
		"default of a list": {`{"type":"array","default":["a"],"items":{"type":"string","enum":["a","b"]}}`, nil, `["a"]`},
		"wrong default":     {`{"type":"integer","default":"x"}`, nil, `null`},
		"date":              {`{"type":"string","format":"date"}`, []string{"2026-02-30"}, "!a date"},
		"time":              {`{"type":"string","format":"date-time"}`, []string{"2026-02-03T04:05:06Z"}, `"2026-02-03T04:05:06Z"`},
		"address":           {`{"type":"string","format":"uri"}`, []string{"example.com"}, "!its scheme"},
	} {
		f, err := Parse(jsontext.Value(`{"type":"object","properties":{"f":`+test.schema+`}}`), same)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		value, err := f.Fields[0].Value(test.answer)
		got, _ := json.Marshal(value)
		if problem, refused := strings.CutPrefix(test.want, "!"); refused {
			if err == nil || !strings.Contains(err.Error(), problem) {
				t.Errorf("%s: %s, %v", name, got, err)
			}
		} else if err != nil || string(got) != test.want {
			t.Errorf("%s: %s, %v, want %s", name, got, err, test.want)
		}
	}
}

// FuzzForm: a form that is parsed can be shown, and its defaults fit it.
func FuzzForm(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"string","enum":["x"],"default":"x"}},"required":["a"]}`), "x")
	f.Fuzz(func(t *testing.T, schema []byte, answer string) {
		form, err := Parse(schema, same)
		if err != nil {
			return
		}
		_, _ = form.Defaults()
		for _, field := range form.Fields {
			_ = field.Question("")
			if value, err := field.Value([]string{answer}); err == nil && value != nil && field.check(value) != nil {
				t.Errorf("%s: %v is taken, but does not fit", field.Name, value)
			}
		}
	})
}

// TestFill: a form that was filled in as a whole has its values, and the fields whose values do not fit have a problem each.
func TestFill(t *testing.T) {
	f, err := Parse(jsontext.Value(`{"properties":{"name":{"type":"string"},"age":{"type":"integer","default":3},"size":{"type":"string","enum":["s","l"]}},"required":["name"]}`), same)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		object, content, problems string
	}{
		"whole":      {`{"name":"Ann","age":4,"size":"l","more":1}`, `{"age":4,"name":"Ann","size":"l"}`, ``},
		"defaults":   {`{"name":"Ann","size":null}`, `{"age":3,"name":"Ann"}`, ``},
		"wrong":      {`{"name":7,"age":"old","size":"x"}`, `{}`, `age name size`},
		"missing":    {`{}`, `{"age":3}`, `name`},
		"no object":  {`[1]`, `{"age":3}`, `name`},
		"no content": {``, `{"age":3}`, `name`},
	} {
		content, problems := f.Fill(jsontext.Value(test.object))
		got, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		if names := strings.Join(slices.Sorted(maps.Keys(problems)), " "); string(got) != test.content || names != test.problems {
			t.Errorf("%s: %s, problems of %s; want %s, %s", name, got, names, test.content, test.problems)
		}
	}
}
