package pisces

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/dialect/pisces/recordtest"
	"parley.dev/parley/internal/dialect/pisces/sessionfile"
)

// around is surroundings with one model, and one blob.
func around() message.Surroundings {
	return message.Surroundings{Blob: recordtest.Pixels, Model: func(name string) message.Model {
		provider, id, _ := strings.Cut(name, "/")
		return message.Model{ID: id, Provider: provider, API: message.APICompletions, Cost: message.ModelCost{Input: 1, Output: 2, CacheRead: 0.1}}
	}}
}

func texts(messages []message.Message) (all []string) {
	for _, m := range messages {
		s := string(m.MessageRole())
		if t := message.SummaryOf(m).Text; t != "" {
			s += " " + t
		}
		all = append(all, s)
	}
	return all
}

func TestContext(t *testing.T) {
	h, err := sessionfile.ReadHistory(recordtest.Sequence(recordtest.Conversation()), around())
	if err != nil {
		t.Fatal(err)
	}
	context := h.Context()
	if diff := cmp.Diff([]string{"compactionSummary", "assistant Planned.", "bashExecution", "user Write it", "assistant Written.", "user Go on"}, texts(context)); diff != "" {
		t.Error(diff)
	}
	want := `{"role":"compactionSummary","summary":"It went well.","tokensBefore":99,"timestamp":1775384430200}`
	if got := string(rawjson.Marshal(context[0])); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if diff := cmp.Diff([]sessionfile.Prompt{{EntryID: "00000003", Text: "Plan it"}, {EntryID: "0000000f", Text: "Write it"}, {EntryID: "00000018", Text: "Lost"}, {EntryID: "0000001b", Text: "Go on"}}, h.Prompts()); diff != "" {
		t.Error(diff)
	}
	if seq, text, ok := h.UserMessage("0000000f"); seq != 15 || text != "Write it" || !ok {
		t.Errorf("the message is %d %q %t", seq, text, ok)
	}
	for _, id := range []string{"", "nope", "00000005", "00000015"} {
		if _, _, ok := h.UserMessage(id); ok {
			t.Errorf("%q is a message of the person", id)
		}
	}
	if text := lastAssistantText(context); text == nil || *text != "Written." {
		t.Errorf("the last text is %v", text)
	}
	stats := SessionStats{
		UserMessages: 2, AssistantMessages: 2, TotalMessages: 6, Tokens: StatsTokens{Input: 20, Output: 10, CacheRead: 4, Total: 34}, Cost: 1,
	}
	if diff := cmp.Diff(stats, statsOf(context)); diff != "" {
		t.Error(diff)
	}
}

// TestContextOfFile: the stats of messages of another program are those of our own.
func TestContextOfFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(file, []byte(recordtest.EveryKind), 0o600); err != nil {
		t.Fatal(err)
	}
	_, entries, err := sessionfile.Read(t.Context(), file, "")
	if err != nil {
		t.Fatal(err)
	}
	context := sessionfile.HistoryOf(entries).Context()
	if diff := cmp.Diff([]string{
		"compactionSummary", "bashExecution", "pythonExecution", "custom", "developer Continue.", "branchSummary", "user Write it", "assistant",
	}, texts(context)); diff != "" {
		t.Error(diff)
	}
	before := sessionfile.HistoryOf(entries[:16]).Context()
	stats := SessionStats{
		UserMessages: 2, AssistantMessages: 2, ToolCalls: 3, ToolResults: 3, TotalMessages: 10, PremiumRequests: 0.33,
		Tokens: StatsTokens{Input: 11, Output: 6, CacheRead: 1, Total: 18}, Cost: 0.3,
	}
	if diff := cmp.Diff(stats, statsOf(before)); diff != "" {
		t.Error(diff)
	}
	task := message.Raw{Value: []byte(`{"role":"toolResult","toolName":"task","details":{"usage":{"input":3,"output":1,"cost":{"total":0.5}}}}`), Role: message.RoleToolResult}
	own := message.ToolResult{Role: message.RoleToolResult, ToolName: "task", Details: []byte(`{"usage":{"input":4}}`)}
	if got := statsOf([]message.Message{task, own}); got.Tokens.Total != 8 || got.Cost != 0.5 || got.ToolResults != 2 {
		t.Errorf("with subagents: %+v", got)
	}
}

func TestLastAssistantText(t *testing.T) {
	answer := func(stop message.StopReason, content ...message.Content) message.Message {
		return message.Assistant{Role: message.RoleAssistant, StopReason: stop, Content: content}
	}
	said := answer(message.StopStop, message.NewText(" a"), message.Thinking{}, message.NewText("b\n"))
	for _, test := range []struct {
		name     string
		messages []message.Message
		want     string
	}{
		{"none", nil, "null"},
		{"text", []message.Message{said, message.User{Role: message.RoleUser}}, `"ab"`},
		{"an empty interrupt", []message.Message{said, answer(message.StopAborted)}, `"ab"`},
		{"an empty failure", []message.Message{said, answer(message.StopError)}, "null"},
		{"only a call", []message.Message{said, answer(message.StopToolUse, message.ToolCall{})}, "null"},
		{"of another program", []message.Message{message.Raw{Value: []byte(`{"role":"assistant","content":"x"}`), Role: message.RoleAssistant}}, `"x"`},
	} {
		if got := string(rawjson.Marshal(lastAssistantText(test.messages))); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}
