package sessionfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/dialect/pisces/recordtest"
	"parley.dev/parley/internal/event"
)

// A failer is a test, or a law being drawn.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func noBlob(string) ([]byte, error) { return nil, errors.New("no such picture") }

func readText(t failer, text string) (Header, []Entry) {
	t.Helper()
	header, entries, err := readEntries(context.Background(), strings.NewReader(text), noBlob)
	if err != nil {
		t.Fatal(err)
	}
	return header, entries
}

// journalOf returns an imported file as a journal.
func journalOf(id event.SessionID, im Imported) []event.Record {
	all := []event.Record{{Seq: 1, Time: im.Created, Event: event.SessionCreated{ID: id, Workspace: im.Workspace, Settings: im.Settings}}}
	for _, rec := range im.Records {
		rec.Seq = uint64(len(all) + 1)
		all = append(all, rec)
	}
	return all
}

func linesOf(entries []Entry) []string {
	var lines []string
	for _, e := range entries {
		lines = append(lines, string(e.Line()))
	}
	return lines
}

// checkJournal: a journal is as the engine would have written it.
func checkJournal(t failer, all []event.Record) {
	t.Helper()
	var turn event.TurnID
	step := 0
	nodes := map[uint64]bool{0: true}
	open := map[event.CallID]bool{}
	seen := map[event.CallID]bool{}
	for _, rec := range all {
		if rec.Turn != turn {
			if _, begins := rec.Event.(event.TurnStarted); !begins || turn != "" {
				t.Fatalf("record %d (%s) is of turn %q within %q", rec.Seq, rec.Event.Kind(), rec.Turn, turn)
			}
		}
		switch e := rec.Event.(type) {
		case event.TurnStarted:
			turn = rec.Turn
		case event.TurnEnded:
			if step != 0 {
				t.Fatalf("record %d ends a turn with an open step", rec.Seq)
			}
			turn = ""
		case event.StepStarted:
			if step != 0 || turn == "" {
				t.Fatalf("record %d begins a step in step %d of turn %q", rec.Seq, step, turn)
			}
			step = e.Step
		case event.StepEnded:
			if step != e.Step || len(open) > 0 {
				t.Fatalf("record %d ends step %d of %d with %v open", rec.Seq, e.Step, step, open)
			}
			step = 0
		case event.ToolIntended:
			if seen[e.Call] {
				t.Fatalf("record %d: the call %s is there twice", rec.Seq, e.Call)
			}
			seen[e.Call], open[e.Call] = true, true
		case event.ToolEnded:
			if !open[e.Call] {
				t.Fatalf("record %d ends %s, which is not open", rec.Seq, e.Call)
			}
			delete(open, e.Call)
		case event.Branched:
			if !nodes[e.Head] {
				t.Fatalf("record %d branches to %d, which is no message", rec.Seq, e.Head)
			}
		case event.Compacted:
			if e.KeptFrom != 0 && !nodes[e.KeptFrom] {
				t.Fatalf("record %d keeps from %d, which is no message", rec.Seq, e.KeptFrom)
			}
			nodes[rec.Seq] = true
		case event.UserMessage, event.AssistantMessage, event.CommandRan:
			nodes[rec.Seq] = true
		}
	}
	if turn != "" {
		t.Fatalf("the turn %s is open at the end", turn)
	}
}

// checkRoundTrip: a file that was imported comes out again with the same entries, the same
// last one, and the same context.
func checkRoundTrip(t failer, text string) (Header, []event.Record) {
	t.Helper()
	header, entries := readText(t, text)
	all := journalOf(event.SessionID(header.ID), Import(header, entries))
	checkJournal(t, all)
	var out bytes.Buffer
	if err := Write(&out, recordtest.Sequence(all), around(), header.ParentSession); err != nil {
		t.Fatal(err)
	}
	back, again := readText(t, out.String())
	want, got := linesOf(entries), linesOf(again)
	if len(want) > 0 && want[len(want)-1] != got[len(got)-1] {
		t.Fatalf("the last line is %s, was %s", got[len(got)-1], want[len(want)-1])
	}
	h, err := ReadHistory(recordtest.Sequence(all), around())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(rawjson.Marshal(HistoryOf(entries).Context())), string(rawjson.Marshal(h.Context()))); diff != "" {
		t.Fatalf("the context has changed:\n%s", diff)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("entries have changed:\n%s", diff)
	}
	return back, all
}

func TestImportEveryKind(t *testing.T) {
	header, all := checkRoundTrip(t, recordtest.EveryKind)
	if want := (Header{"session", 3, "15d65af22b6106c4", "2026-04-05T10:20:30.123Z", "/home/ana/shop", "Cart", "/old.jsonl"}); header != want {
		t.Errorf("the header is %+v", header)
	}
	var kinds []string
	for _, rec := range all {
		line := string(rec.Event.Kind())
		switch e := rec.Event.(type) {
		case event.UserMessage:
			line += fmt.Sprintf(" %s %q", e.Via, e.Blocks[0].Text)
		case event.AssistantMessage:
			line += fmt.Sprintf(" %s partial=%t", e.Stop, e.Partial)
		case event.ToolEnded:
			line += fmt.Sprintf(" %s %s %q %d", e.Call, e.Outcome, e.Output, len(e.Images))
		case event.SessionChanged:
			line += fmt.Sprintf(" %s %s", e.Settings.Model, e.Settings.Thinking)
		case event.Branched:
			line += fmt.Sprintf(" %d", e.Head)
		case event.Compacted:
			line += fmt.Sprintf(" %d", e.KeptFrom)
		case event.Labelled:
			line += fmt.Sprintf(" %d %s", e.Target, e.Label)
		case event.TurnEnded:
			line += " " + string(e.Reason)
		}
		kinds = append(kinds, fmt.Sprintf("%d %s", rec.Seq, line))
	}
	const reminder = `"<system-reminder>\nThe user's message mentions these files:\n<file path=\"cart.go\">\npackage cart\n</file>\n<file path=\"big\">left out, it is too large: 9999999 bytes</file>\n<file path=\"i.png\">a picture</file>\n</system-reminder>"`
	want := []string{
		"1 session_created",
		"2 session_changed acme/otter-2 ", "3 foreign", "4 session_changed acme/otter-2 off", "5 foreign",
		"6 turn_started", `7 user_message prompt "Another way"`, "8 session_changed acme/otter-2 high", "9 turn_ended completed",
		"10 branched 0", "11 session_changed acme/otter-2 off",
		"12 turn_started", `13 user_message prompt "Plan it"`, "14 user_message engine " + reminder,
		"15 step_started", "16 assistant_message tools partial=false",
		"17 tool_intended", `18 tool_ended c2 failed "cart.go\n" 0`, "19 tool_intended", `20 tool_ended c1 succeeded "see" 1`, "21 step_ended",
		`22 user_message steer "In between"`, "23 session_changed acme/eel off", "24 step_started", "25 assistant_message  partial=true", "26 foreign",
		"27 labelled 16 good", "28 foreign", "29 step_ended", "30 turn_ended interrupted",
		"31 command_ran", `32 user_message engine "Ran Python:\n` + "```python\\n1+1\\n```\\nOutput:\\n```\\n2\\n```\\n" + `Exit code 1\n"`,
		"33 foreign", `34 user_message engine "Mind the gap"`, `35 user_message engine "Continue."`, "36 compacted 31",
		`37 user_message engine "The conversation came back from a branch, of which this is a summary:\n\n<summary>\nWent astray.\n</summary>"`,
		"38 objected", "39 foreign", "40 session_changed acme/eel off", "41 foreign",
		"42 turn_started", `43 user_message prompt "Write it"`, "44 session_changed acme/otter-2 off", "45 step_started", "46 assistant_message  partial=true", "47 step_ended", "48 turn_ended failed",
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Error(diff)
	}
	answer := all[15].Event.(event.AssistantMessage)
	var blocks []string
	for _, b := range answer.Blocks {
		blocks = append(blocks, string(b.Kind)+" "+b.Text+" "+b.Signature)
	}
	if diff := cmp.Diff([]string{"thinking Hm. anthropic:s", "thinking  anthropic-redacted:zzz", "text Two reads. ", "tool_call  ", "tool_call  "}, blocks); diff != "" {
		t.Error(diff)
	}
}

// TestImportOldVersions: files of the versions 1 and 2 come out as version 3.
func TestImportOldVersions(t *testing.T) {
	const v1 = `{"type":"session","id":"u-1","timestamp":"2025-12-05T10:20:30.123Z","cwd":"/home/ana"}
{"type":"message","timestamp":"2025-12-05T10:20:31.000Z","message":{"role":"user","content":"one","timestamp":1}}
{"type":"message","timestamp":"2025-12-05T10:20:32.000Z","message":{"role":"assistant","content":[{"type":"text","text":"two"}],"provider":"acme","model":"otter-2","stopReason":"stop","timestamp":2}}
{"type":"message","timestamp":"2025-12-05T10:20:33.000Z","message":{"role":"hookMessage","customType":"h","content":"three","display":false,"timestamp":3}}
{"type":"compaction","timestamp":"2025-12-05T10:20:34.000Z","summary":"s","firstKeptEntryIndex":2,"tokensBefore":9}
`
	header, entries := readText(t, v1)
	if header.Version != 3 || header.ID != "u-1" {
		t.Errorf("the header is %+v", header)
	}
	want := []string{
		`{"type":"message","timestamp":"2025-12-05T10:20:31.000Z","message":{"role":"user","content":"one","timestamp":1},"id":"00000001","parentId":null}`,
		`{"type":"message","timestamp":"2025-12-05T10:20:32.000Z","message":{"role":"assistant","content":[{"type":"text","text":"two"}],"provider":"acme","model":"otter-2","stopReason":"stop","timestamp":2},"id":"00000002","parentId":"00000001"}`,
		`{"type":"message","timestamp":"2025-12-05T10:20:33.000Z","message":{"role":"custom","customType":"h","content":"three","display":false,"timestamp":3},"id":"00000003","parentId":"00000002"}`,
		`{"type":"compaction","timestamp":"2025-12-05T10:20:34.000Z","summary":"s","tokensBefore":9,"id":"00000004","parentId":"00000003","firstKeptEntryId":"00000002"}`,
	}
	if diff := cmp.Diff(want, linesOf(entries)); diff != "" {
		t.Error(diff)
	}
	checkRoundTrip(t, v1)

	const v2 = `{"type":"session","version":2,"id":"u-2","timestamp":"2025-12-05T10:20:30.123Z","cwd":"/"}
{"type":"message","id":"x","parentId":null,"timestamp":"2025-12-05T10:20:31.000Z","message":{"role":"hookMessage","content":"one"}}
`
	_, entries = readText(t, v2)
	if got := linesOf(entries); len(got) != 1 || !strings.Contains(got[0], `"role":"custom"`) {
		t.Errorf("version 2 is read as %s", got)
	}
	checkRoundTrip(t, v2)
}

// TestImportUpstream: the names that relatives of the program give to fields.
func TestImportUpstream(t *testing.T) {
	_, all := checkRoundTrip(t, recordtest.Header+`{"type":"model_change","id":"1","parentId":null,"timestamp":"2026-04-05T10:20:31.000Z","provider":"acme","modelId":"eel"}
{"type":"thinking_level_change","id":"2","parentId":"1","timestamp":"2026-04-05T10:20:31.000Z","thinkingLevel":"off"}
{"type":"session_info","id":"3","parentId":"2","timestamp":"2026-04-05T10:20:31.000Z","name":"Other"}
`)
	last := all[len(all)-1].Event.(event.SessionChanged).Settings
	if last.Model != "acme/eel" || last.Thinking != "off" || last.Name != "Other" {
		t.Errorf("the settings are %+v", last)
	}
}

func TestReadTolerates(t *testing.T) {
	const entryLine = `{"type":"message","id":"1","parentId":null,"timestamp":"2026-04-05T10:20:31.000Z","message":{"role":"user","content":"x"}}`
	hash := strings.Repeat("ab", 32)
	for _, test := range []struct {
		name, text string
		entries    int
	}{
		{"nothing", "", 0},
		{"no header", entryLine, 0},
		{"another kind of file", "# Notes\n\nhello\n", 0},
		{"garbage before the header", "\n{bad\n" + recordtest.Header + entryLine, 1},
		{"garbage between", recordtest.Header + "{\"a\":\n[]\n\xff\nnull\n" + entryLine + "\n{\"type\":\"mess", 1},
		{"no id", recordtest.Header + `{"type":"custom","parentId":null}`, 0},
		{"the same id twice", recordtest.Header + entryLine + "\n" + entryLine, 1},
		{"a second header", recordtest.Header + recordtest.Header + entryLine, 1},
		{"carriage returns", strings.ReplaceAll(recordtest.Header+entryLine+"\n", "\n", "\r\n"), 1},
		{"odd members", recordtest.Header + `{"type":"message","id":"1","parentId":7,"timestamp":[],"message":"x"}` + "\n" + `{"type":"label","id":"2","parentId":"1","targetId":{}}`, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, entries := readText(t, test.text); len(entries) != test.entries {
				t.Errorf("read %d entries: %s", len(entries), linesOf(entries))
			}
			checkRoundTrip(t, test.text)
		})
	}

	text := recordtest.Header + `{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":[{"type":"image","data":"blob:sha256:` + hash + `","mimeType":"image/png"},{"type":"text","text":"blob:sha256:` + hash + `"}],"n":1.0}}`
	_, entries, err := readEntries(context.Background(), strings.NewReader(text), func(got string) ([]byte, error) {
		if got != hash {
			return nil, errors.New("no such picture")
		}
		return []byte("pixels"), nil
	})
	want := strings.Replace(strings.TrimPrefix(text, recordtest.Header), `"data":"blob:sha256:`+hash, `"data":"cGl4ZWxz`, 1)
	if err != nil || string(entries[0].Line()) != want {
		t.Errorf("got %s, %v, want %s", entries[0].Line(), err, want)
	}
}

// TestImportTrees: whatever the tree, and whatever parents are missing, the path of the last
// line is the history.
func TestImportTrees(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var text strings.Builder
		text.WriteString(recordtest.Header)
		n := rapid.IntRange(0, 12).Draw(rt, "entries")
		for i := range n {
			parent := "null"
			if p := rapid.IntRange(-1, n).Draw(rt, "parent"); p >= 0 {
				parent = fmt.Sprintf(`"e%d"`, p) // it may be missing, come later, or be the entry itself
			}
			body := rapid.SampledFrom([]string{
				`"type":"message","message":{"role":"user","content":"u"}`,
				`"type":"message","message":{"role":"assistant","provider":"p","model":"m","stopReason":"stop","content":[{"type":"text","text":"a"}]}`,
				`"type":"message","message":{"role":"assistant","provider":"p","model":"m","stopReason":"toolUse","content":[{"type":"toolCall","id":"c","name":"bash","arguments":{}}]}`,
				`"type":"message","message":{"role":"assistant","stopReason":"aborted","content":[]}`,
				`"type":"message","message":{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[],"isError":false}`,
				`"type":"message","message":{"role":"bashExecution","command":"ls"}`,
				`"type":"model_change","model":"p/n"`,
				`"type":"compaction","summary":"s","firstKeptEntryId":"e1","tokensBefore":1`,
				`"type":"custom"`,
			}).Draw(rt, "body")
			fmt.Fprintf(&text, "{\"id\":\"e%d\",\"parentId\":%s,%s,\"timestamp\":\"2026-04-05T10:20:31.000Z\"}\n", i, parent, body)
		}
		checkRoundTrip(rt, text.String())
	})
}

// FuzzReadFile: whatever a file holds, it can be imported, and comes out as it was read.
func FuzzReadFile(f *testing.F) {
	f.Add([]byte(recordtest.EveryKind))
	f.Add([]byte(`{"type":"session"}` + "\n" + `{"type":"compaction","firstKeptEntryIndex":1}`))
	f.Fuzz(func(t *testing.T, text []byte) { checkRoundTrip(t, string(text)) })
}
