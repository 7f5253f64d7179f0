package pisces

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// answers is an answer of the model, with what its step begins and ends with.
func answers(text string, asked ...model.Block) []event.Event {
	a := event.AssistantMessage{Model: "otter-2", Stop: model.StopEnd, Usage: model.Usage{Input: 10, Output: 5, CacheRead: 2}, Cost: 0.5}
	if text != "" {
		a.Blocks = append(a.Blocks, model.TextBlock(text))
	}
	a.Blocks = append(a.Blocks, asked...)
	return []event.Event{event.StepStarted{Step: 1}, a}
}

// conversation is a session with calls, a command, a compaction, a label and a branch.
func conversation() []event.Record {
	var all []event.Event
	add := func(more ...event.Event) { all = append(all, more...) }
	add(created(), event.TurnStarted{}, says("Plan it"))
	add(answers("Looking.", calls("c1 bash")...)...)
	add(intends("c1", "bash", "shell"), event.ToolEnded{Call: "c1", Outcome: event.Succeeded, Output: "ok"}, event.StepEnded{Step: 1}) // 6 7 8
	add(answers("Planned.")...)                                                                                                        // 9 10
	add(event.StepEnded{Step: 1}, event.TurnEnded{Reason: event.TurnCompleted})                                                        // 11 12
	add(event.CommandRan{Shell: event.ShellRun{Command: "ls"}})                                                                        // 13
	add(event.TurnStarted{}, says("Write it"))                                                                                         // 14 15
	add(answers("Written.")...)                                                                                                        // 16 17
	add(event.StepEnded{Step: 1}, event.TurnEnded{Reason: event.TurnCompleted})                                                        // 18 19
	add(event.Labelled{Target: 15, Label: "good"})                                                                                     // 20
	add(event.Compacted{Summary: "It went well.", KeptFrom: 10, TokensBefore: 99})                                                     // 21
	add(event.SessionChanged{Settings: event.Settings{Model: "acme/eel", Thinking: model.High, Name: "Cart"}})                         // 22
	add(event.TurnStarted{}, says("Lost"))                                                                                             // 23 24
	add(event.Branched{Head: 21})                                                                                                      // 25
	add(event.TurnStarted{}, says("Go on"))                                                                                            // 26 27
	return records(all...)
}

// around is surroundings with one model, and one blob.
func around() surroundings {
	return surroundings{blob: pixels, model: func(name string) asked {
		provider, id, _ := strings.Cut(name, "/")
		return asked{ID: id, Provider: provider, API: APICompletions, Cost: ModelCost{Input: 1, Output: 2, CacheRead: 0.1}}
	}}
}

func texts(messages []Message) (all []string) {
	for _, m := range messages {
		s := string(m.MessageRole())
		if t := summaryOf(m).text; t != "" {
			s += " " + t
		}
		all = append(all, s)
	}
	return all
}

func TestContext(t *testing.T) {
	h, err := readHistory(sequence(conversation()), around())
	if err != nil {
		t.Fatal(err)
	}
	context := h.context()
	if diff := cmp.Diff([]string{"compactionSummary", "assistant Planned.", "bashExecution", "user Write it", "assistant Written.", "user Go on"}, texts(context)); diff != "" {
		t.Error(diff)
	}
	want := `{"role":"compactionSummary","summary":"It went well.","tokensBefore":99,"timestamp":1775384430200}`
	if got := string(marshal(context[0])); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if diff := cmp.Diff([]prompt{{"00000003", "Plan it"}, {"0000000f", "Write it"}, {"00000018", "Lost"}, {"0000001b", "Go on"}}, h.prompts()); diff != "" {
		t.Error(diff)
	}
	if seq, text, ok := h.userMessage("0000000f"); seq != 15 || text != "Write it" || !ok {
		t.Errorf("the message is %d %q %t", seq, text, ok)
	}
	for _, id := range []string{"", "nope", "00000005", "00000015"} {
		if _, _, ok := h.userMessage(id); ok {
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
	if err := os.WriteFile(file, []byte(everyKind), 0o600); err != nil {
		t.Fatal(err)
	}
	_, entries, err := readFile(file, "")
	if err != nil {
		t.Fatal(err)
	}
	context := historyOf(entries).context()
	if diff := cmp.Diff([]string{
		"compactionSummary", "bashExecution", "pythonExecution", "custom", "developer Continue.", "branchSummary", "user Write it", "assistant",
	}, texts(context)); diff != "" {
		t.Error(diff)
	}
	before := historyOf(entries[:16]).context()
	stats := SessionStats{
		UserMessages: 2, AssistantMessages: 2, ToolCalls: 3, ToolResults: 3, TotalMessages: 10, PremiumRequests: 0.33,
		Tokens: StatsTokens{Input: 11, Output: 6, CacheRead: 1, Total: 18}, Cost: 0.3,
	}
	if diff := cmp.Diff(stats, statsOf(before)); diff != "" {
		t.Error(diff)
	}
	task := RawMessage{[]byte(`{"role":"toolResult","toolName":"task","details":{"usage":{"input":3,"output":1,"cost":{"total":0.5}}}}`), RoleToolResult}
	own := ToolResultMessage{Role: RoleToolResult, ToolName: "task", Details: []byte(`{"usage":{"input":4}}`)}
	if got := statsOf([]Message{task, own}); got.Tokens.Total != 8 || got.Cost != 0.5 || got.ToolResults != 2 {
		t.Errorf("with subagents: %+v", got)
	}
}

func TestLastAssistantText(t *testing.T) {
	answer := func(stop StopReason, content ...Content) Message {
		return AssistantMessage{Role: RoleAssistant, StopReason: stop, Content: content}
	}
	said := answer(StopStop, textContent(" a"), ThinkingContent{}, textContent("b\n"))
	for _, test := range []struct {
		name     string
		messages []Message
		want     string
	}{
		{"none", nil, "null"},
		{"text", []Message{said, UserMessage{Role: RoleUser}}, `"ab"`},
		{"an empty interrupt", []Message{said, answer(StopAborted)}, `"ab"`},
		{"an empty failure", []Message{said, answer(StopError)}, "null"},
		{"only a call", []Message{said, answer(StopToolUse, ToolCall{})}, "null"},
		{"of another program", []Message{RawMessage{[]byte(`{"role":"assistant","content":"x"}`), RoleAssistant}}, `"x"`},
	} {
		if got := string(marshal(lastAssistantText(test.messages))); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}
