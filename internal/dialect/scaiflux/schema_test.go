package scaiflux

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/racetest"
)

func TestSchemaIsCheckedIn(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	dialecttest.CheckedIn(t, "scaiflux", Schema)
}

// part is the schema of one of the document's definitions.
var part = dialecttest.Parts(Schema)

// TestSchemaHasEveryMessage compares the tables of schema.go with protocol.go itself: every
// type there that has a field "type" is a message.
func TestSchemaHasEveryMessage(t *testing.T) {
	var tabled []string
	for _, d := range directions() {
		for _, m := range d.messages {
			tabled = append(tabled, m.is.Name()+" "+m.name)
		}
	}
	var written []string
	structs, _ := dialecttest.Declared(t)
	for _, s := range structs {
		if s.Tagged {
			written = append(written, s.Name+" "+s.Tag)
		}
	}
	if !slices.Equal(tabled, written) {
		t.Errorf("schema.go has\n%q\nprotocol.go has\n%q", tabled, written)
	}
}

// TestSchemaAgreesWithDecode holds the schema and the decoder to the same verdict.
func TestSchemaAgreesWithDecode(t *testing.T) {
	inbound := part("Inbound")
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
		if err := inbound.FitsText(t, line); (err == nil) != (refused == nil) {
			t.Errorf("%s: the schema says %v, decode says %v", line, err, refused)
		}
	}
}

// TestSchemaKnowsWhatIsSent validates messages as they are written, and close misses.
func TestSchemaKnowsWhatIsSent(t *testing.T) {
	outbound := part("Outbound")
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
		if err := outbound.FitsText(t, string(encode(message))); err != nil {
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
		if outbound.FitsText(t, line) == nil {
			t.Errorf("%s: valid, but it is never sent", line)
		}
	}
}

// TestTranscriptsAreValid validates every line of the transcripts: what the server writes,
// and what it accepts.
func TestTranscriptsAreValid(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
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
	if err := json.Unmarshal([]byte(text), &message, jsontext.AllowInvalidUTF8(true)); err != nil {
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
