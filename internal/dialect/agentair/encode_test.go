package agentair

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"parley.dev/parley/internal/racetest"
)

var (
	assistant1 = TurnID{RoleAssistant, 1}
	write      = PermissionRequest{TargetPath, "/p/a.md", LevelWrite, "Write /p/a.md", new("new file"), false, "t1", "write_file"}
	run        = PermissionRequest{TargetCommand, "go test", LevelExecute, "Run go", nil, false, "t2", "bash"}
)

// samples is every message with its line, each as a client without --extended gets it.
var samples = []struct {
	message UIMessage
	line    string
}{
	{TextChunk{"Hello", 1, assistant1}, `{"TextChunk":{"text":"Hello","session_id":1,"turn_id":{"role":"Assistant","sequence":1}}}`},
	{ToolExecuting{"t1", "ls", jsontext.Value(`{"path":"/p"}`), 1, nil}, `{"ToolExecuting":{"tool_use_id":"t1","tool_name":"ls","input":{"path":"/p"},"session_id":1}}`},
	{ToolCompleted{"t1", "a\nb", 1, nil}, `{"ToolCompleted":{"tool_use_id":"t1","result":"a\nb","session_id":1}}`},
	{Complete{1, assistant1, StopEndTurn}, `{"Complete":{"session_id":1,"turn_id":{"role":"Assistant","sequence":1},"stop_reason":"EndTurn"}}`},
	{PermissionRequired{"t1", write, 1, nil}, `{"PermissionRequired":{"tool_use_id":"t1","request":{"target_type":"Path","target":"/p/a.md","level":"Write","description":"Write /p/a.md","reason":"new file","recursive":false,"id":"t1","tool_name":"write_file"},"session_id":1}}`},
	{BatchPermissionRequired{"batch-1", []PermissionRequest{run}, 1, nil}, `{"BatchPermissionRequired":{"batch_id":"batch-1","requests":[{"target_type":"Command","target":"go test","level":"Execute","description":"Run go","reason":null,"recursive":false,"id":"t2","tool_name":"bash"}],"session_id":1}}`},
	{
		UserInteractionRequired{"t1", AskUserQuestionsRequest{[]Question{
			{"q1", "Which?", SingleChoice, &[]string{"A", "B"}, true, nil}, {"q2", "Notes?", FreeText, nil, false, nil},
		}}, 1, nil},
		`{"UserInteractionRequired":{"tool_use_id":"t1","request":{"questions":[{"id":"q1","text":"Which?","question_type":"SingleChoice","options":["A","B"],"required":true},{"id":"q2","text":"Notes?","question_type":"FreeText","options":null,"required":false}]},"session_id":1}}`,
	},
	{TokenUpdate{1, 2, 1, nil}, `{"TokenUpdate":{"input_tokens":1,"output_tokens":2,"session_id":1}}`},
	{Error{"m", nil, nil}, `{"Error":{"message":"m","session_id":null}}`},
	{Error{"m", new(int64(7)), nil}, `{"Error":{"message":"m","session_id":7}}`},
	{System{"m", new(int64(1))}, `{"System":{"message":"m","session_id":1}}`},
	{System{"m", nil}, `{"System":{"message":"m","session_id":null}}`},
	{Display{"c", 1, nil}, `{"Display":{"content":"c","session_id":1}}`},
	{CommandComplete{"clear", 1, nil}, `{"CommandComplete":{"command":"clear","session_id":1}}`},
}

// extendedSamples is what --extended adds, with a value and without.
var extendedSamples = []struct {
	message UIMessage
	line    string
}{
	{
		ToolExecuting{"t1", "ls", jsontext.Value(`{}`), 1, &ToolExecutingMore{new("Ls"), nil, &assistant1}},
		`{"ToolExecuting":{"tool_use_id":"t1","tool_name":"ls","input":{},"session_id":1,"display_name":"Ls","display_title":null,"turn_id":{"role":"Assistant","sequence":1}}}`,
	},
	{
		ToolCompleted{"t1", "no", 1, &ToolCompletedMore{ToolError, new("no"), nil}},
		`{"ToolCompleted":{"tool_use_id":"t1","result":"no","session_id":1,"status":"Error","error":"no","turn_id":null}}`,
	},
	{
		PermissionRequired{"t2", run, 1, &TurnMore{&assistant1}},
		`{"PermissionRequired":{"tool_use_id":"t2","request":{"target_type":"Command","target":"go test","level":"Execute","description":"Run go","reason":null,"recursive":false,"id":"t2","tool_name":"bash"},"session_id":1,"turn_id":{"role":"Assistant","sequence":1}}}`,
	},
	{
		BatchPermissionRequired{"batch-1", []PermissionRequest{}, 1, &BatchMore{[]Grant{
			{GrantTarget{Type: GrantPath, Path: "/p"}, LevelWrite, nil},
			{GrantTarget{Type: GrantCommand, Pattern: "go *"}, LevelExecute, new(uint64(60))},
			{GrantTarget{Type: GrantTool, ToolName: "x"}, LevelExecute, nil},
		}, nil}},
		`{"BatchPermissionRequired":{"batch_id":"batch-1","requests":[],"session_id":1,"suggested_grants":[{"target":{"type":"path","path":"/p","recursive":false},"level":"Write"},{"target":{"type":"command","pattern":"go *"},"level":"Execute","expires_in_secs":60},{"target":{"type":"tool","tool_name":"x"},"level":"Execute"}],"turn_id":null}}`,
	},
	{
		UserInteractionRequired{"t1", AskUserQuestionsRequest{[]Question{{"q1", "?", FreeText, nil, false, new("d")}}}, 1, &TurnMore{}},
		`{"UserInteractionRequired":{"tool_use_id":"t1","request":{"questions":[{"id":"q1","text":"?","question_type":"FreeText","options":null,"required":false,"defaultValue":"d"}]},"session_id":1,"turn_id":null}}`,
	},
	{TokenUpdate{1, 2, 1, &TokenMore{200000, nil}}, `{"TokenUpdate":{"input_tokens":1,"output_tokens":2,"session_id":1,"context_limit":200000,"turn_id":null}}`},
	{Error{"m", nil, &TurnMore{}}, `{"Error":{"message":"m","session_id":null,"turn_id":null}}`},
	{Display{"c", 1, &TurnMore{}}, `{"Display":{"content":"c","session_id":1,"turn_id":null}}`},
	{CommandComplete{"clear", 1, &CommandMore{true, nil}}, `{"CommandComplete":{"command":"clear","session_id":1,"success":true,"message":null}}`},
}

func TestEncode(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	for _, test := range append(samples, extendedSamples...) {
		if got := string(encode(test.message)); got != test.line {
			t.Errorf("got  %s\nwant %s", got, test.line)
		}
		if err := part("Outbound").FitsText(t, test.line); err != nil {
			t.Errorf("%s: %v", test.line, err)
		}
	}
}

// The encoder of the hottest message writes what the JSON library writes.
func TestEncodeTextChunk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := TextChunk{
			Text:      rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("\"\\\u2028\n\x00</é😀")))).Draw(t, "text"),
			SessionID: rapid.Int64().Draw(t, "session"),
			TurnID:    TurnID{RoleAssistant, rapid.Uint64().Draw(t, "sequence")},
		}
		want := `{"TextChunk":` + string(marshal(c)) + `}`
		if got := string(encode(c)); got != want {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	})
	broken := encode(TextChunk{"a\xff\xc3", 1, assistant1})
	if !strings.Contains(string(broken), "a\uFFFD\uFFFD") {
		t.Errorf("%s", broken)
	}
	var value any
	if err := json.Unmarshal(broken, &value); err != nil {
		t.Error(err)
	}
}

func BenchmarkEncodeTextChunk(b *testing.B) {
	m := TextChunk{"a few words ", 1, assistant1}
	b.ReportAllocs()
	for b.Loop() {
		if len(encode(m)) == 0 {
			b.Fatal("nothing")
		}
	}
}
