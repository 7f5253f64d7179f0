package scaiflux

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"

	"parley.dev/parley/internal/dialect/schema"
)

var updateSchema = flag.Bool("update-schema", false, "write the checked-in schema")

const checkedIn = "../../../schema/scaiflux.schema.json"

func TestSchemaIsCheckedIn(t *testing.T) {
	generated, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	if *updateSchema {
		if err := os.WriteFile(checkedIn, generated, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(checkedIn)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(generated, want) {
		t.Errorf("%s is not what protocol.go says: run make schema", checkedIn)
	}
}

// TestSchemaHasEveryMessage compares the tables of schema.go with protocol.go itself: every
// type there that has a field "type" is a message.
func TestSchemaHasEveryMessage(t *testing.T) {
	var tabled []string
	for _, d := range directions() {
		for _, m := range d.messages {
			tabled = append(tabled, m.is.Name+" "+m.name)
		}
	}
	if written := messagesOf(t, "protocol.go"); !slices.Equal(tabled, written) {
		t.Errorf("schema.go has\n%q\nprotocol.go has\n%q", tabled, written)
	}
}

// messagesOf is "Name wire_name" of each message type, the latter from the comment that
// follows the field "type".
func messagesOf(t *testing.T, path string) (messages []string) {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if s, ok := spec.Type.(*ast.StructType); ok && s.Fields.List[0].Names[0].Name == "Type" {
			comment := s.Fields.List[0].Comment.Text()
			messages = append(messages, spec.Name.Name+" "+strings.Trim(strings.TrimSpace(comment), `"`))
		}
		return false
	})
	return messages
}

// part is the schema of one of the document's definitions, ready to validate.
func part(t *testing.T, name string) *jsonschema.Resolved {
	t.Helper()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	var doc jsonschema.Schema
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	doc.OneOf = []*jsonschema.Schema{schema.Ref(name)}
	resolved, err := doc.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

func valid(t *testing.T, schema *jsonschema.Resolved, line string) error {
	t.Helper()
	var message any
	if err := json.Unmarshal([]byte(line), &message); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return schema.Validate(message)
}

// TestSchemaAgreesWithDecode holds the schema and the decoder to the same verdict.
func TestSchemaAgreesWithDecode(t *testing.T) {
	inbound := part(t, "Inbound")
	for _, line := range []string{
		`{"type":"prompt","text":"x"}`,
		`{"type":"prompt"}`,
		`{"type":"prompt","text":null}`,
		`{"type":"prompt","text":1}`,
		`{"type":"prompt","text":"x","id":3}`,
		`{"TYPE":"prompt","text":"x"}`,
		`{"type":7}`,
		`{"text":"x"}`,
		`{"type":"resume"}`,
		`{"type":"slash","command":"model"}`,
		`{"type":"slash","command":"model","args":"a b"}`,
		`{"type":"slash","command":"model","args":null}`,
		`{"type":"slash","command":"model","args":[]}`,
		`{"type":"interrupt"}`,
		`{"type":"interrupt","turn_id":"a"}`,
		`{"type":"permission_response","request_id":"r-1","decision":"allow"}`,
		`{"type":"permission_response","request_id":"r-1","decision":"deny","reason":null}`,
		`{"type":"permission_response","request_id":"r-1","decision":"deny","reason":"no"}`,
		`{"type":"permission_response","request_id":"r-1","decision":"Allow"}`,
		`{"type":"permission_response","request_id":7,"decision":"allow"}`,
		`{"type":"shutdown"}`,
		`{}`,
	} {
		_, refused := decode([]byte(line))
		if err := valid(t, inbound, line); (err == nil) != (refused == nil) {
			t.Errorf("%s: the schema says %v, decode says %v", line, err, refused)
		}
	}
}

// TestSchemaKnowsWhatIsSent validates messages as they are written, and close misses.
func TestSchemaKnowsWhatIsSent(t *testing.T) {
	outbound := part(t, "Outbound")
	reason, model, zero := "path is outside the workspace", "", 0
	for _, message := range []any{
		Ready{Type: "ready", Protocol: Protocol, Mode: "plan", Tools: []string{}, Gadgets: []string{}},
		PermissionRequest{Type: "permission_request", ActiveMode: "prompt", RequiredMode: "read-only", Details: PermissionDetails{ToolInput: []byte(`{"a":1}`), Reason: &reason}},
		TurnComplete{Type: "turn_complete", StopReason: "error", Mutations: [][2]string{{"write_file", "a"}}},
		SlashResult{Type: "slash_result", Data: problem{"bad_args"}},
		SlashResult{Type: "slash_result"},
		StateChanged{Type: "state_changed", Model: &model, ContextPct: &zero},
		Error{Type: "error", Code: "internal", Origin: "local"},
	} {
		if err := valid(t, outbound, string(encode(message))); err != nil {
			t.Errorf("%s: %v", encode(message), err)
		}
	}
	for _, line := range []string{
		`{"type":"state_changed"}`,
		`{"type":"state_changed","context_pct":101}`,
		`{"type":"state_changed","context_pct":0.5}`,
		`{"type":"text_delta","turn_id":"a","delta":""}`,
		`{"type":"error","code":"internal","message":"","origin":"local","turn_id":null}`,
		`{"type":"turn_complete","turn_id":"a","stop_reason":"end_turn","iterations":0,"input_tokens":0,"output_tokens":0,"mutations":null}`,
		`{"type":"turn_complete","turn_id":"a","stop_reason":"end_turn","iterations":0,"input_tokens":0,"output_tokens":0,"mutations":[["write_file"]]}`,
		`{"type":"tool_start","turn_id":"a","tool_id":"b","name":"bash","input":"ls"}`,
		`{"type":"prompt","text":"x"}`,
	} {
		if valid(t, outbound, line) == nil {
			t.Errorf("%s: valid, but it is never sent", line)
		}
	}
}

// TestTranscriptsAreValid validates every line of the transcripts: what the server writes,
// and what it accepts.
func TestTranscriptsAreValid(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, wire, found := strings.Cut(string(text), "\n-- wire --\n")
		if !found {
			t.Errorf("%s has no section wire", path)
		}
		wire, _, _ = strings.Cut(wire, "\n-- ") // the next section
		for line := range strings.Lines(wire) {
			if err := validTranscriptLine(strings.TrimSuffix(line, "\n")); err != nil {
				t.Errorf("%s: %s%v", path, line, err)
			}
		}
	}
}

// marked is the side that a line of a transcript is of; other lines are remarks, or have to
// be refused.
var marked = map[string]string{">": "Inbound", "<": "Outbound", "<+": "Outbound"}

func validTranscriptLine(line string) error {
	mark, text, _ := strings.Cut(line, " ")
	side, found := marked[mark]
	if !found || text == "EOF" || strings.HasSuffix(text, "*") {
		return nil
	}
	var message map[string]any
	if err := json.Unmarshal([]byte(text), &message); err != nil {
		return err
	}
	s, err := messageSchema(side, message["type"])
	if err != nil {
		return err
	}
	fill(message, s)
	resolved, err := s.Resolve(nil)
	if err != nil {
		return err
	}
	return resolved.Validate(message)
}

func messageSchema(side string, name any) (*jsonschema.Schema, error) {
	for _, d := range directions() {
		for _, m := range d.messages {
			if d.name == side && m.name == name {
				return types().Define(m.is)
			}
		}
	}
	return nil, fmt.Errorf("%s has no message of type %v", side, name)
}

// fill puts a value that s allows wherever a transcript leaves it open: "*" and "$name".
func fill(message map[string]any, s *jsonschema.Schema) {
	for name, value := range message {
		property := s.Properties[name]
		if property == nil {
			continue // a free-form place: anything is valid
		}
		switch v := value.(type) {
		case string:
			if v == "*" || strings.HasPrefix(v, "$") {
				message[name] = anyValue(property)
			}
		case map[string]any:
			fill(v, property)
		}
	}
}

func anyValue(s *jsonschema.Schema) any {
	switch {
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Type == "string":
		return "x"
	case s.Type == "integer", s.Type == "number":
		return 0.0
	case s.Type == "boolean":
		return false
	case s.Type == "array":
		return []any{}
	case s.Type == "object":
		return map[string]any{}
	}
	return nil // what may be null
}
