package arguments

import (
	stdjson "encoding/json"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
)

const editSchema = `{"type":"object","additionalProperties":false,"required":["path"],"properties":{
	"path":{"type":"string"},"old":{"type":"string"},"new":{"type":"string"},"replace_all":{"type":"boolean"},
	"limit":{"type":"integer","minimum":1,"maximum":100},"ratio":{"type":"number","exclusiveMinimum":0},
	"mode":{"type":"string","enum":["content","count"]},"tags":{"type":"array","items":{"type":"string"}},
	"edits":{"type":"array","minItems":1,"items":{"type":"object","additionalProperties":false,"required":["old","new"],
		"properties":{"old":{"type":"string"},"new":{"type":"string"},"replace_all":{"type":"boolean"}}}}}}`

const shellSchema = `{"type":"object","additionalProperties":false,"required":["command"],"properties":{
	"command":{"type":"string","minLength":1},"timeout_ms":{"type":"integer","minimum":1,"maximum":600000},
	"dir":{"type":"string"}}}`

const secondsSchema = `{"type":"object","additionalProperties":false,"required":["command"],"properties":{
	"command":{"type":"string"},"timeout":{"type":"number","exclusiveMinimum":0,"maximum":600},"description":{"type":"string"}}}`

const openSchema = `{"type":"object","properties":{"path":{"type":"string"},"n":{"type":["integer","null"]}}}`

func schemaOf(t testing.TB, text string) *jsonschema.Schema {
	t.Helper()
	var s jsonschema.Schema
	if err := stdjson.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

func TestRepair(t *testing.T) {
	tests := []struct{ schema, input, want string }{
		{editSchema, `{ "path": "a", "limit": 7 }`, `{ "path": "a", "limit": 7 }`}, // to the byte
		{editSchema, `{"path":"a","limit":null,"edits":null}`, `{"path":"a"}`},
		{editSchema, `{"path":null}`, `{"path":null}`},
		{editSchema, `{"path":"a","limit":"12"}`, `{"limit":12,"path":"a"}`},
		{editSchema, `{"path":"a","limit":1.0}`, `{"limit":1,"path":"a"}`},
		{editSchema, `{"path":"a","limit":1e1}`, `{"limit":10,"path":"a"}`},
		{editSchema, `{"path":"a","limit":1.5}`, `{"path":"a","limit":1.5}`},
		{editSchema, `{"path":"a","limit":0}`, `{"limit":1,"path":"a"}`},
		{editSchema, `{"path":"a","limit":"900"}`, `{"limit":100,"path":"a"}`},
		{editSchema, `{"path":"a","limit":"many"}`, `{"path":"a","limit":"many"}`},
		{editSchema, `{"path":"a","ratio":"0.5"}`, `{"path":"a","ratio":0.5}`},
		{editSchema, `{"path":"a","replace_all":"True"}`, `{"path":"a","replace_all":true}`},
		{editSchema, `{"path":7,"old":true}`, `{"old":"true","path":"7"}`},
		{editSchema, `{"path":"a","edits":"[{\"old\":\"1\",\"new\":2}]"}`, `{"edits":[{"new":"2","old":"1"}],"path":"a"}`},
		{editSchema, `{"path":"a","edits":{"old":"1","new":"2"}}`, `{"edits":[{"old":"1","new":"2"}],"path":"a"}`},
		{editSchema, `{"path":"a","edits":"{\"old\":\"1\",\"new\":\"2\"}"}`, `{"edits":[{"old":"1","new":"2"}],"path":"a"}`},
		{editSchema, `{"path":"a","edits":[{"old_string":"1","new_string":"2"}]}`, `{"edits":[{"new":"2","old":"1"}],"path":"a"}`},
		{editSchema, `{"path":"a","old":"1","new":"2","edits":[]}`, `{"new":"2","old":"1","path":"a"}`},
		{editSchema, `{"path":"a","tags":"x"}`, `{"path":"a","tags":["x"]}`},
		{editSchema, `{"path":"a","tags":"[\"x\",\"y\"]"}`, `{"path":"a","tags":["x","y"]}`},
		{editSchema, `"{\"path\":\"a\"}"`, `{"path":"a"}`},
		{editSchema, `{"file_path":"a","old_string":"1","newText":"2"}`, `{"new":"2","old":"1","path":"a"}`},
		{editSchema, `{"path":"a","file_path":"b"}`, `{"path":"a","file_path":"b"}`},
		{editSchema, `{"path":"a","file_path":"a"}`, `{"path":"a"}`},
		{editSchema, `{"path":"a","explanation":"why","description":"what","output_mode":"count"}`, `{"mode":"count","path":"a"}`},
		{editSchema, `{"path":"a","zzz":1}`, `{"path":"a","zzz":1}`},
		{editSchema, `{"path":"a","path":"b"}`, `{"path":"a","path":"b"}`},
		{editSchema, `[1]`, `[1]`},

		{shellSchema, `{"cmd":"ls","workdir":"x"}`, `{"command":"ls","dir":"x"}`},
		{shellSchema, `{"command":["bash","-lc","ls | wc"]}`, `{"command":"ls | wc"}`},
		{shellSchema, `{"command":["/bin/sh","-c","ls"]}`, `{"command":"ls"}`},
		{shellSchema, `{"command":["git","commit","-m","it's done",""]}`, `{"command":"git commit -m 'it'\\''s done' ''"}`},
		{shellSchema, `{"command":["ls -l"]}`, `{"command":"ls -l"}`},
		{shellSchema, `{"command":[1]}`, `{"command":[1]}`},
		{shellSchema, `{"command":"ls","timeout":30}`, `{"command":"ls","timeout_ms":30000}`},
		{shellSchema, `{"command":"ls","timeout":"30000"}`, `{"command":"ls","timeout_ms":30000}`},
		{shellSchema, `{"command":"ls","timeout_seconds":9000}`, `{"command":"ls","timeout_ms":600000}`},
		{shellSchema, `{"command":"ls","timeout_ms":700000}`, `{"command":"ls","timeout_ms":600000}`},
		{secondsSchema, `{"command":"ls","timeout_ms":2500,"description":"d"}`, `{"command":"ls","description":"d","timeout":2.5}`},

		{openSchema, `{"file_path":"a","description":"x","n":null}`, `{"file_path":"a","description":"x","n":null}`},
	}
	for _, test := range tests {
		schema := schemaOf(t, test.schema)
		got := Repair(schema, jsontext.Value(test.input))
		if string(got) != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.input, got, test.want)
		}
		if again := Repair(schema, got); string(again) != string(got) {
			t.Errorf("%s: repaired twice it is %s", got, again)
		}
	}
}

func TestFaults(t *testing.T) {
	tests := []struct{ schema, input, want string }{
		{editSchema, `{"path":"a"}`, ``},
		{editSchema, `{"file_pth":"a"}`, `"file_pth" is unknown; "path" is missing; known: path (required), edits, limit, mode, new, old, ratio, replace_all, tags`},
		{editSchema, `{"pth":"a","limti":1}`, `"limti" is unknown (did you mean "limit"?); "pth" is unknown (did you mean "path"?); "path" is missing; known: `},
		{editSchema, `{"path":null,"limit":"many","mode":"all"}`, `limit: has to be an integer, not a string; mode: has to be one of content, count; path: has to be a string, not null`},
		{editSchema, `{"path":"a","edits":[{"old":"x"}]}`, `edits[0]: "new" is missing; known: path`},
		{shellSchema, `{"command":""}`, `command: must not be empty`},
		{secondsSchema, `{"command":"x","timeout":0}`, `timeout: has to be more than 0`},
	}
	for _, test := range tests {
		if got := Faults(schemaOf(t, test.schema), jsontext.Value(test.input)); !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s\ngot  %s\nwant %s", test.input, got, test.want)
		}
	}
}

// FuzzRepair checks that what is valid JSON stays so, and that a repair needs no second one.
func FuzzRepair(f *testing.F) {
	for _, input := range []string{`{"file_path":"a","edits":"[{}]"}`, `{"command":["a"],"timeout":1e400}`, `"{}"`, `[]`, `{"limit":"1e9"}`, `{"timeout_s":-1}`} {
		f.Add(input)
	}
	schemas := []*jsonschema.Schema{schemaOf(f, editSchema), schemaOf(f, shellSchema), schemaOf(f, secondsSchema), schemaOf(f, openSchema)}
	f.Fuzz(func(t *testing.T, input string) {
		value := jsontext.Value(input)
		if !value.IsValid() {
			return
		}
		for _, schema := range schemas {
			once := Repair(schema, value)
			if !once.IsValid() {
				t.Fatalf("%s became %s", input, once)
			}
			if twice := Repair(schema, once); string(twice) != string(once) {
				t.Fatalf("%s became %s, then %s", input, once, twice)
			}
			Faults(schema, once)
		}
	})
}
