package loaf

import (
	stdjson "encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/tool"
)

// TestToolset holds the names and the required members to the table of what loaf has.
func TestToolset(t *testing.T) {
	want := map[string]struct{ tool, required string }{
		"bash":                  {"shell", "command"},
		"start_background_bash": {"background_start", "command"}, // ours
		"read_background_bash":  {"background_read", "session_id"},
		"write_background_bash": {"background_write", "session_id"},
		"stop_background_bash":  {"background_stop", "session_id"},
		"list_background_bash":  {"background_list", ""},
		"read_file":             {"read", "file_path"},
		"list_dir":              {"list", "dir_path"},
		"grep_files":            {"grep", "pattern"},
		"apply_patch":           {"patch", "input"},
		"search_web":            {"search", "query"},
	}
	bindings := toolset()
	for _, b := range bindings {
		own, ok := tool.ByName(b.Tool)
		if !ok {
			t.Errorf("%s: there is no tool %s", b.Name, b.Tool)
			continue
		}
		w, known := want[b.Name]
		if !known {
			if b.Schema != nil || b.Description != "" || b.Adapt != nil {
				t.Errorf("%s is not shown as it is", b.Name)
			}
			continue
		}
		delete(want, b.Name)
		if (b.Schema == nil) != (b.Description == "") || (b.Schema == nil) != (b.Adapt == nil) {
			t.Errorf("%s: the description is for another schema", b.Name)
		}
		schema := b.Schema
		if schema == nil {
			schema = own.Schema()
		}
		if got := strings.Join(parseSchema(t, schema).Required, " "); b.Tool != w.tool || got != w.required {
			t.Errorf("%s is %s, and requires %q", b.Name, b.Tool, got)
		}
	}
	if len(want) > 0 || len(bindings) != 14 {
		t.Errorf("%d tools, without %v", len(bindings), want)
	}
}

// TestToolSchemasAreClosed: no object in an input may have a member that is not listed.
func TestToolSchemasAreClosed(t *testing.T) {
	for _, b := range toolset() {
		if b.Schema == nil {
			continue
		}
		if s := parseSchema(t, b.Schema); s.Type != "object" || s.AdditionalProperties == nil || s.AdditionalProperties.Not == nil {
			t.Errorf("%s is open", b.Name)
		}
	}
}

// TestAdaptedInputsFit: whatever fits the schema that is shown fits, adapted, the schema of
// the tool that runs, or is refused in words.
func TestAdaptedInputsFit(t *testing.T) {
	for _, b := range toolset() {
		own, offered := tool.ByName(b.Tool)
		if !offered || b.Schema == nil {
			continue
		}
		shown, core := parseSchema(t, b.Schema), resolve(t, own.Schema())
		t.Run(b.Name, func(t *testing.T) {
			check := resolve(t, b.Schema)
			rapid.Check(t, func(t *rapid.T) {
				input := marshal(drawInput(t, "", shown))
				if err := validate(check, input); err != nil {
					t.Fatalf("the drawn input %s does not fit: %v", input, err)
				}
				checkAdapted(t, b, core, input)
			})
		})
	}
}

func checkAdapted(t *rapid.T, b engine.Binding, core *jsonschema.Resolved, input jsontext.Value) {
	adapted, err := b.Adapt(input)
	for _, refused := range []string{`"run_in_background":true`, `"key":"ctrl+c"`, `"key":"ctrl+z"`} {
		if strings.Contains(string(input), refused) {
			if err == nil || !strings.Contains(err.Error(), "background_bash") {
				t.Fatalf("%s: %v", input, err)
			}
			return
		}
	}
	if err != nil {
		t.Fatalf("adapt %s: %v", input, err)
	}
	if err := validate(core, adapted); err != nil {
		t.Fatalf("%s became %s: %v", input, adapted, err)
	}
}

// TestAdapt has inputs of each tool, word for word.
func TestAdapt(t *testing.T) {
	for _, row := range []struct{ name, input, want string }{
		{"bash", `{"command":"ls"}`, `{"command":"ls"}`},
		{"bash", `{"command":"ls","timeout_seconds":1.2e2,"cwd":"/a","reset_session":true,"run_in_background":false}`, `{"command":"ls","dir":"/a","reset":true,"timeout_ms":120000}`},
		{"start_background_bash", `{"command":"ls","cwd":"a","session_name":"x"}`, `{"command":"ls","dir":"a","name":"x"}`},
		{"read_background_bash", `{"session_id":"b1","max_chars":5,"stream":"stderr","peek":true}`, `{"id":"b1","max_chars":5,"peek":true,"stream":"stderr"}`},
		{"write_background_bash", `{"session_id":"b1","input":"y"}`, `{"id":"b1","input":"y"}`},
		{"write_background_bash", `{"session_id":"b1","input":"y","append_newline":false,"repeat":3}`, `{"id":"b1","input":"y","newline":false}`},
		{"write_background_bash", `{"session_id":"b1","key":"enter"}`, `{"id":"b1","input":"\n","newline":false}`},
		{"write_background_bash", `{"session_id":"b1","input":"a\"","key":"tab","repeat":2,"append_newline":true}`, `{"id":"b1","input":"a\"\t\t","newline":true}`},
		{"write_background_bash", `{"session_id":"b1","key":"up"}`, `{"id":"b1","input":"\u001b[A","newline":false}`},
		{"write_background_bash", `{"session_id":"b1","input":"x","key":"ctrl+d"}`, `{"close":true,"id":"b1","input":"x","newline":false}`},
		{"stop_background_bash", `{"session_id":"b1","force":true}`, `{"id":"b1"}`},
		{"list_background_bash", `{"include_exited":true}`, `{"ended":true}`},
		{"read_file", `{"file_path":"/a"}`, `{"limit":2000,"path":"/a"}`},
		{"read_file", `{"file_path":"/a","offset":1,"limit":7}`, `{"limit":7,"offset":0,"path":"/a"}`},
		{"list_dir", `{"dir_path":"/a"}`, `{"depth":2,"limit":25,"path":"/a"}`},
		{"list_dir", `{"dir_path":"/a","offset":26.0,"limit":1,"depth":1}`, `{"depth":1,"limit":1,"offset":25,"path":"/a"}`},
		{"grep_files", `{"pattern":"x"}`, `{"head_limit":100,"mode":"files_with_matches","order":"modified","pattern":"x"}`},
		{"grep_files", `{"pattern":"x","include":"*.go","path":"a","limit":3}`, `{"glob":"*.go","head_limit":3,"mode":"files_with_matches","order":"modified","path":"a","pattern":"x"}`},
		{"search_web", `{"query":"x","num_results":3,"include_domains":["a"],"exclude_domains":["b"]}`, `{"allowed_domains":["a"],"blocked_domains":["b"],"limit":3,"query":"x"}`},
	} {
		got, err := bindingOf(t, row.name).Adapt(jsontext.Value(row.input))
		if err != nil || string(got) != row.want {
			t.Errorf("%s %s became %s, %v; want %s", row.name, row.input, got, err, row.want)
		}
	}
	for _, row := range []struct{ name, input, want string }{
		{"bash", `{"command":"ls","run_in_background":true}`, "run_in_background is not for this tool: start the command with start_background_bash"},
		{"read_file", `{"file_path":"a.txt"}`, `file_path has to be an absolute path, which "a.txt" is not`},
		{"list_dir", `{"dir_path":""}`, `dir_path has to be an absolute path, which "" is not`},
		{"write_background_bash", `{"session_id":"b1","key":"ctrl+c"}`, "ctrl+c cannot be pressed, for the command has no terminal: end it with stop_background_bash"},
	} {
		if got, err := bindingOf(t, row.name).Adapt(jsontext.Value(row.input)); problem(err) != row.want {
			t.Errorf("%s %s became %s, %v; want %s", row.name, row.input, got, err, row.want)
		}
	}
}

func bindingOf(t *testing.T, name string) engine.Binding {
	t.Helper()
	bindings := toolset()
	i := slices.IndexFunc(bindings, func(b engine.Binding) bool { return b.Name == name })
	if i < 0 {
		t.Fatalf("there is no %s", name)
	}
	return bindings[i]
}

// drawInput is any value that fits s, with the types that our schemas use, where a path is absolute.
func drawInput(t *rapid.T, name string, s *jsonschema.Schema) any {
	switch s.Type {
	case "object":
		value := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if slices.Contains(s.Required, name) || rapid.Bool().Draw(t, "has "+name) {
				value[name] = drawInput(t, name, s.Properties[name])
			}
		}
		return value
	case "array":
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, drawInput(t, name, s.Items))
		}
		return list
	case "integer":
		low, high := 0, 1_000_000
		if s.Minimum != nil {
			low = int(*s.Minimum)
		}
		if s.Maximum != nil {
			high = int(*s.Maximum)
		}
		return rapid.IntRange(low, high).Draw(t, "integer")
	case "boolean":
		return rapid.Bool().Draw(t, "boolean")
	case "string":
		return drawString(t, name, s)
	}
	t.Fatalf("a schema has type %q", s.Type)
	return nil
}

func drawString(t *rapid.T, name string, s *jsonschema.Schema) string {
	if len(s.Enum) > 0 {
		return rapid.SampledFrom(s.Enum).Draw(t, "enum").(string)
	}
	least, most := 0, -1
	if s.MinLength != nil {
		least = *s.MinLength
	}
	if s.MaxLength != nil {
		most = *s.MaxLength
	}
	text := rapid.StringN(least, most, -1).Draw(t, "string")
	if strings.HasSuffix(name, "_path") {
		return "/" + text
	}
	return text
}

func parseSchema(t *testing.T, raw jsontext.Value) *jsonschema.Schema {
	t.Helper()
	var s jsonschema.Schema
	if err := stdjson.Unmarshal(raw, &s); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return &s
}

func resolve(t *testing.T, raw jsontext.Value) *jsonschema.Resolved {
	t.Helper()
	r, err := parseSchema(t, raw).Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func validate(schema *jsonschema.Resolved, input jsontext.Value) error {
	var instance map[string]any
	if err := json.Unmarshal(input, &instance); err != nil {
		return err
	}
	return schema.Validate(instance)
}

func marshal(v any) jsontext.Value {
	raw, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err) // drawn of maps, strings and numbers only
	}
	return raw
}
