package message

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/dialect/pisces/recordtest"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// around is surroundings with one model, and one blob.
func around() Surroundings {
	return Surroundings{Blob: recordtest.Pixels, Model: func(name string) Model {
		provider, id, _ := strings.Cut(name, "/")
		return Model{ID: id, Provider: provider, API: APICompletions, Cost: ModelCost{Input: 1, Output: 2, CacheRead: 0.1}}
	}}
}

// foldAll returns the messages of records, each as its ID and its JSON.
func foldAll(all []event.Record) []string {
	t := NewFold(around())
	var lines []string
	for _, rec := range all {
		for _, m := range t.Apply(rec) {
			lines = append(lines, m.ID+" "+string(rawjson.Marshal(m.Message)))
		}
	}
	return lines
}

// expect compares messages; … in what is wanted stands for the usual beginning of an answer.
func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	for i := range want {
		want[i] = strings.ReplaceAll(want[i], "…", `"api":"openai-completions","provider":"acme","model":"otter-2"`)
		want[i] = strings.ReplaceAll(want[i], "‥", `"usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

const userLine = `{"role":"user","content":[{"type":"text","text":"go"}],"attribution":"user","timestamp":1775384430020}`

func TestFoldPrompt(t *testing.T) {
	all := recordtest.Records(
		recordtest.Created(), event.TurnStarted{}, recordtest.Says("go"), event.StepStarted{Step: 1, Model: "otter-2"},
		event.AssistantMessage{
			Model: "otter-2", Stop: model.StopEnd, Usage: model.Usage{Input: 100, Output: 20}, Cost: 0.00014,
			Blocks: []model.Block{{Kind: model.KindThinking, Text: "hm", Signature: "anthropic:s"}, model.TextBlock("Hello.")},
		},
		event.StepEnded{Step: 1}, event.TurnEnded{Reason: event.TurnCompleted},
	)
	expect(
		t, foldAll(all), "00000003 "+userLine,
		`00000005 {"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"s"},{"type":"text","text":"Hello."}],…,`+
			`"usage":{"input":100,"output":20,"cacheRead":0,"cacheWrite":0,"totalTokens":120,"cost":{"input":0.0001,"output":0.00004,"cacheRead":0,"cacheWrite":0,"total":0.00014}},`+
			`"stopReason":"stop","timestamp":1775384430030,"duration":10}`,
	)
}

// TestFoldEnds: how an answer ended, as its step and its turn say.
func TestFoldEnds(t *testing.T) {
	failure := &event.Failure{Kind: "overloaded", Message: "503 overloaded"}
	head := []event.Event{recordtest.Created(), event.TurnStarted{}, event.StepStarted{Step: 1}}
	partial := event.AssistantMessage{Partial: true, Blocks: []model.Block{model.TextBlock("The fir")}}
	for _, test := range []struct {
		name string
		rest []event.Event
		want []string
	}{
		{"interrupted in its midst", []event.Event{partial, event.StepEnded{Step: 1}, event.TurnEnded{Reason: event.TurnInterrupted}}, []string{
			`00000004 {"role":"assistant","content":[{"type":"text","text":"The fir"}],…,‥,"stopReason":"aborted","errorMessage":"Request was aborted","timestamp":1775384430020,"duration":10}`,
		}},
		{"interrupted before it began", []event.Event{event.StepEnded{Step: 1}, event.TurnEnded{Reason: event.TurnInterrupted}}, []string{
			`00000004 {"role":"assistant","content":[],…,‥,"stopReason":"aborted","errorMessage":"Request was aborted","timestamp":1775384430020}`,
		}},
		{"failed in its midst", []event.Event{partial, event.StepEnded{Step: 1, Failure: failure}, event.TurnEnded{Reason: event.TurnFailed, Failure: failure}}, []string{
			`00000004 {"role":"assistant","content":[{"type":"text","text":"The fir"}],…,‥,"stopReason":"error","errorMessage":"503 overloaded","timestamp":1775384430020,"duration":10}`,
		}},
		{"failed at once", []event.Event{event.StepEnded{Step: 1, Failure: failure}, event.TurnEnded{Reason: event.TurnFailed, Failure: failure}}, []string{
			`00000004 {"role":"assistant","content":[],…,‥,"stopReason":"error","errorMessage":"503 overloaded","timestamp":1775384430020}`,
		}},
		{"failed between steps", []event.Event{
			event.AssistantMessage{Stop: model.StopEnd}, event.StepEnded{Step: 1}, event.TurnEnded{Reason: event.TurnFailed, Failure: &event.Failure{Message: "no key"}},
		}, []string{
			`00000004 {"role":"assistant","content":[],…,‥,"stopReason":"stop","timestamp":1775384430020,"duration":10}`,
			`00000006 {"role":"assistant","content":[],…,‥,"stopReason":"error","errorMessage":"no key","timestamp":1775384430050}`,
		}},
		{"cut by the cap", []event.Event{event.AssistantMessage{Stop: model.StopTokens}, event.StepEnded{Step: 1}}, []string{
			`00000004 {"role":"assistant","content":[],…,‥,"stopReason":"length","timestamp":1775384430020,"duration":10}`,
		}},
		{"refused", []event.Event{event.AssistantMessage{Stop: model.StopRefused}, event.StepEnded{Step: 1}}, []string{
			`00000004 {"role":"assistant","content":[],…,‥,"stopReason":"error","errorMessage":"The provider's safety system refused to answer.","timestamp":1775384430020,"duration":10}`,
		}},
		{"a journal that ends in the midst of a step", []event.Event{partial, event.TurnEnded{Reason: event.TurnInterrupted, Recovered: true}}, []string{
			`00000004 {"role":"assistant","content":[{"type":"text","text":"The fir"}],…,‥,"stopReason":"aborted","errorMessage":"Request was aborted","timestamp":1775384430020,"duration":10}`,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			expect(t, foldAll(recordtest.Records(append(head[:3:3], test.rest...)...)), test.want...)
		})
	}
}

// TestFoldCalls: every call has one result.
func TestFoldCalls(t *testing.T) {
	head := []event.Event{recordtest.Created(), event.TurnStarted{}, event.StepStarted{Step: 1}, event.AssistantMessage{Stop: model.StopTools, Blocks: recordtest.Calls("c1 bash", "c2 read")}}
	const answer = `00000004 {"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"path":"a.go"}},{"type":"toolCall","id":"c2","name":"read","arguments":{"path":"a.go"}}],…,‥,"stopReason":"toolUse","timestamp":1775384430020,"duration":10}`
	done := event.ToolEnded{Call: "c1", Outcome: event.Succeeded, Output: "ok\n", Shell: &event.ShellRun{}}
	const result = `00000006 {"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"ok\n"}],"isError":false,"timestamp":1775384430050}`
	for _, test := range []struct {
		name string
		rest []event.Event
		want []string
	}{
		{"both ran, the second first", []event.Event{
			recordtest.Intends("c1", "bash", "shell"), recordtest.Intends("c2", "read", "read"), event.ToolEnded{Call: "c2", Outcome: event.Succeeded, Output: "text"}, done, event.StepEnded{Step: 1},
		}, []string{
			answer,
			`00000007 {"role":"toolResult","toolCallId":"c2","toolName":"read","content":[{"type":"text","text":"text"}],"details":{"meta":{"source":{"type":"path","value":"a.go"}}},"isError":false,"timestamp":1775384430060}`,
			strings.Replace(strings.Replace(result, "00000006", "00000008", 1), "1775384430050", "1775384430070", 1),
		}},
		{"a steer came first", []event.Event{recordtest.Intends("c1", "bash", "shell"), done, event.StepEnded{Step: 1}, recordtest.Says("other")}, []string{
			answer, result,
			`00000007 {"role":"toolResult","toolCallId":"c2","toolName":"read","content":[{"type":"text","text":"Skipped due to queued user message."}],"details":{},"isError":true,"timestamp":1775384430060}`,
			strings.NewReplacer("1775384430020", "1775384430070", "go", "other").Replace("00000008 " + userLine),
		}},
		{"interrupted before both", []event.Event{event.StepEnded{Step: 1}, event.TurnEnded{Reason: event.TurnInterrupted}}, []string{
			answer,
			`00000005 {"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"[Command cancelled]\n"}],"details":{},"isError":true,"timestamp":1775384430040}`,
			`01000005 {"role":"toolResult","toolCallId":"c2","toolName":"read","content":[{"type":"text","text":"Tool execution was aborted: Request was aborted"}],"details":{},"isError":true,"timestamp":1775384430040}`,
			`00000006 {"role":"assistant","content":[],…,‥,"stopReason":"aborted","errorMessage":"Request was aborted","timestamp":1775384430050}`,
		}},
		{"interrupted in the first", []event.Event{
			recordtest.Intends("c1", "bash", "shell"),
			event.ToolEnded{Call: "c1", Outcome: event.Interrupted, Output: "start\n[interrupted]", Shell: &event.ShellRun{Note: "[interrupted]"}},
			event.StepEnded{Step: 1},
			event.TurnEnded{Reason: event.TurnInterrupted},
		}, []string{
			answer,
			`00000006 {"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"[Command cancelled]\nstart\n"}],"details":{},"isError":true,"timestamp":1775384430050}`,
			`00000007 {"role":"toolResult","toolCallId":"c2","toolName":"read","content":[{"type":"text","text":"Tool execution was aborted: Request was aborted"}],"details":{},"isError":true,"timestamp":1775384430060}`,
			`00000008 {"role":"assistant","content":[],…,‥,"stopReason":"aborted","errorMessage":"Request was aborted","timestamp":1775384430070}`,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			expect(t, foldAll(recordtest.Records(append(head[:4:4], test.rest...)...)), test.want...)
		})
	}
}

func TestFoldUserMessages(t *testing.T) {
	image := model.Image{MIME: "image/png", Blob: "there"}
	lost := model.Image{MIME: "image/png", Blob: "gone"}
	pixels := base64.StdEncoding.EncodeToString([]byte("pixels"))
	for _, test := range []struct {
		e    event.Event
		want string
	}{
		{event.UserMessage{Via: event.BySteer, Blocks: []model.Block{{Kind: model.KindImage, Image: &image}}}, `{"role":"user","content":[{"type":"text","text":""},{"type":"image","data":"` + pixels + `","mimeType":"image/png"}],"attribution":"user","timestamp":1775384430000}`},
		{event.UserMessage{Via: event.ByPrompt, Blocks: []model.Block{{Kind: model.KindImage, Image: &lost}}}, `{"role":"user","content":[{"type":"text","text":"[image image/png that is not there any more]"}],"attribution":"user","timestamp":1775384430000}`},
		{event.UserMessage{Via: event.ByPrompt}, `{"role":"user","content":[{"type":"text","text":""}],"attribution":"user","timestamp":1775384430000}`},
		{event.UserMessage{Via: event.ByEngine, Blocks: []model.Block{model.TextBlock("go on")}}, `{"role":"developer","content":[{"type":"text","text":"go on"}],"attribution":"agent","timestamp":1775384430000}`},
		{event.UserMessage{Via: event.ByEngine, Sent: jsontext.Value(`{"role":"custom","customType":"x","n":1.50}`)}, `{"role":"custom","customType":"x","n":1.50}`},
		{event.UserMessage{Via: event.ByPrompt, Sent: jsontext.Value(`[{"role":"user"}]`), Blocks: []model.Block{model.TextBlock("x")}}, `{"role":"user","content":[{"type":"text","text":"x"}],"attribution":"user","timestamp":1775384430000}`},
		{event.CommandRan{Shell: event.ShellRun{Command: "ls", ExitCode: 2}, Output: "hi\n", Lines: 2, Bytes: 3, Hidden: true}, `{"role":"bashExecution","command":"ls","output":"hi\n","exitCode":2,"cancelled":false,"truncated":false,"excludeFromContext":true,"timestamp":1775384430000}`},
		{event.CommandRan{Shell: event.ShellRun{Command: "ls"}, Output: "hi\n", Cut: true}, `{"role":"bashExecution","command":"ls","output":"hi\n","exitCode":0,"cancelled":false,"truncated":true,"timestamp":1775384430000}`},
		{event.CommandRan{Shell: event.ShellRun{Command: "ls", ExitCode: -1}, Cancelled: true}, `{"role":"bashExecution","command":"ls","output":"[Command cancelled]\n","cancelled":true,"truncated":false,"timestamp":1775384430000}`},
		{event.CommandRan{Shell: event.ShellRun{Command: "ls", TimedOut: true}, Ran: event.Duration(300 * time.Second), Output: "x"}, `{"role":"bashExecution","command":"ls","output":"[Command timed out after 300 seconds]\nx","cancelled":true,"truncated":false,"timestamp":1775384430000}`},
	} {
		expect(t, foldAll(recordtest.Records(test.e)), "00000001 "+test.want)
	}
}

func TestThoughts(t *testing.T) {
	for _, test := range []struct {
		text, signature, want string
	}{
		{"hm", "", `[{"type":"thinking","thinking":"hm"}]`},
		{"hm", "anthropic:abc", `[{"type":"thinking","thinking":"hm","thinkingSignature":"abc"}]`},
		{"hm", "reasoning_content", `[{"type":"thinking","thinking":"hm","thinkingSignature":"reasoning_content"}]`},
		{"hm", `openai:{"id":1}`, `[{"type":"thinking","thinking":"hm"}]`},
		{"", "anthropic-redacted:xyz", `[{"type":"redactedThinking","data":"xyz"}]`},
		{"", "google:abc", `null`},
	} {
		got := thoughts(model.Block{Kind: model.KindThinking, Text: test.text, Signature: test.signature})
		want := test.want
		if want == "null" {
			want = "[]"
		}
		if s := string(rawjson.Marshal(got)); s != want {
			t.Errorf("%q %q: got %s, want %s", test.text, test.signature, s, want)
		}
	}
}

func TestResults(t *testing.T) {
	const diff = "--- a/a.go\n+++ b/a.go\n@@ -3,4 +3,5 @@\n three\n four\n+five\n six\n"
	for _, test := range []struct {
		name  string
		call  event.ToolIntended
		ended event.ToolEnded
		want  string
	}{
		{"exit code", recordtest.Intends("c", "bash", "shell"), event.ToolEnded{Outcome: event.Failed, Output: "boom\n[exit code 3]", Shell: &event.ShellRun{ExitCode: 3, Note: "[exit code 3]"}}, `{"content":[{"type":"text","text":"boom\n\n\nCommand exited with code 3"}],"details":{}}`},
		{"timed out", recordtest.Intends("c", "bash", "shell"), event.ToolEnded{Outcome: event.Failed, Ran: event.Duration(5 * time.Second), Output: "x\n[timed out after 5 s]", Shell: &event.ShellRun{TimedOut: true, Note: "\n[timed out after 5 s]"}}, `{"content":[{"type":"text","text":"[Command timed out after 5 seconds]\nx"}],"details":{}}`},
		{"signal", recordtest.Intends("c", "bash", "shell"), event.ToolEnded{Outcome: event.Failed, Output: "[killed by signal SIGKILL]", Shell: &event.ShellRun{ExitCode: -1, Signal: "SIGKILL", Note: "[killed by signal SIGKILL]"}}, `{"content":[{"type":"text","text":"\n\nCommand was ended by signal SIGKILL"}],"details":{}}`},
		{"success", recordtest.Intends("c", "bash", "shell"), event.ToolEnded{Outcome: event.Succeeded, Shell: &event.ShellRun{}}, `{"content":[{"type":"text","text":""}]}`},
		{"cut", recordtest.Intends("c", "bash", "shell"), event.ToolEnded{Outcome: event.Succeeded, Output: "a\nb", Shell: &event.ShellRun{Omitted: 7, FullBlob: "f"}}, `{"content":[{"type":"text","text":"a\nb"}],"details":{"meta":{"truncation":{"direction":"middle","truncatedBy":"bytes","totalBytes":10,"outputBytes":3,"outputLines":2,"artifactId":"f"}}}}`},
		{"edit", recordtest.Intends("c", "edit", "edit"), event.ToolEnded{Outcome: event.Succeeded, Output: "done", Changes: []event.FileChange{{Path: "a.go", Op: event.Updated, Diff: diff}}}, `{"content":[{"type":"text","text":"done"}],"details":{"diff":` + string(rawjson.Quoted(diff)) + `,"firstChangedLine":5,"op":"update"}}`},
		{"failed edit", recordtest.Intends("c", "edit", "edit"), event.ToolEnded{Outcome: event.Failed, Output: "no", Changes: []event.FileChange{{Diff: diff}}}, `{"content":[{"type":"text","text":"no"}],"details":{}}`},
		{"folder", recordtest.Intends("c", "read", "list"), event.ToolEnded{Outcome: event.Succeeded, Output: "a.go"}, `{"content":[{"type":"text","text":"a.go"}],"details":{"isDirectory":true}}`},
		{"image", recordtest.Intends("c", "read", "read"), event.ToolEnded{Outcome: event.Succeeded, Images: []model.Image{{MIME: "image/png", Blob: "there"}}}, `{"content":[{"type":"image","data":"cGl4ZWxz","mimeType":"image/png"}],"details":{"meta":{"source":{"type":"path","value":"a.go"}}}}`},
		{"search", recordtest.Intends("c", "web_search", "web_search"), event.ToolEnded{Outcome: event.Succeeded, Output: "r", Search: &event.Search{Query: "q"}}, `{"content":[{"type":"text","text":"r"}],"details":{"query":"q","sources":[]}}`},
		{"other", recordtest.Intends("c", "grep", "grep"), event.ToolEnded{Outcome: event.Succeeded, Output: "r"}, `{"content":[{"type":"text","text":"r"}],"details":{}}`},
		{"never began", recordtest.Intends("c", "bash", "shell"), event.ToolEnded{Outcome: event.Interrupted, Output: AbortedRunText}, `{"content":[{"type":"text","text":"[Command cancelled]\n"}],"details":{}}`},
	} {
		if got := string(rawjson.Marshal(NewFold(around()).Result(test.call, test.ended))); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.name, got, test.want)
		}
	}
	fold := NewFold(around())
	fold.Apply(event.Record{Event: event.PlanUpdated{Items: []event.PlanItem{{Text: "Write", Status: event.InProgress}}}})
	want := `{"content":[{"type":"text","text":""}],"details":{"phases":[{"id":"phase-1","name":"Plan","tasks":[{"id":"task-1","content":"Write","status":"in_progress"}]}],"storage":"session"}}`
	if got := string(rawjson.Marshal(fold.Result(recordtest.Intends("c", "todo_write", "plan"), event.ToolEnded{Outcome: event.Succeeded}))); got != want {
		t.Errorf("plan:\ngot  %s\nwant %s", got, want)
	}
}

// TestCompaction: what a compaction says of the files that calls were about, and where what it
// kept begins.
func TestCompaction(t *testing.T) {
	ended := func(id string, outcome event.Outcome, changed ...string) event.ToolEnded {
		e := event.ToolEnded{Call: event.CallID(id), Outcome: outcome}
		for _, path := range changed {
			e.Changes = append(e.Changes, event.FileChange{Path: path})
		}
		return e
	}
	at := func(id, tool, path string) event.ToolIntended {
		return event.ToolIntended{Call: event.CallID(id), Tool: tool, Input: quotedObject("path", path)}
	}
	all := recordtest.Records(
		recordtest.Created(), at("1", "read", "z.go"), ended("1", event.Succeeded), at("2", "read", "a.go"), ended("2", event.Succeeded), at("3", "edit", "a.go"), ended("3", event.Succeeded, "a.go"),
		at("4", "read", "gone.go"), ended("4", event.Failed), at("5", "edit", "no.go"), ended("5", event.Failed, "no.go"), at("6", "grep", "src"), ended("6", event.Succeeded),
	)
	fold := NewFold(around())
	for _, rec := range all {
		fold.Apply(rec)
	}
	last := event.Record{Seq: 20}
	for kept, id := range map[uint64]string{0: "00000014", 3: "00000003"} {
		want := CompactionResult{Summary: "s", FirstKeptEntryID: id, TokensBefore: 7, Details: CompactionDetails{[]string{"z.go"}, []string{"a.go"}}}
		if diff := cmp.Diff(want, fold.Compaction(last, event.Compacted{Summary: "s", KeptFrom: kept, TokensBefore: 7})); diff != "" {
			t.Error(diff)
		}
	}
}

func quotedObject(name, text string) jsontext.Value {
	return jsontext.Value(`{"` + name + `":` + string(rawjson.Quoted(text)) + `}`)
}

// TestFoldImported: the messages of an import are those of its entries,
// whatever closed its turn.
func TestFoldImported(t *testing.T) {
	all := recordtest.Records(
		recordtest.Created(), event.TurnStarted{}, event.StepStarted{Step: 1}, event.AssistantMessage{Stop: model.StopTools, Blocks: recordtest.Calls("c1 bash", "c2 bash")},
		recordtest.Intends("c1", "bash", ""), event.ToolEnded{Call: "c1", Outcome: event.Succeeded}, event.StepEnded{Step: 1}, event.TurnEnded{Reason: event.TurnInterrupted, Recovered: true},
	)
	all[3].Origin = jsontext.Value(`{"type":"message","id":"a","message":{"role":"assistant","n":1}}`)
	all[5].Origin = jsontext.Value(`{"type":"message","id":"b","message":{"role":"toolResult","n":2}}`)
	expect(t, foldAll(all), `a {"role":"assistant","n":1}`, `b {"role":"toolResult","n":2}`)
}

// TestUsageOf: parts add up to what was paid, also when prices have changed since.
func TestUsageOf(t *testing.T) {
	price := ModelCost{Input: 1, Output: 2}
	u := model.Usage{Input: 1_000_000, Output: 500_000}
	for cost, want := range map[float64]Cost{
		2: {Input: 1, Output: 1, Total: 2}, 4: {Input: 2, Output: 2, Total: 4}, 0: {},
	} {
		if got := usageOf(u, cost, price).Cost; got != want {
			t.Errorf("%v: %+v", cost, got)
		}
	}
}

// drawLog returns a journal as the engine writes them: turns of steps with calls that run, in any
// order, or do not, interrupts and failures.
func drawLog(t *rapid.T) []event.Record {
	events := []event.Event{recordtest.Created()}
	add := func(all ...event.Event) { events = append(events, all...) }
	n := 0
	for range rapid.IntRange(0, 4).Draw(t, "turns") {
		add(event.TurnStarted{}, recordtest.Says("go"))
		reason := event.TurnCompleted
		var failure *event.Failure
		for step := range rapid.IntRange(0, 3).Draw(t, "steps") {
			add(event.StepStarted{Step: step + 1})
			switch rapid.SampledFrom([]string{"answer", "answer", "partial", "none", "failed", "cut"}).Draw(t, "answer") {
			case "partial":
				add(event.AssistantMessage{Partial: true})
				reason = event.TurnInterrupted
			case "cut":
				void := rapid.Bool().Draw(t, "void")
				add(
					event.AssistantMessage{Partial: true, Void: void}, event.RuleViolated{Rules: []string{"r"}, Cut: true, Blocks: []model.Block{model.TextBlock("x")}, Sent: jsontext.Value(`{"role":"custom"}`)},
					event.StepEnded{Step: step + 1}, event.Reminded{Text: "go on"}, event.StepStarted{Step: step + 1}, event.AssistantMessage{},
				)
			case "none":
				reason = event.TurnInterrupted
			case "failed":
				failure = &event.Failure{Message: "down"}
			default:
				var names []string
				for range rapid.IntRange(0, 3).Draw(t, "calls") {
					n++
					names = append(names, fmt.Sprintf("c%d bash", n))
				}
				add(event.AssistantMessage{Blocks: recordtest.Calls(names...)})
				run := rapid.IntRange(0, len(names)).Draw(t, "run")
				for _, name := range names[:run] {
					add(recordtest.Intends(strings.Fields(name)[0], "bash", "shell"))
				}
				for _, name := range rapid.Permutation(names[:run]).Draw(t, "order") {
					outcome := rapid.SampledFrom([]event.Outcome{event.Succeeded, event.Failed, event.Interrupted}).Draw(t, "outcome")
					add(event.ToolEnded{Call: event.CallID(strings.Fields(name)[0]), Outcome: outcome})
				}
				if run < len(names) && rapid.Bool().Draw(t, "interrupted") {
					reason = event.TurnInterrupted
				}
			}
			add(event.StepEnded{Step: step + 1, Failure: failure})
			if failure != nil {
				reason = event.TurnFailed
			}
			if reason != event.TurnCompleted {
				break
			}
		}
		add(event.TurnEnded{Reason: reason, Failure: failure})
		if rapid.Bool().Draw(t, "command") {
			add(event.CommandRan{})
		}
	}
	return recordtest.Records(events...)
}

// TestTellLaws: each call gets exactly one result before the model speaks again, the turn's
// last answer says why it ended, and ids are unique.
func TestFoldLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		fold := NewFold(around())
		open := map[string]bool{}
		ids := map[string]bool{}
		var last Assistant
		for _, rec := range drawLog(rt) {
			for _, m := range fold.Apply(rec) {
				if ids[m.ID] || len(m.ID) != 8 {
					rt.Fatalf("the ID %s is used twice", m.ID)
				}
				ids[m.ID] = true
				switch msg := m.Message.(type) {
				case Assistant:
					if len(open) > 0 {
						rt.Fatalf("the model speaks while %v are open", open)
					}
					last = msg
					for _, c := range msg.Content {
						open[c.(ToolCall).ID] = true
					}
				case ToolResult:
					if !open[msg.ToolCallID] {
						rt.Fatalf("a result of %s, which is not open", msg.ToolCallID)
					}
					delete(open, msg.ToolCallID)
				case User:
					last = Assistant{}
				}
			}
			end, ended := rec.Event.(event.TurnEnded)
			if !ended {
				continue
			}
			if len(open) > 0 {
				rt.Fatalf("the turn ends while %v are open", open)
			}
			if end.Reason == event.TurnFailed && last.StopReason != StopError || end.Reason == event.TurnInterrupted && last.StopReason != StopAborted {
				rt.Fatalf("the turn ends %s, its last answer %s", end.Reason, last.StopReason)
			}
		}
	})
}
