package agentair

import (
	"bytes"
	"encoding/base64"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/wire"
)

const hello = `{"session_id":1,"content":"Hi","turn_id":{"role":"User","sequence":1}}`

var user1 = TurnID{RoleUser, 1}

var acceptedLines = []struct {
	line string
	want any
}{
	{hello, ControllerInput{1, "Hi", user1, nil}},
	{` {"turn_id":{"sequence":18446744073709551615,"role":"Assistant","x":1},"content":" \n","session_id":-9223372036854775808,"x":{},"X":0} `, ControllerInput{-9223372036854775808, " \n", TurnID{RoleAssistant, 18446744073709551615}, nil}},
	{`{"session_id":1,"content":"\u00e4\ud83d\ude00","turn_id":{"role":"User","sequence":0},"metadata":null}`, ControllerInput{1, "ä😀", TurnID{RoleUser, 0}, nil}},
	{`{"session_id":1,"content":"Hi","turn_id":{"role":"User","sequence":1},"metadata":{"at": 1.5}}`, ControllerInput{1, "Hi", user1, jsontext.Value(`{"at": 1.5}`)}},
	{`{"input_type":"Data","session_id":1,"content":"Hi","turn_id":{"role":"User","sequence":1},"control_cmd":"Clear"}`, ControllerInput{1, "Hi", user1, nil}},
	{`{"input_type":null,"session_id":1,"content":"Hi","turn_id":{"role":"User","sequence":1}}`, ControllerInput{1, "Hi", user1, nil}},

	{`{"input_type":"Control","session_id":1,"content":"","control_cmd":"Interrupt","turn_id":null}`, Interrupt{1}},
	{`{"input_type":"Control","session_id":2,"control_cmd":"Clear","turn_id":{"role":"User","sequence":1}}`, Clear{2}},
	{`{"input_type":"Control","session_id":3,"content":7,"control_cmd":"Compact"}`, Compact{3}},
	{`{"input_type":"Control","session_id":1,"content":"","control_cmd":"Shutdown"}`, Shutdown{}},

	{`{"PermissionResponse":{"tool_use_id":"t","response":{"granted":true}}}`, PermissionResponse{"t", PermissionVote{true, ScopeOnce, nil, nil}, nil}},
	{`{"PermissionResponse":{"tool_use_id":"t","response":{"granted":false,"scope":null,"grant":null,"message":"no"},"session_id":2}}`, PermissionResponse{"t", PermissionVote{false, ScopeOnce, nil, new("no")}, new(int64(2))}},
	{`{"PermissionResponse":{"tool_use_id":"t","response":{"granted":true,"scope":"Session","message":null},"session_id":null}}`, PermissionResponse{"t", PermissionVote{true, ScopeSession, nil, nil}, nil}},
	{
		`{"PermissionResponse":{"tool_use_id":"t","response":{"granted":true,"grant":{"target":{"type":"path","path":"/p","recursive":true},"level":"Write"}}}}`,
		PermissionResponse{"t", PermissionVote{true, ScopeOnce, &Grant{GrantTarget{Type: GrantPath, Path: "/p", Recursive: true}, LevelWrite, nil}, nil}, nil},
	},
	{`{"BatchPermissionResponse":{"batch_id":"b"}}`, BatchPermissionResponse{BatchID: "b"}},
	{
		`{"BatchPermissionResponse":{"batch_id":"b","approved_requests":["c"],"auto_approved":["a","a"],"denied_requests":[],"approved_grants":[` +
			`{"target":{"type":"domain","pattern":"*.example.dev"},"level":"Read","expires_in_secs":0},{"target":{"type":"command","pattern":"git *"},"level":"Execute","expires_in_secs":null},{"target":{"type":"tool","tool_name":"x","pattern":7},"level":"Admin"},` +
			`{"target_type":"Path","target":"/p","recursive":true,"level":"None"},{"target_type":"Domain","target":"d","level":"Read"},` +
			`{"target_type":"Command","target":"ls","level":"Execute","description":"Run ls","reason":null,"recursive":false,"id":"t2","tool_name":"bash"}]}}`,
		BatchPermissionResponse{
			"b",
			[]Grant{
				{GrantTarget{Type: GrantDomain, Pattern: "*.example.dev"}, LevelRead, new(uint64(0))},
				{GrantTarget{Type: GrantCommand, Pattern: "git *"}, LevelExecute, nil},
				{GrantTarget{Type: GrantTool, ToolName: "x"}, LevelAdmin, nil},
				{GrantTarget{Type: GrantPath, Path: "/p", Recursive: true}, LevelNone, nil},
				{GrantTarget{Type: GrantDomain, Pattern: "d"}, LevelRead, nil},
				{GrantTarget{Type: GrantCommand, Pattern: "ls"}, LevelExecute, nil},
			},
			[]string{},
			[]string{"a", "a"},
			[]string{"c"},
		},
	},
	{
		`{"UserInteractionResponse":{"tool_use_id":"t","response":{"answers":[{"question":"q1","answer":["A","B"]},{"question":"Notes?","answer":[]}]}}}`,
		UserInteractionResponse{"t", AskUserQuestionsResponse{[]Answer{{"q1", []string{"A", "B"}}, {"Notes?", []string{}}}}, nil},
	},
	{`{"UserInteractionResponse":{"session_id":1,"response":{"answers":[]},"tool_use_id":"t"}}`, UserInteractionResponse{"t", AskUserQuestionsResponse{[]Answer{}}, new(int64(1))}},
	{`{"CancelPermission":{"tool_use_id":"t"}}`, CancelPermission{"t"}},
	{`{"CancelBatchPermission":{"batch_id":"b"}}`, CancelBatchPermission{"b"}},
	{`{"CancelUserInteraction":{"tool_use_id":"t"}}`, CancelUserInteraction{"t"}},
	{`{"Interrupt":{"session_id":1}}`, Interrupt{1}},
	{`{"Clear":{"session_id":1,"x":null}}`, Clear{1}},
	{`{"Compact":{"session_id":1}}`, Compact{1}},
	{`{"Shutdown":{}}`, Shutdown{}},
	{`{"Shutdown":null}`, Shutdown{}},
	{" \t\"Shutdown\"\r", Shutdown{}},
	{`{"CreateSession":{}}`, CreateSession{}},
	{`{"CreateSession":{"model":"m","system_prompt":null,"working_dir":"/w"}}`, CreateSession{new("m"), nil, new("/w")}},
	{`{"RemoveSession":{"session_id":2}}`, RemoveSession{2}},
}

func TestDecode(t *testing.T) {
	for _, test := range acceptedLines {
		line := []byte(test.line)
		got, refused := decode(line)
		if refused != nil {
			t.Errorf("%s: %s", test.line, refused.Message)
			continue
		}
		clear(line) // nothing may refer to it
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.line, diff)
		}
	}
}

// refusedShapes are JSON, and wrong. Those of onlyDecode fit the schema, which cannot say so.
var refusedShapes = []struct {
	line       string
	want       string // after "Malformed input: "
	session    int64  // 0: null
	onlyDecode bool
}{
	{`[]`, "expected a JSON object", 0, false},
	{`"Interrupt"`, "expected a JSON object", 0, false},
	{`null`, "expected a JSON object", 0, false},
	{`{}`, "missing field `session_id`", 0, false},
	{`{"Frob":{"session_id":1}}`, "unknown request `Frob`", 0, false},
	{`{"interrupt":{"session_id":1}}`, "missing field `session_id`", 0, false},
	{`{"Interrupt":{"session_id":1},"Clear":{"session_id":1}}`, "missing field `session_id`", 0, false},
	{`{"Interrupt":{"session_id":1},"session_id":3}`, "missing field `content`", 3, false},
	{`{"session_id":1,"content":"Hi"}`, "missing field `turn_id`", 1, false},
	{`{"session_id":1,"turn_id":{"role":"User","sequence":1}}`, "missing field `content`", 1, false},
	{`{"content":"Hi","turn_id":{"role":"User","sequence":1}}`, "missing field `session_id`", 0, false},
	{`{"Session_id":1,"content":"Hi","turn_id":{"role":"User","sequence":1}}`, "missing field `session_id`", 0, false},
	{`{"session_id":1,"turn_id":{"role":"User"}}`, "missing field `sequence`", 1, false},
	{`{"session_id":1,"content":"Hi","turn_id":{"role":"user","sequence":1}}`, "unknown variant `user`, expected `User` or `Assistant`", 1, false},
	{`{"session_id":1,"content":"Hi","turn_id":{"role":1,"sequence":1}}`, "invalid type: integer `1`, expected a string", 1, false},
	{`{"session_id":1,"content":"Hi","turn_id":["User",1]}`, "invalid type: sequence, expected struct TurnId", 1, false},
	{`{"session_id":1,"content":"Hi","turn_id":null}`, "invalid type: null, expected struct TurnId", 1, false},
	{`{"session_id":1,"content":"Hi","turn_id":"u1"}`, `invalid type: string "u1", expected struct TurnId`, 1, false},
	{`{"session_id":1,"content":null,"turn_id":{"role":"User","sequence":1}}`, "invalid type: null, expected a string", 1, false},
	{`{"session_id":1,"content":{},"turn_id":{"role":"User","sequence":1}}`, "invalid type: map, expected a string", 1, false},
	{`{"session_id":null,"content":"Hi","turn_id":{"role":"User","sequence":1}}`, "invalid type: null, expected i64", 0, false},
	{`{"session_id":"1","content":"Hi","turn_id":{"role":"User","sequence":1}}`, `invalid type: string "1", expected i64`, 0, false},
	{`{"session_id":true,"content":"Hi","turn_id":{"role":"User","sequence":1}}`, "invalid type: boolean `true`, expected i64", 0, false},
	{`{"session_id":1.0,"content":"Hi","turn_id":{"role":"User","sequence":1}}`, "invalid type: floating point `1.0`, expected i64", 0, true},
	{`{"session_id":1e0,"content":"Hi","turn_id":{"role":"User","sequence":1}}`, "invalid type: floating point `1e0`, expected i64", 0, true},
	{`{"session_id":-0,"content":"Hi","turn_id":{"role":"User","sequence":1}}`, "invalid type: floating point `-0`, expected i64", 0, true},
	{`{"session_id":9223372036854775808,"content":"Hi","turn_id":{"role":"User","sequence":1}}`, "invalid value: integer `9223372036854775808`, expected i64", 0, true},
	{`{"session_id":18446744073709551616,"content":"Hi","turn_id":{"role":"User","sequence":1}}`, "invalid type: floating point `18446744073709551616`, expected i64", 0, true},
	{`{"session_id":1,"content":"Hi","turn_id":{"role":"User","sequence":-1}}`, "invalid value: integer `-1`, expected u64", 1, false},
	{`{"session_id":1,"content":"Hi","turn_id":{"role":"User","sequence":0.5}}`, "invalid type: floating point `0.5`, expected u64", 1, false},
	{`{"session_id":1,"content":"Hi","turn_id":{"role":"User","sequence":18446744073709551616}}`, "invalid type: floating point `18446744073709551616`, expected u64", 1, true},
	{`{"session_id":1,"content":"Hi","turn_id":{"role":"User","sequence":1},"metadata":[]}`, "invalid type: sequence, expected a map", 1, false},
	{`{"turn_id":7,"content":7,"session_id":"1"}`, `invalid type: string "1", expected i64`, 0, false}, // the first by the order of the type
	{`{"session_id":1,"content":7}`, "invalid type: integer `7`, expected a string", 1, false},         // wrong comes before missing
	{`{"input_type":"data","session_id":1,"content":"Hi","turn_id":{"role":"User","sequence":1}}`, "unknown variant `data`, expected `Data` or `Control`", 1, false},
	{`{"input_type":7,"session_id":1,"content":"Hi","turn_id":{"role":"User","sequence":1}}`, "invalid type: integer `7`, expected a string", 1, false},

	{`{"input_type":"Control","session_id":1}`, "missing field `control_cmd`", 1, false},
	{`{"input_type":"Control","control_cmd":"Shutdown"}`, "missing field `session_id`", 0, false},
	{`{"input_type":"Control","session_id":1,"control_cmd":"Stop"}`, "unknown variant `Stop`, expected one of `Interrupt`, `Shutdown`, `Clear`, `Compact`", 1, false},
	{`{"input_type":"Control","session_id":1,"control_cmd":"Clear","turn_id":7}`, "invalid type: integer `7`, expected struct TurnId", 1, false},

	{`{"Interrupt":null}`, "invalid type: null, expected struct Interrupt", 0, false},
	{`{"Interrupt":{}}`, "missing field `session_id`", 0, false},
	{`{"Interrupt":{"session_id":null}}`, "invalid type: null, expected i64", 0, false},
	{`{"Shutdown":7}`, "invalid type: integer `7`, expected struct Shutdown", 0, false},
	{`{"CreateSession":{"model":7}}`, "invalid type: integer `7`, expected a string", 0, false},
	{`{"CreateSession":[]}`, "invalid type: sequence, expected struct CreateSession", 0, false},
	{`{"RemoveSession":{"session_id":"2"}}`, `invalid type: string "2", expected i64`, 0, false},
	{`{"CancelPermission":{}}`, "missing field `tool_use_id`", 0, false},
	{`{"CancelBatchPermission":{"tool_use_id":"b"}}`, "missing field `batch_id`", 0, false},
	{`{"CancelUserInteraction":{"tool_use_id":null}}`, "invalid type: null, expected a string", 0, false},

	{`{"PermissionResponse":{"response":{"granted":true}}}`, "missing field `tool_use_id`", 0, false},
	{`{"PermissionResponse":{}}`, "missing field `tool_use_id`", 0, false},
	{`{"PermissionResponse":{"tool_use_id":"t"}}`, "missing field `response`", 0, false},
	{`{"PermissionResponse":{"tool_use_id":"t","response":true}}`, "invalid type: boolean `true`, expected struct PermissionPanelResponse", 0, false},
	{`{"PermissionResponse":{"tool_use_id":"t","response":{}}}`, "missing field `granted`", 0, false},
	{`{"PermissionResponse":{"tool_use_id":"t","response":{"granted":"true"}}}`, `invalid type: string "true", expected a boolean`, 0, false},
	{`{"PermissionResponse":{"tool_use_id":"t","response":{"granted":true,"scope":"Always"}}}`, "unknown variant `Always`, expected `Once` or `Session`", 0, false},
	{`{"PermissionResponse":{"tool_use_id":"t","response":{"granted":true,"message":7}}}`, "invalid type: integer `7`, expected a string", 0, false},
	{`{"PermissionResponse":{"tool_use_id":"t","response":{"granted":true},"session_id":1.5}}`, "invalid type: floating point `1.5`, expected i64", 0, false},
	{granting(`7`), "invalid type: integer `7`, expected struct Grant", 0, false},
	{granting(`{"level":"Read"}`), "missing field `target`", 0, false},
	{granting(`{"target":null,"level":"Read"}`), "invalid type: null, expected internally tagged enum GrantTarget", 0, false},
	{granting(`{"target":{"path":"/p","recursive":true},"level":"Read"}`), "missing field `type`", 0, false},
	{granting(`{"target":{"type":"Path","path":"/p","recursive":true},"level":"Read"}`), "unknown variant `Path`, expected one of `path`, `domain`, `command`, `tool`", 0, false},
	{granting(`{"target":{"type":"path","path":"/p"},"level":"Read"}`), "missing field `recursive`", 0, false},
	{granting(`{"target":{"type":"path","recursive":true},"level":"Read"}`), "missing field `path`", 0, false},
	{granting(`{"target":{"type":"command","path":"/p"},"level":"Read"}`), "missing field `pattern`", 0, false},
	{granting(`{"target":{"type":"tool"},"level":"Read"}`), "missing field `tool_name`", 0, false},
	{granting(`{"target":{"type":"domain","pattern":"x"}}`), "missing field `level`", 0, false},
	{granting(`{"target":{"type":"domain","pattern":"x"},"level":"read"}`), "unknown variant `read`, expected one of `None`, `Read`, `Write`, `Execute`, `Admin`", 0, false},
	{granting(`{"target":{"type":"domain","pattern":"x"},"level":"Read","expires_in_secs":-1}`), "invalid value: integer `-1`, expected u64", 0, false},
	{granting(`{"target":"/p","recursive":true,"level":"Read"}`), "missing field `target_type`", 0, false},
	{granting(`{"target_type":"path","target":"/p","recursive":true,"level":"Read"}`), "unknown variant `path`, expected one of `Path`, `Domain`, `Command`", 0, false},
	{granting(`{"target_type":"Path","target":"/p","level":"Read"}`), "missing field `recursive`", 0, false},
	{granting(`{"target_type":"Path","target":"/p","recursive":"no","level":"Read"}`), `invalid type: string "no", expected a boolean`, 0, false},

	{`{"BatchPermissionResponse":{"approved_requests":[]}}`, "missing field `batch_id`", 0, false},
	{`{"BatchPermissionResponse":{"batch_id":"b","denied_requests":null}}`, "invalid type: null, expected a sequence", 0, false},
	{`{"BatchPermissionResponse":{"batch_id":"b","auto_approved":"a"}}`, `invalid type: string "a", expected a sequence`, 0, false},
	{`{"BatchPermissionResponse":{"batch_id":"b","approved_requests":["a",null]}}`, "invalid type: null, expected a string", 0, false},
	{`{"BatchPermissionResponse":{"batch_id":"b","approved_grants":["a"]}}`, `invalid type: string "a", expected struct Grant`, 0, false},

	{`{"UserInteractionResponse":{"tool_use_id":"t"}}`, "missing field `response`", 0, false},
	{`{"UserInteractionResponse":{"tool_use_id":"t","response":[]}}`, "invalid type: sequence, expected struct AskUserQuestionsResponse", 0, false},
	{`{"UserInteractionResponse":{"tool_use_id":"t","response":{}}}`, "missing field `answers`", 0, false},
	{`{"UserInteractionResponse":{"tool_use_id":"t","response":{"answers":[{"question":"q1","answer":"A"}]}}}`, `invalid type: string "A", expected a sequence`, 0, false},
	{`{"UserInteractionResponse":{"tool_use_id":"t","response":{"answers":[{"answer":["A"]}]}}}`, "missing field `question`", 0, false},
	{`{"UserInteractionResponse":{"tool_use_id":"t","response":{"answers":[{"question":"q1"}]}}}`, "missing field `answer`", 0, false},
	{`{"UserInteractionResponse":{"tool_use_id":"t","response":{"answers":["A"]}}}`, `invalid type: string "A", expected struct Answer`, 0, false},
}

func granting(grant string) string {
	return `{"PermissionResponse":{"tool_use_id":"t","response":{"granted":true,"grant":` + grant + `}}}`
}

func TestDecodeRefusesShapes(t *testing.T) {
	for _, test := range refusedShapes {
		checkRefused(t, test.line, test.want, test.session)
	}
	long := strings.Repeat("ä", 100)
	short := strings.Repeat("ä", 32) + "…"
	checkRefused(t, `{"X`+long+`":{}}`, "unknown request `X"+strings.Repeat("ä", 31)+"…`", 0)
	checkRefused(t, strings.Replace(hello, "User", long, 1), "unknown variant `"+short+"`, expected `User` or `Assistant`", 1)
	checkRefused(t, strings.Replace(hello, `:1,`, `:"`+long+`",`, 1), `invalid type: string "`+short+`", expected i64`, 0)
}

func TestDecodeRefusesSyntax(t *testing.T) {
	for _, test := range []struct {
		line, want string
		session    int64
	}{
		{`{"session_id":1,`, "line is not a complete JSON object", 0},
		{`Hi`, "invalid JSON at byte 1", 0},
		{hello + hello, "text follows the JSON value", 0},
		{`"Shutdown" 1`, "text follows the JSON value", 0},
		{strings.Replace(hello, "Hi", "\xff", 1), "line is not valid UTF-8", 0},
		{strings.Replace(hello, "Hi", "\x01", 1), "string holds a raw control character", 0},
		{`{"session_id":1,"metadata":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`, "line nests deeper than 256 levels", 0},
		{strings.Replace(hello, `"Hi"`, `"Hi","content":"Ho"`, 1), `name "content" occurs twice`, 1},
		{strings.Replace(hello, `"role":"User"`, `"role":"User","role":"User"`, 1), `name "role" occurs twice`, 1},
		{`{"session_id":1,"x":{"a":1,"a":2}}`, `name "a" occurs twice`, 1},
		{`{"Interrupt":{"session_id":1},"Interrupt":{"session_id":1}}`, `name "Interrupt" occurs twice`, 0},
		{`{"session_id":"1","x":0,"x":0}`, `name "x" occurs twice`, 0},
	} {
		checkRefused(t, test.line, test.want, test.session)
	}
	if got, want := string(encode(malformedLong())), `{"Error":{"message":"Malformed input: line is too long","session_id":null}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func checkRefused(t *testing.T, line, want string, session int64) {
	t.Helper()
	got, refused := decode([]byte(line))
	if refused == nil || got != nil {
		t.Errorf("%s: accepted as %+v", line, got)
		return
	}
	expected := &Error{Message: "Malformed input: " + want}
	if session != 0 {
		expected.SessionID = &session
	}
	if diff := cmp.Diff(expected, refused); diff != "" {
		t.Errorf("%s (-want +got)\n%s", line, diff)
	}
}

// A line of junk elements keeps nothing: 200,000 of them take no more than the line.
func TestDecodeListOfJunk(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	line := []byte(`{"BatchPermissionResponse":{"batch_id":"b","approved_grants":[` + strings.Repeat("7,", 200_000) + `7]}}`)
	allocated := testing.AllocsPerRun(1, func() {
		if _, refused := decode(line); refused == nil {
			t.Error("accepted")
		}
	})
	if allocated > 200 {
		t.Errorf("%v allocations", allocated)
	}
}

func FuzzDecode(f *testing.F) {
	for _, test := range acceptedLines {
		f.Add([]byte(test.line))
	}
	for _, test := range refusedShapes {
		f.Add([]byte(test.line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		copied := string(line)
		message, refused := decode(line)
		if string(line) != copied {
			t.Fatal("the line was changed")
		}
		if (message == nil) != (refused != nil) {
			t.Fatalf("%+v and %+v", message, refused)
		}
		if refused != nil {
			answer := encode(refused)
			if _, err := wire.ParseObject(answer, wire.ObjectOptions{}); err != nil {
				t.Fatalf("%s: %v", answer, err)
			}
			if !strings.HasPrefix(refused.Message, "Malformed input: ") {
				t.Fatalf("%s", answer)
			}
			return
		}
		// What was understood can be said again, and means the same.
		first := said(message)
		again, refused := decode(first)
		if refused != nil {
			t.Fatalf("%s: %s", first, refused.Message)
		}
		if second := said(again); !bytes.Equal(first, second) {
			t.Fatalf("first %s\nthen  %s", first, second)
		}
	})
}

// said returns a message as a client writes it.
func said(message any) []byte {
	value := string(marshal(message))
	if _, ok := message.(ControllerInput); ok {
		return []byte(value)
	}
	return []byte(`{"` + reflect.TypeOf(message).Name() + `":` + value + `}`)
}

func BenchmarkDecode(b *testing.B) {
	picture := base64.StdEncoding.EncodeToString(make([]byte, 6<<20))
	for name, line := range map[string]string{
		"message":  hello,
		"approval": granting(`{"target":{"type":"path","path":"/p","recursive":true},"level":"Write"}`),
		"huge":     strings.Replace(hello, "Hi", picture, 1),
		"bad":      `{"session_id":1,"content":"Hi"}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if message, refused := decode([]byte(line)); (message == nil) != (refused != nil) {
					b.Fatal(message, refused)
				}
			}
		})
	}
}
