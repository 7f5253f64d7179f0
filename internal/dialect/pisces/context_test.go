package pisces

import (
	"bytes"
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
	_, entries := readText(t, everyKind)
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

// TestExport: a session of our own as a file.
func TestExport(t *testing.T) {
	var out bytes.Buffer
	if err := export(&out, sequence(conversation()), around(), "/old.jsonl"); err != nil {
		t.Fatal(err)
	}
	want := `{"type":"session","version":3,"id":"15d65af22b6106c4","timestamp":"2026-04-05T10:20:30.000Z","cwd":"/home/ana/shop","title":"Cart","parentSession":"/old.jsonl"}
{"type":"model_change","id":"00000001","parentId":null,"timestamp":"2026-04-05T10:20:30.000Z","model":"acme/otter-2","provider":"acme","modelId":"otter-2"}
{"type":"thinking_level_change","id":"01000001","parentId":"00000001","timestamp":"2026-04-05T10:20:30.000Z","thinkingLevel":"off"}
{"type":"message","id":"00000003","parentId":"01000001","timestamp":"2026-04-05T10:20:30.020Z","message":{"role":"user"…}}
{"type":"message","id":"00000005","parentId":"00000003","timestamp":"2026-04-05T10:20:30.040Z","message":{"role":"assistant"…}}
{"type":"message","id":"00000007","parentId":"00000005","timestamp":"2026-04-05T10:20:30.060Z","message":{"role":"toolResult"…}}
{"type":"message","id":"0000000a","parentId":"00000007","timestamp":"2026-04-05T10:20:30.090Z","message":{"role":"assistant"…}}
{"type":"message","id":"0000000d","parentId":"0000000a","timestamp":"2026-04-05T10:20:30.120Z","message":{"role":"bashExecution"…}}
{"type":"message","id":"0000000f","parentId":"0000000d","timestamp":"2026-04-05T10:20:30.140Z","message":{"role":"user"…}}
{"type":"message","id":"00000011","parentId":"0000000f","timestamp":"2026-04-05T10:20:30.160Z","message":{"role":"assistant"…}}
{"type":"label","id":"00000014","parentId":"00000011","timestamp":"2026-04-05T10:20:30.190Z","targetId":"0000000f","label":"good"}
{"type":"compaction","id":"00000015","parentId":"00000014","timestamp":"2026-04-05T10:20:30.200Z","summary":"It went well.","firstKeptEntryId":"0000000a","tokensBefore":99,"details":{"readFiles":[],"modifiedFiles":[]},"preserveData":{}}
{"type":"model_change","id":"00000016","parentId":"00000015","timestamp":"2026-04-05T10:20:30.210Z","model":"acme/eel","provider":"acme","modelId":"eel"}
{"type":"thinking_level_change","id":"01000016","parentId":"00000016","timestamp":"2026-04-05T10:20:30.210Z","thinkingLevel":"high"}
{"type":"session_info","id":"02000016","parentId":"01000016","timestamp":"2026-04-05T10:20:30.210Z","name":"Cart"}
{"type":"message","id":"00000018","parentId":"02000016","timestamp":"2026-04-05T10:20:30.230Z","message":{"role":"user"…}}
{"type":"message","id":"0000001b","parentId":"02000016","timestamp":"2026-04-05T10:20:30.260Z","message":{"role":"user"…}}
`
	var got strings.Builder
	for line := range strings.Lines(out.String()) { // messages have tests of their own
		if before, after, isMessage := strings.Cut(line, `"message":{"role":"`); isMessage {
			role, _, _ := strings.Cut(after, `"`)
			line = before + `"message":{"role":"` + role + `"…}}` + "\n"
		}
		got.WriteString(line)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

// TestExportNotes: messages that nobody said are entries of their kinds.
func TestExportNotes(t *testing.T) {
	note := func(sent string) event.UserMessage {
		return event.UserMessage{Via: event.ByEngine, Sent: []byte(sent)}
	}
	var out bytes.Buffer
	all := records(
		created(),
		note(`{"role":"custom","customType":"hint","content":[{"type":"text","text":"x"}],"display":true,"details":{"n":1.0},"timestamp":5}`),
		note(`{"role":"branchSummary","summary":"s","fromId":"a","timestamp":5}`),
		note(`{"role":"fileMention","files":[],"timestamp":5}`),
		event.Compacted{Summary: "all"},
		event.Labelled{Target: 2},
	)
	if err := export(&out, sequence(all), around(), ""); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		got = append(got, strings.TrimSpace(line))
	}
	want := []string{
		`{"type":"custom_message","id":"00000002","parentId":"01000001","timestamp":"2026-04-05T10:20:30.010Z","customType":"hint","content":[{"type":"text","text":"x"}],"display":true,"details":{"n":1.0}}`,
		`{"type":"branch_summary","id":"00000003","parentId":"00000002","timestamp":"2026-04-05T10:20:30.020Z","fromId":"a","summary":"s"}`,
		`{"type":"message","id":"00000004","parentId":"00000003","timestamp":"2026-04-05T10:20:30.030Z","message":{"role":"fileMention","files":[],"timestamp":5}}`,
		`{"type":"compaction","id":"00000005","parentId":"00000004","timestamp":"2026-04-05T10:20:30.040Z","summary":"all","firstKeptEntryId":"00000005","tokensBefore":0,"details":{"readFiles":[],"modifiedFiles":[]},"preserveData":{}}`,
		`{"type":"label","id":"00000006","parentId":"00000005","timestamp":"2026-04-05T10:20:30.050Z","targetId":"00000002"}`,
	}
	if diff := cmp.Diff(want, got[3:]); diff != "" {
		t.Error(diff)
	}
	h, err := readHistory(sequence(all), around())
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(h.context()); len(got) != 1 || got[0] != "compactionSummary" {
		t.Errorf("a compaction that keeps nothing leaves %v", got)
	}
}

// TestIDsAfterImport: entries of our own never get an id that an imported one has.
func TestIDsAfterImport(t *testing.T) {
	all := records(created(), says("a"), says("b"), says("c"))
	all[1].Origin = []byte(`{"type":"message","id":"00000003","parentId":null,"message":{"role":"user","content":"a"}}`)
	h, err := readHistory(sequence(all), around())
	if err != nil {
		t.Fatal(err)
	}
	want := []prompt{{"00000003", "a"}, {"01000003", "b"}, {"00000004", "c"}}
	if diff := cmp.Diff(want, h.prompts()); diff != "" {
		t.Error(diff)
	}
}
