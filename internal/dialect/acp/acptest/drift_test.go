package acptest

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var (
	sdk    = flag.String("sdk", "", "the unpacked npm package to compare the schemas with; see make acp-schema")
	update = flag.Bool("update-official", false, "write the schemas of -sdk")
)

// published are the schemas of the package that are checked in.
var published = map[string]string{V1: "schema/v1/schema.json", V1Unstable: "schema/v1/schema.unstable.json", V2: "schema/v2/schema.json"}

// prose is the keywords that say something to readers or to a code generator, and nothing about shapes.
var prose = []string{
	"title", "description", "examples", "$comment", "deprecated", "x-docs-ignore",
	"x-deserialize-default-on-error", "x-deserialize-default-on-null", "x-deserialize-skip-invalid-items",
}

// literal is the keywords whose values are no schemas.
var literal = []string{"default", "const", "enum", "required", "type", "discriminator"}

// shapes removes the prose from a schema.
func shapes(value any) any {
	switch value := value.(type) {
	case []any:
		list := make([]any, len(value))
		for i, v := range value {
			list[i] = shapes(v)
		}
		return list
	case map[string]any:
		kept := map[string]any{}
		for word, v := range value {
			switch {
			case slices.Contains(prose, word):
			case slices.Contains(literal, word):
				kept[word] = v
			case word == "properties" || word == "$defs" || word == "patternProperties":
				kept[word] = named(v)
			default:
				kept[word] = shapes(v)
			}
		}
		return kept
	}
	return value
}

// named removes the prose from schemas with names, which may be any words.
func named(value any) any {
	members, ok := value.(map[string]any)
	if !ok {
		return value
	}
	kept := map[string]any{}
	for name, v := range members {
		kept[name] = shapes(v)
	}
	return kept
}

// stripped returns the schema of a package as it is checked in: one line for each definition.
func stripped(text []byte, source string) ([]byte, error) {
	var whole map[string]any
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, err
	}
	kept := shapes(whole).(map[string]any)
	defs, ok := kept["$defs"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the schema has no definitions")
	}
	var b strings.Builder
	line := func(name string, value any, end string) error {
		text, err := json.Marshal(value, json.Deterministic(true), jsontext.EscapeForHTML(false))
		fmt.Fprintf(&b, "%q: %s%s\n", name, text, end)
		return err
	}
	b.WriteString("{\n")
	if err := line("$comment", source, ","); err != nil {
		return nil, err
	}
	for _, word := range slices.Sorted(maps.Keys(kept)) {
		if word != "$defs" {
			if err := line(word, kept[word], ","); err != nil {
				return nil, err
			}
		}
	}
	b.WriteString("\"$defs\": {\n")
	for i, name := range slices.Sorted(maps.Keys(defs)) {
		end := ","
		if i == len(defs)-1 {
			end = ""
		}
		if err := line(name, defs[name], end); err != nil {
			return nil, err
		}
	}
	b.WriteString("}\n}\n")
	return []byte(b.String()), nil
}

// facts returns what a schema says, one line for each thing that can be added or removed: methods, types, members, values.
func facts(text []byte) (map[string]bool, error) {
	var whole struct {
		Defs map[string]map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for name, def := range whole.Defs {
		all["type "+name] = true
		if method, ok := def["x-method"]; ok {
			all[fmt.Sprintf("method %v to %v (%s)", method, def["x-side"], name)] = true
		}
		factsOf(all, name, def)
	}
	return all, nil
}

// factsOf adds what a schema at a path says.
func factsOf(all map[string]bool, path string, value any) {
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			factsOf(all, path, v)
		}
	case map[string]any:
		for word, v := range value {
			switch word {
			case "properties":
				for name, member := range v.(map[string]any) {
					all["member "+path+"."+name] = true
					factsOf(all, path+"."+name, member)
				}
			case "required":
				for _, name := range v.([]any) {
					all[fmt.Sprintf("required %s.%v", path, name)] = true
				}
			case "const":
				all[fmt.Sprintf("value %s = %v", path, v)] = true
			case "enum":
				for _, one := range v.([]any) {
					all[fmt.Sprintf("value %s = %v", path, one)] = true
				}
			case "type", "$ref", "minimum", "maximum", "minLength", "minItems", "format":
				all[fmt.Sprintf("shape %s: %s %v", path, word, v)] = true
			case "default", "discriminator", "x-method", "x-side":
			default:
				factsOf(all, path, v)
			}
		}
	}
}

// drift returns what was added (+) and removed (-) between two schemas, sorted by what it concerns.
func drift(old, newer []byte) ([]string, error) {
	before, err := facts(old)
	if err != nil {
		return nil, err
	}
	after, err := facts(newer)
	if err != nil {
		return nil, err
	}
	var lines []string
	for fact := range after {
		if !before[fact] {
			lines = append(lines, "+ "+fact)
		}
	}
	for fact := range before {
		if !after[fact] {
			lines = append(lines, "- "+fact)
		}
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[2:]+a[:1], b[2:]+b[:1]) })
	return lines, nil
}

// TestDriftOfOfficialSchema compares the schemas that are checked in with those of a package, or writes them. Only make acp-schema
// names one.
func TestDriftOfOfficialSchema(t *testing.T) {
	if *sdk == "" {
		t.Skip("no package is named: make acp-schema")
	}
	text, err := os.ReadFile(filepath.Join(*sdk, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var about struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		License string `json:"license"`
	}
	if err := json.Unmarshal(text, &about); err != nil {
		t.Fatal(err)
	}
	for _, draft := range slices.Sorted(maps.Keys(published)) {
		text, err := os.ReadFile(filepath.Join(*sdk, published[draft]))
		if err != nil {
			t.Fatal(err)
		}
		source := fmt.Sprintf("Names and shapes of %s in the npm package %s %s, licence %s", published[draft], about.Name, about.Version, about.License)
		newer, err := stripped(text, source)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("schema", draft+".json")
		if *update {
			if err := os.WriteFile(path, newer, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		old, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := drift(old, newer)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			t.Errorf("%s %s: %s", about.Version, draft, line)
		}
	}
}

// TestOfficialSchemaHasNoProse wants nothing but names and shapes in what is checked in.
func TestOfficialSchemaHasNoProse(t *testing.T) {
	for draft := range published {
		text, err := os.ReadFile(filepath.Join("schema", draft+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var whole map[string]any
		if err := json.Unmarshal(text, &whole); err != nil {
			t.Fatal(err)
		}
		source, _ := whole["$comment"].(string)
		again, err := stripped(text, source)
		if err != nil {
			t.Fatal(err)
		}
		if string(again) != string(text) {
			t.Errorf("schema/%s.json is not as make acp-schema UPDATE=1 writes it", draft)
		}
	}
}

func TestStripped(t *testing.T) {
	const published = `{"title":"x","$defs":{"A":{"description":"d","type":"object","properties":{"title":{"title":"t","type":"string"},` +
		`"default":{"const":{"title":"kept"}}},"x-method":"m","x-docs-ignore":true}}}`
	const want = `{
"$comment": "source",
"$defs": {
"A": {"properties":{"default":{"const":{"title":"kept"}},"title":{"type":"string"}},"type":"object","x-method":"m"}
}
}
`
	got, err := stripped([]byte(published), "source")
	if err != nil || string(got) != want {
		t.Errorf("%s %v", got, err)
	}
}

func TestDrift(t *testing.T) {
	const old = `{"$defs":{"NewRequest":{"type":"object","properties":{"a":{"type":"string"},"b":{"$ref":"#/$defs/Kind"}},"required":["a"],"x-method":"new","x-side":"agent"},` +
		`"Kind":{"oneOf":[{"const":"x"},{"const":"y"}]}}}`
	const newer = `{"$defs":{"NewRequest":{"type":"object","properties":{"a":{"type":"integer"},"c":{"$ref":"#/$defs/Kind"}},"x-method":"make","x-side":"agent"},` +
		`"Kind":{"oneOf":[{"const":"x"},{"const":"z"}]},"More":{"enum":["e"]}}}`
	want := []string{
		"- member NewRequest.b", "+ member NewRequest.c",
		"+ method make to agent (NewRequest)", "- method new to agent (NewRequest)",
		"- required NewRequest.a",
		"+ shape NewRequest.a: type integer", "- shape NewRequest.a: type string",
		"- shape NewRequest.b: $ref #/$defs/Kind", "+ shape NewRequest.c: $ref #/$defs/Kind",
		"+ type More",
		"- value Kind = y", "+ value Kind = z", "+ value More = e",
	}
	got, err := drift([]byte(old), []byte(newer))
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q %v, want %q", got, err, want)
	}
	if same, err := drift([]byte(old), []byte(old)); err != nil || len(same) > 0 {
		t.Errorf("between a schema and itself: %q %v", same, err)
	}
}
