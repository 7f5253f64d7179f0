package sessionfile

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/recordtest"
	"parley.dev/parley/internal/event"
)

// TestExport: a session of our own as a file.
func TestExport(t *testing.T) {
	var out bytes.Buffer
	if err := Write(&out, recordtest.Sequence(recordtest.Conversation()), around(), "/old.jsonl"); err != nil {
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

// TestExportNotes: messages of no user are entries of their kinds.
func TestExportNotes(t *testing.T) {
	note := func(sent string) event.UserMessage {
		return event.UserMessage{Via: event.ByEngine, Sent: []byte(sent)}
	}
	var out bytes.Buffer
	all := recordtest.Records(
		recordtest.Created(),
		note(`{"role":"custom","customType":"hint","content":[{"type":"text","text":"x"}],"display":true,"details":{"n":1.0},"timestamp":5}`),
		note(`{"role":"branchSummary","summary":"s","fromId":"a","timestamp":5}`),
		note(`{"role":"fileMention","files":[],"timestamp":5}`),
		event.Compacted{Summary: "all"},
		event.Labelled{Target: 2},
	)
	if err := Write(&out, recordtest.Sequence(all), around(), ""); err != nil {
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
	h, err := ReadHistory(recordtest.Sequence(all), around())
	if err != nil {
		t.Fatal(err)
	}
	if got := h.Context(); len(got) != 1 || got[0].MessageRole() != message.RoleCompactionSummary {
		t.Errorf("a compaction that keeps nothing leaves %v", got)
	}
}

// TestIDsAfterImport: entries of our own never get an id that an imported one has.
func TestIDsAfterImport(t *testing.T) {
	all := recordtest.Records(recordtest.Created(), recordtest.Says("a"), recordtest.Says("b"), recordtest.Says("c"))
	all[1].Origin = []byte(`{"type":"message","id":"00000003","parentId":null,"message":{"role":"user","content":"a"}}`)
	h, err := ReadHistory(recordtest.Sequence(all), around())
	if err != nil {
		t.Fatal(err)
	}
	want := []Prompt{{"00000003", "a"}, {"01000003", "b"}, {"00000004", "c"}}
	if diff := cmp.Diff(want, h.Prompts()); diff != "" {
		t.Error(diff)
	}
}
