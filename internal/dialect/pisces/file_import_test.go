package pisces

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley.dev/parley/internal/event"
)

// head3 is the first line of a file.
const head3 = `{"type":"session","version":3,"id":"15d65af22b6106c4","timestamp":"2026-04-05T10:20:30.123Z","cwd":"/home/ana/shop","title":"Cart","parentSession":"/old.jsonl"}` + "\n"

// everyKind is a file with an entry of each kind, two branches, and an unknown one.
const everyKind = head3 +
	`{"type":"model_change","id":"a0000001","parentId":null,"timestamp":"2026-04-05T10:20:31.000Z","model":"acme/otter-2","role":"default"}
{"type":"model_change","id":"a0000002","parentId":"a0000001","timestamp":"2026-04-05T10:20:31.000Z","model":"acme/eel","role":"smol"}
{"type":"thinking_level_change","id":"a0000003","parentId":"a0000002","timestamp":"2026-04-05T10:20:31.000Z","thinkingLevel":null}
{"type":"service_tier_change","id":"a0000004","parentId":"a0000003","timestamp":"2026-04-05T10:20:31.000Z","serviceTier":null}
{"type":"message","id":"b0000001","parentId":"a0000004","timestamp":"2026-04-05T10:20:32.000Z","message":{"role":"user","content":[{"type":"text","text":"Plan it"},{"type":"image","data":"cGl4ZWxz","mimeType":"image/png"}],"attribution":"user","timestamp":1775384432000}}
{"type":"message","id":"b0000002","parentId":"b0000001","timestamp":"2026-04-05T10:20:32.100Z","message":{"role":"fileMention","files":[{"path":"cart.go","content":"package cart\n","lineCount":2,"byteSize":13},{"path":"big","content":"","skippedReason":"tooLarge","byteSize":9999999},{"path":"i.png","content":"","image":{"type":"image","data":"cGl4ZWxz","mimeType":"image/png"}}],"timestamp":1775384432100}}
{"type":"message","id":"b0000003","parentId":"b0000002","timestamp":"2026-04-05T10:20:33.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","thinkingSignature":"s"},{"type":"redactedThinking","data":"zzz"},{"type":"text","text":"Two reads."},{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"a"}},{"type":"toolCall","id":"c2","name":"bash","arguments":{"command":"ls"}}],"api":"anthropic-messages","provider":"acme","model":"otter-2","usage":{"input":10,"output":5,"cacheRead":1,"cacheWrite":0,"totalTokens":16,"premiumRequests":0.33,"cost":{"input":0.1,"output":0.2,"cacheRead":0,"cacheWrite":0,"total":0.3}},"stopReason":"toolUse","timestamp":1775384432900,"duration":100}}
{"type":"message","id":"b0000004","parentId":"b0000003","timestamp":"2026-04-05T10:20:33.200Z","message":{"role":"toolResult","toolCallId":"c2","toolName":"bash","content":[{"type":"text","text":"cart.go\n"}],"isError":true,"timestamp":1775384433200}}
{"type":"message","id":"b0000005","parentId":"b0000004","timestamp":"2026-04-05T10:20:33.300Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"see"},{"type":"image","data":"cGl4ZWxz","mimeType":"image/png"}],"details":{"x":1.0},"isError":false,"timestamp":1775384433300}}
{"type":"message","id":"b0000006","parentId":"b0000005","timestamp":"2026-04-05T10:20:34.000Z","message":{"role":"user","content":"In between","timestamp":1775384434000}}
{"type":"message","id":"b0000007","parentId":"b0000006","timestamp":"2026-04-05T10:20:35.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Half a"},{"type":"toolCall","id":"c1","name":"read","arguments":{}}],"api":"openai-completions","provider":"acme","model":"eel","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"aborted","errorMessage":"Request was aborted","timestamp":1775384435000}}
{"type":"message","id":"b0000008","parentId":"b0000007","timestamp":"2026-04-05T10:20:35.100Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"Tool execution was aborted: Request was aborted"}],"details":{},"isError":true,"timestamp":1775384435100}}
{"type":"label","id":"b0000009","parentId":"b0000008","timestamp":"2026-04-05T10:20:36.000Z","targetId":"b0000003","label":"good"}
{"type":"label","id":"b000000a","parentId":"b0000009","timestamp":"2026-04-05T10:20:36.000Z","targetId":"nowhere"}
{"type":"message","id":"b000000b","parentId":"b000000a","timestamp":"2026-04-05T10:20:37.000Z","message":{"role":"bashExecution","command":"ls","output":"x\n","exitCode":0,"cancelled":false,"truncated":false,"timestamp":1775384437000}}
{"type":"message","id":"b000000c","parentId":"b000000b","timestamp":"2026-04-05T10:20:37.000Z","message":{"role":"pythonExecution","code":"1+1","output":"2","exitCode":1,"cancelled":false,"truncated":false,"timestamp":1775384437000}}
{"type":"custom","id":"b000000d","parentId":"b000000c","timestamp":"2026-04-05T10:20:38.000Z","customType":"state","data":{"n":1}}
{"type":"custom_message","id":"b000000e","parentId":"b000000d","timestamp":"2026-04-05T10:20:38.000Z","customType":"hint","content":"Mind the gap","display":true,"details":{"a":1},"attribution":"agent"}
{"type":"message","id":"b000000f","parentId":"b000000e","timestamp":"2026-04-05T10:20:38.500Z","message":{"role":"developer","content":[{"type":"text","text":"Continue."}],"attribution":"agent","timestamp":1775384438500}}
{"type":"compaction","id":"b0000010","parentId":"b000000f","timestamp":"2026-04-05T10:20:39.000Z","summary":"It went well.","shortSummary":"well","firstKeptEntryId":"b0000009","tokensBefore":50110,"details":{"readFiles":[],"modifiedFiles":[]},"preserveData":{}}
{"type":"message","id":"d0000001","parentId":"a0000004","timestamp":"2026-04-05T10:21:00.000Z","message":{"role":"user","content":[{"type":"text","text":"Another way"}],"timestamp":1775384460000}}
{"type":"thinking_level_change","id":"d0000002","parentId":"d0000001","timestamp":"2026-04-05T10:21:00.000Z","thinkingLevel":"high"}
{"type":"branch_summary","id":"b0000011","parentId":"b0000010","timestamp":"2026-04-05T10:22:00.000Z","fromId":"d0000002","summary":"Went astray."}
{"type":"ttsr_injection","id":"b0000012","parentId":"b0000011","timestamp":"2026-04-05T10:22:00.000Z","injectedRules":["r"]}
{"type":"mode_change","id":"b0000013","parentId":"b0000012","timestamp":"2026-04-05T10:22:00.000Z","mode":"plan","data":null}
{"type":"session_info","id":"b0000014","parentId":"b0000013","timestamp":"2026-04-05T10:22:00.000Z","name":"Cart"}
{"type":"from_the_future","id":"b0000015","parentId":"b0000014","timestamp":"2026-04-05T10:22:00.000Z","n":12345678901234567890}
{"type":"message","id":"b0000016","parentId":"b0000015","timestamp":"2026-04-05T10:22:01.000Z","message":{"role":"user","content":[{"type":"text","text":"Write it"}],"timestamp":1775384521000}}
{"type":"message","id":"b0000017","parentId":"b0000016","timestamp":"2026-04-05T10:22:02.000Z","message":{"role":"assistant","content":[],"api":"x","provider":"acme","model":"otter-2","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"error","errorMessage":"503 overloaded","timestamp":1775384522000}}
`

// A failer is a test, or a law being drawn.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func noBlob(string) ([]byte, error) { return nil, errors.New("no such picture") }

func readText(t failer, text string) (fileHeader, []entry) {
	t.Helper()
	header, entries, err := readEntries(strings.NewReader(text), noBlob)
	if err != nil {
		t.Fatal(err)
	}
	return header, entries
}

// journalOf is an imported file as a journal.
func journalOf(id event.SessionID, im importedSession) []event.Record {
	all := []event.Record{{Seq: 1, Time: im.created, Event: event.SessionCreated{ID: id, Workspace: im.workspace, Settings: im.settings}}}
	for _, rec := range im.records {
		rec.Seq = uint64(len(all) + 1)
		all = append(all, rec)
	}
	return all
}

func linesOf(entries []entry) []string {
	var lines []string
	for _, e := range entries {
		lines = append(lines, string(e.line()))
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
func checkRoundTrip(t failer, text string) (fileHeader, []event.Record) {
	t.Helper()
	header, entries := readText(t, text)
	all := journalOf(event.SessionID(header.ID), importFile(header, entries))
	checkJournal(t, all)
	var out bytes.Buffer
	if err := export(&out, sequence(all), aroundFile(), header.ParentSession); err != nil {
		t.Fatal(err)
	}
	back, again := readText(t, out.String())
	want, got := linesOf(entries), linesOf(again)
	if len(want) > 0 && want[len(want)-1] != got[len(got)-1] {
		t.Fatalf("the last line is %s, was %s", got[len(got)-1], want[len(want)-1])
	}
	h, err := readHistory(sequence(all), aroundFile())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(marshal(historyOf(entries).context())), string(marshal(h.context()))); diff != "" {
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
	header, all := checkRoundTrip(t, everyKind)
	if want := (fileHeader{"session", 3, "15d65af22b6106c4", "2026-04-05T10:20:30.123Z", "/home/ana/shop", "Cart", "/old.jsonl"}); header != want {
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
	_, all := checkRoundTrip(t, head3+`{"type":"model_change","id":"1","parentId":null,"timestamp":"2026-04-05T10:20:31.000Z","provider":"acme","modelId":"eel"}
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
		{"garbage before the header", "\n{bad\n" + head3 + entryLine, 1},
		{"garbage between", head3 + "{\"a\":\n[]\n\xff\nnull\n" + entryLine + "\n{\"type\":\"mess", 1},
		{"no id", head3 + `{"type":"custom","parentId":null}`, 0},
		{"the same id twice", head3 + entryLine + "\n" + entryLine, 1},
		{"a second header", head3 + head3 + entryLine, 1},
		{"carriage returns", strings.ReplaceAll(head3+entryLine+"\n", "\n", "\r\n"), 1},
		{"odd members", head3 + `{"type":"message","id":"1","parentId":7,"timestamp":[],"message":"x"}` + "\n" + `{"type":"label","id":"2","parentId":"1","targetId":{}}`, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, entries := readText(t, test.text); len(entries) != test.entries {
				t.Errorf("read %d entries: %s", len(entries), linesOf(entries))
			}
			checkRoundTrip(t, test.text)
		})
	}

	text := head3 + `{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":[{"type":"image","data":"blob:sha256:` + hash + `","mimeType":"image/png"},{"type":"text","text":"blob:sha256:` + hash + `"}],"n":1.0}}`
	_, entries, err := readEntries(strings.NewReader(text), func(got string) ([]byte, error) {
		if got != hash {
			return nil, errors.New("no such picture")
		}
		return []byte("pixels"), nil
	})
	want := strings.Replace(strings.TrimPrefix(text, head3), `"data":"blob:sha256:`+hash, `"data":"cGl4ZWxz`, 1)
	if err != nil || string(entries[0].line()) != want {
		t.Errorf("got %s, %v, want %s", entries[0].line(), err, want)
	}
}

// TestImportTrees: whatever the tree, and whatever parents are missing, the path of the last
// line is the history.
func TestImportTrees(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var text strings.Builder
		text.WriteString(head3)
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
	f.Add([]byte(everyKind))
	f.Add([]byte(`{"type":"session"}` + "\n" + `{"type":"compaction","firstKeptEntryIndex":1}`))
	f.Fuzz(func(t *testing.T, text []byte) { checkRoundTrip(t, string(text)) })
}
