package scaiflux

import (
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/wire"
)

// TestDecode is the validation table of the protocol, row by row.
func TestDecode(t *testing.T) {
	reason := "too risky"
	accepted := map[string]any{
		`{"type":"prompt","text":"hi"}`:                                                            Prompt{"prompt", "hi"},
		` 	{"type":"prompt","text":"hi"} `:                                                         Prompt{"prompt", "hi"},
		`{"type":"prompt","text":"/model x"}`:                                                      Prompt{"prompt", "/model x"},
		`{"text":"hi","type":"prompt"}`:                                                            Prompt{"prompt", "hi"},
		`{"type":"prompt","text":"\u00e9\ud83d\ude00\u0000"}`:                                      Prompt{"prompt", "é😀\x00"},
		`{"type":"shutdown","type":"prompt","text":"a","text":"b"}`:                                Prompt{"prompt", "b"},
		`{"type":"slash","command":"help"}`:                                                        Slash{"slash", "help", ""},
		`{"type":"slash","command":"/model","args":"a b"}`:                                         Slash{"slash", "/model", "a b"},
		`{"type":"interrupt"}`:                                                                     Interrupt{"interrupt"},
		`{"type":"shutdown"}`:                                                                      Shutdown{"shutdown"},
		`{"type":"permission_response","request_id":"r-1","decision":"allow"}`:                     PermissionResponse{"permission_response", "r-1", "allow", nil},
		`{"type":"permission_response","request_id":"r-1","decision":"deny","reason":null}`:        PermissionResponse{"permission_response", "r-1", "deny", nil},
		`{"type":"permission_response","request_id":"r-1","decision":"deny","reason":"too risky"}`: PermissionResponse{"permission_response", "r-1", "deny", &reason},
		`{"decision":"deny","reason":"too risky","request_id":"r-1","type":"permission_response"}`: PermissionResponse{"permission_response", "r-1", "deny", &reason},
		`{"type":"permission_response","request_id":"","decision":"deny","reason":"too risky"}`:    PermissionResponse{"permission_response", "", "deny", &reason},
		`{"type":"permission_response","request_id":"r-1","decision":"yes","decision":"allow"}`:    PermissionResponse{"permission_response", "r-1", "allow", nil},
	}
	for line, want := range accepted {
		got, refused := decode([]byte(line))
		if refused != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("decode(%s) = %#v, %+v; want %#v", line, got, refused, want)
		}
	}
}

// TestDecodeRefuses has the code and the wording of each kind of bad line.
func TestDecodeRefuses(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	rows := []struct{ line, code, message string }{
		// JSON
		{`{"type":"prompt","text":"oops"`, "invalid_json", "line is not a complete JSON object"},
		{`{`, "invalid_json", "line is not a complete JSON object"},
		{`[1]`, "invalid_json", "expected a JSON object"},
		{`[1,2]`, "invalid_json", "expected a JSON object"},
		{`null`, "invalid_json", "expected a JSON object"},
		{`"x"`, "invalid_json", "expected a JSON object"},
		{`7`, "invalid_json", "expected a JSON object"},
		{`{bad`, "invalid_json", ""},
		{`bad`, "invalid_json", ""},
		{`{} {}`, "invalid_json", "text follows the JSON value"},
		{`{"type":"interrupt"}x`, "invalid_json", "text follows the JSON value"},
		{`{"type":"prompt","text":"hi",}`, "invalid_json", ""},
		{`{'type':'prompt'}`, "invalid_json", ""},
		{`{"type":"prompt","text":NaN}`, "invalid_json", ""},
		{"{\"type\":\"prompt\",\"text\":\"a\nb\"}", "invalid_json", "string holds a raw control character"},
		{"{\"type\":\"prompt\",\"text\":\"a\x00b\"}", "invalid_json", "string holds a raw control character"},
		{"{\"type\":\"prompt\",\"text\":\"\xff\"}", "invalid_json", "line is not valid UTF-8"},
		{"{\"type\":\"prompt\",\"text\":\"\xed\xa0\x80\"}", "invalid_json", "line is not valid UTF-8"},
		{"\ufeff" + `{"type":"interrupt"}`, "invalid_json", ""}, // the reader drops it from the first line only
		{`{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`, "invalid_json", "line nests deeper than 256 levels"},
		// type
		{`{}`, "unknown_type", `the message has no "type"`},
		{`{"text":"x"}`, "unknown_type", `the message has no "type"`},
		{`{"TYPE":"prompt","text":"x"}`, "unknown_type", `the message has no "type"`},
		{`{"type":7}`, "unknown_type", `"type" is not a string`},
		{`{"type":null}`, "unknown_type", `"type" is not a string`},
		{`{"type":["prompt"]}`, "unknown_type", `"type" is not a string`},
		{`{"type":"resume"}`, "unknown_type", `unknown message type "resume"`},
		{`{"type":"Prompt","text":"x"}`, "unknown_type", `unknown message type "Prompt"`},
		{`{"type":"","text":"x"}`, "unknown_type", `unknown message type ""`},
		{`{"type":"` + strings.Repeat("é", 1<<20) + `"}`, "unknown_type", `unknown message type "` + strings.Repeat("é", 32) + `…"`},
		{`{"type":"turn_started","turn_id":"x"}`, "unknown_type", `unknown message type "turn_started"`},
		// fields: unknown first, then missing, then types
		{`{"type":"prompt"}`, "invalid_message", "prompt.text: required field is missing"},
		{`{"type":"prompt","id":3}`, "invalid_message", "prompt.id: unknown field"},
		{`{"type":"prompt","text":"hi","id":3}`, "invalid_message", "prompt.id: unknown field"},
		{`{"type":"prompt","Text":"hi"}`, "invalid_message", "prompt.Text: unknown field"},
		{`{"type":"prompt","text":null}`, "invalid_message", "prompt.text: expected a string"},
		{`{"type":"prompt","text":1}`, "invalid_message", "prompt.text: expected a string"},
		{`{"type":"prompt","text":true}`, "invalid_message", "prompt.text: expected a string"},
		{`{"type":"prompt","text":["hi"]}`, "invalid_message", "prompt.text: expected a string"},
		{`{"type":"interrupt","turn_id":"a"}`, "invalid_message", "interrupt.turn_id: unknown field"},
		{`{"type":"shutdown","now":true}`, "invalid_message", "shutdown.now: unknown field"},
		{`{"type":"slash"}`, "invalid_message", "slash.command: required field is missing"},
		{`{"type":"slash","args":"x"}`, "invalid_message", "slash.command: required field is missing"},
		{`{"type":"slash","command":null}`, "invalid_message", "slash.command: expected a string"},
		{`{"type":"slash","command":"help","args":null}`, "invalid_message", "slash.args: expected a string"},
		{`{"type":"slash","command":"help","args":[]}`, "invalid_message", "slash.args: expected a string"},
		{`{"type":"slash","command":"help","arg":""}`, "invalid_message", "slash.arg: unknown field"},
		{`{"type":"permission_response","decision":"allow"}`, "invalid_message", "permission_response.request_id: required field is missing"},
		{`{"type":"permission_response","request_id":"r-1"}`, "invalid_message", "permission_response.decision: required field is missing"},
		{`{"type":"permission_response","request_id":1,"decision":"allow"}`, "invalid_message", "permission_response.request_id: expected a string"},
		{`{"type":"permission_response","request_id":"r-1","decision":"Allow"}`, "invalid_message", `permission_response.decision: expected "allow" or "deny"`},
		{`{"type":"permission_response","request_id":"r-1","decision":"yes"}`, "invalid_message", `permission_response.decision: expected "allow" or "deny"`},
		{`{"type":"permission_response","request_id":"r-1","decision":null}`, "invalid_message", `permission_response.decision: expected "allow" or "deny"`},
		{`{"type":"permission_response","request_id":"r-1","decision":true}`, "invalid_message", `permission_response.decision: expected "allow" or "deny"`},
		{`{"type":"permission_response","request_id":"r-1","decision":"deny","reason":7}`, "invalid_message", "permission_response.reason: expected a string"},
		{`{"type":"permission_response","request_id":"r-1","decision":"allow","turn_id":"a"}`, "invalid_message", "permission_response.turn_id: unknown field"},
		// meaning
		{`{"type":"prompt","text":""}`, "invalid_message", "prompt.text: must not be blank"},
		{`{"type":"prompt","text":" \n\t"}`, "invalid_message", "prompt.text: must not be blank"},
	}
	for _, row := range rows {
		message, refused := decode([]byte(row.line))
		if message != nil || refused == nil {
			t.Errorf("decode(%q) = %#v, %+v; want a refusal only", row.line, message, refused)
			continue
		}
		if refused.Code != row.code || row.message != "" && refused.Message != row.message {
			t.Errorf("decode(%q): %s %q; want %s %q", row.line, refused.Code, refused.Message, row.code, row.message)
		}
		if refused.Origin != "local" || refused.TurnID != "" {
			t.Errorf("decode(%q): origin %q, turn %q", row.line, refused.Origin, refused.TurnID)
		}
	}
}

// FuzzDecode: no line makes decode panic; each is either one message, which survives being
// written and read again, or one error, which the strictest reader takes.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"type":"prompt","text":"hi"}`, `{"type":"slash","command":"model","args":"x"}`, `{"type":"interrupt"}`,
		`{"type":"permission_response","request_id":"r-1","decision":"deny","reason":null}`, `{"type":"shutdown"}`,
		`{"type":"prompt","text":"\ud800"}`, "{\"type\":\"pr\xffompt\"}", `{} {}`, `[`, `{"type":"` + strings.Repeat("x", 300) + `"}`,
		"{\"\xff\":1,\"type\":\"prompt\",\"text\":\"x\"}", `{"type":"prompt","` + strings.Repeat("é", 90) + `":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		message, refused := decode(line)
		if (message == nil) == (refused == nil) {
			t.Fatalf("decode(%q) = %#v and %+v", line, message, refused)
		}
		if refused != nil {
			if err := newReader().line(encode(refused)); err != nil {
				t.Fatalf("the answer to %q is not sound: %v", line, err)
			}
			return
		}
		again, err := json.Marshal(message)
		if err != nil {
			t.Fatalf("write %#v: %v", message, err)
		}
		same, refused := decode(again)
		if refused != nil || !reflect.DeepEqual(same, message) {
			t.Fatalf("%q became %#v, then %#v, %+v", line, message, same, refused)
		}
	})
}

// TestDecodeKeepsNothing: a message must not refer to the line, whose memory is used again.
func TestDecodeKeepsNothing(t *testing.T) {
	line := []byte(`{"type":"permission_response","request_id":"r-1","decision":"deny","reason":"because"}`)
	message, refused := decode(line)
	if refused != nil {
		t.Fatal(refused)
	}
	clear(line)
	m := message.(PermissionResponse)
	if m.RequestID != "r-1" || *m.Reason != "because" {
		t.Errorf("changed with the line: %+v", m)
	}
}

// TestLineLimit: the reader's limit is the protocol's.
func TestLineLimit(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	fits := strings.Repeat("x", lineLimit)
	r := wire.NewReader(strings.NewReader(fits+"\n"+fits+"x\n{}\n"), lineLimit)
	if line, err := r.Next(); err != nil || len(line) != lineLimit {
		t.Fatalf("a line of the limit: %d bytes, %v", len(line), err)
	}
	if _, err := r.Next(); err != wire.ErrLineTooLong {
		t.Fatalf("a line over the limit: %v", err)
	}
	if line, err := r.Next(); err != nil || string(line) != "{}" {
		t.Fatalf("the line after: %q, %v", line, err)
	}
}
