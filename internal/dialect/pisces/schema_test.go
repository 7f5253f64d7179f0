package pisces

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/recordtest"
	"parley.dev/parley/internal/dialect/pisces/sessionfile"
	"parley.dev/parley/internal/dialect/schema"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/racetest"
)

func TestSchemaIsCheckedIn(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	dialecttest.CheckedIn(t, "pisces", Schema)
}

// part is the schema of one of the document's definitions.
var part = dialecttest.Parts(Schema)

// TestSchemaHasEverything compares the tables with protocol*.go itself, also those of the rooms:
// every struct is in them, every command, and every word of each set.
func TestSchemaHasEverything(t *testing.T) {
	structs, constants := declared(t)
	var tabled []string
	for _, n := range allTypes() {
		if !slices.ContainsFunc(sessionfile.Lines, func(e sessionfile.Line) bool { return e.Type == n }) { // of files, not of the wire
			tabled = append(tabled, n.Is.String())
		}
	}
	slices.Sort(tabled)
	if diff := cmp.Diff(structs, tabled); diff != "" {
		t.Errorf("structs (-protocol*.go +schema_types.go)\n%s", diff)
	}
	var names []string
	for _, c := range commandTypes.Get() {
		names = append(names, c.command)
	}
	if diff := cmp.Diff(constants["Command"], names); diff != "" {
		t.Errorf("commands (-protocol*.go +schema_types.go)\n%s", diff)
	}
	if !slices.Equal(slices.Sorted(maps.Keys(commands.Get())), slices.Sorted(slices.Values(names))) {
		t.Errorf("decode.go knows %q", slices.Sorted(maps.Keys(commands.Get())))
	}
	for n, words := range wordTypes.Get() {
		if diff := cmp.Diff(constants[n.Name()], words); diff != "" {
			t.Errorf("%s (-protocol*.go +schema_types.go)\n%s", n.Name(), diff)
		}
	}
}

// declared returns the names of all structs of protocol*.go but the two that are unions on the
// wire, and the values of its constants by their type, those of commands by Command.
func declared(t *testing.T) (structs []string, constants map[string][]string) {
	t.Helper()
	all, texts := dialecttest.Declared(t)
	for _, s := range all {
		name := s.Package + "." + s.Name
		if name != reflect.TypeFor[Response]().String() && name != reflect.TypeFor[message.Raw]().String() {
			structs = append(structs, name)
		}
	}
	slices.Sort(structs)
	constants = map[string][]string{}
	for _, c := range texts {
		set := c.Type
		if set == "" && strings.HasPrefix(c.Name, "Command") && c.Name != "CommandParse" {
			set = "Command"
		}
		constants[set] = append(constants[set], c.Value)
	}
	return structs, constants
}

// TestSchemaAgreesWithDecode holds the schema of what comes in and the decoder to the same verdict.
func TestSchemaAgreesWithDecode(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	const picture = `{"type":"image","data":"cGl4ZWxz","mimeType":"image/png"}`
	lines := []string{
		`{}`, `7`, `{"type":"frobnicate"}`, `{"id":1,"type":7}`,
		`{"id":{"a":1},"type":"abort"}`, `{"id":null,"type":"abort"}`,
		`{"type":"prompt"}`, `{"type":"prompt","message":7}`, `{"type":"prompt","message":"x","more":[1]}`,
		`{"type":"prompt","message":"x","streamingBehavior":"followUp"}`, `{"type":"prompt","message":"x","streamingBehavior":"later"}`,
		`{"type":"steer","message":"x","images":[` + picture + `]}`, `{"type":"steer","message":"x","images":{}}`,
		`{"type":"steer","message":"x","images":[{"type":"image","mimeType":"image/png"}]}`,
		`{"type":"steer","message":"x","images":[{"type":"text","data":"cGl4ZWxz","mimeType":"image/png"}]}`,
		`{"type":"follow_up","message":"x"}`, `{"type":"abort_and_prompt","message":"x","images":[]}`,
		`{"type":"new_session"}`, `{"type":"new_session","parentSession":7}`,
		`{"type":"set_model","provider":"acme"}`, `{"type":"set_model","provider":"acme","modelId":"eel"}`,
		`{"type":"set_thinking_level","level":"xhigh"}`, `{"type":"set_thinking_level","level":"most"}`,
		`{"type":"set_steering_mode","mode":"all"}`, `{"type":"set_follow_up_mode","mode":"one-at-a-time"}`, `{"type":"set_follow_up_mode","mode":"wait"}`,
		`{"type":"set_interrupt_mode","mode":"wait"}`, `{"type":"set_interrupt_mode","mode":"all"}`,
		`{"type":"compact","customInstructions":"x"}`, `{"type":"compact","customInstructions":[]}`,
		`{"type":"set_auto_compaction","enabled":"yes"}`, `{"type":"set_auto_compaction","enabled":false}`, `{"type":"set_auto_retry"}`, `{"type":"set_auto_retry","enabled":true}`,
		`{"type":"bash"}`, `{"type":"bash","command":"ls"}`, `{"type":"export_html","outputPath":"x"}`, `{"type":"export_html","outputPath":1}`,
		`{"type":"switch_session"}`, `{"type":"switch_session","sessionPath":"x"}`, `{"type":"branch"}`, `{"type":"branch","entryId":"x"}`, `{"type":"fork","entryId":7}`,
		`{"type":"set_session_name","name":""}`, `{"type":"set_session_name"}`,
		`{"type":"get_entries","since":"x"}`, `{"type":"get_entries","since":7}`, `{"type":"set_event_filter","events":["agent_end"]}`, `{"type":"set_event_filter","events":"agent_end"}`,
		`{"type":"set_subagent_subscription","level":"events"}`, `{"type":"set_subagent_subscription","level":"all"}`, `{"type":"open_session","sessionDir":"x"}`,
		`{"type":"set_host_tools","tools":[]}`, `{"type":"set_host_tools","tools":[{"name":"a","description":"b","parameters":{}}]}`,
		`{"type":"set_host_tools","tools":{}}`, `{"type":"set_host_tools","tools":[{"name":"a","parameters":{}}]}`, `{"type":"set_host_tools","tools":[{"name":7,"description":"b","parameters":{}}]}`,
		`{"type":"set_todos","phases":[]}`, `{"type":"set_todos","phases":[{"name":"Build","tasks":[{"content":"x","status":"pending"}]}]}`, `{"type":"set_todos","phases":[{"name":"Build"}]}`,
		`{"type":"set_todos","phases":[{"name":"Build","tasks":[{"content":"x","status":"later"}]}]}`, `{"type":"set_todos","phases":[{"id":"p","name":"","tasks":[{"id":"t","content":"x","status":"completed","notes":"n","details":"d"}]}]}`,
		`{"type":"get_messages_page","limit":5,"cursor":"x"}`, `{"type":"get_messages_page","limit":"5"}`, `{"type":"get_messages_page","cursor":5}`,
		`{"type":"host_tool_result"}`, `{"type":"host_tool_result","id":"h"}`, `{"type":"host_tool_result","id":"h","result":{}}`, `{"type":"host_tool_result","id":7,"result":{"content":[]}}`,
		`{"type":"host_tool_result","id":"h","result":{"content":[]}}`, `{"type":"host_tool_result","id":"h","result":{"content":[7]}}`, `{"type":"host_tool_result","id":"h","result":{"content":"x"}}`,
		`{"type":"host_tool_result","id":"h","isError":true,"result":{"content":[{"type":"text","text":"x"},` + picture + `],"details":[1]}}`,
		`{"type":"host_tool_result","id":"h","result":{"content":[{"type":"text"}]}}`, `{"type":"host_tool_result","id":"h","isError":"no","result":{"content":[]}}`,
		`{"type":"host_tool_update","id":"h","partialResult":{"content":[{"type":"text","text":"x"}]}}`, `{"type":"host_tool_update","id":"h","result":{"content":[]}}`,
		`{"type":"extension_ui_response","id":"u","value":"eu"}`, `{"type":"extension_ui_response","id":"u","confirmed":true}`, `{"type":"extension_ui_response","id":"u","cancelled":true}`,
	}
	for _, c := range commandTypes.Get() {
		lines = append(lines, `{"type":"`+c.command+`"}`)
	}
	for _, line := range lines {
		_, refused := decode([]byte(line))
		if err := part("Inbound").FitsText(t, line); (err == nil) != (refused == nil) {
			t.Errorf("%s: the schema says %v, decode says %v", line, err, refused)
		}
	}
}

// samples returns a value or more of each event.
func samples() []Event {
	rule := Rule{"no-console", "/r.md", "Use the logger.", false, "No console", []string{"*.ts"}, []string{`console\.log`}, []string{"text"}, "", RuleSource{"Pisces", "/r.md", "project"}}
	verified := &message.VerificationResult{Requested: true, Profile: "ci", Mode: "command", Status: message.VerificationRetriedPassed, Attempts: []message.VerificationAttempt{
		{Attempt: 1, Status: message.VerificationFailed, StartedAt: 5, EndedAt: 6, CommandResults: []message.VerificationCommandResult{{Name: "tests", Command: "go test", ExitCode: 1, DurationMS: 811, Optional: true, TimedOut: true, ArtifactPath: "/a.log", OutputPreview: "no"}}, Error: "x"},
	}, RetriesUsed: 1, OnFailure: "retry_once"}
	budget := BudgetSnapshot{"warning", 108, 100, 20, 120, 0.00014, 4, 0, "tool_calls"}
	answer := message.Assistant{Role: message.RoleAssistant, StopReason: message.StopLength, Content: []message.Content{message.RedactedThinking{Type: message.TypeRedacted, Data: "x"}, message.Thinking{Type: message.TypeThinking, Thinking: "x", ThinkingSignature: "y"}}}
	call := message.ToolCall{Type: message.TypeCall, ID: "c", Name: "bash", Arguments: jsontext.Value(`{}`), Intent: "Looking"}
	result := message.Result{Content: []message.Content{message.NewText("x"), message.Image{Type: message.TypeImage, Data: "eA==", MIMEType: "image/png"}}, Details: nil}
	return []Event{
		Ready{},
		AgentStart{},
		AgentEnd{[]message.Message{answer}, "s", "/s.jsonl"},
		TurnStart{0, 5},
		TurnEnd{0, answer, []message.ToolResult{{Role: message.RoleToolResult, ToolCallID: "c", ToolName: "bash", Content: result.Content}}},
		MessageStart{message.User{Role: message.RoleDeveloper, Content: []message.Content{message.NewText("x")}, Attribution: "agent"}},
		MessageUpdate{BlockStart{CallStart, 0, answer}, answer},
		MessageUpdate{BlockDelta{TextDelta, 0, "x", answer}, answer},
		MessageUpdate{BlockEnd{ThinkingEnd, 0, "x", answer}, answer},
		MessageUpdate{ToolCallEnd{CallEnd, 0, call, answer}, answer},
		ToolExecutionUpdate{"c", "bash", jsontext.Value(`{}`), result},
		ToolExecutionEnd{"c", "bash", result, true},
		AutoRetryStart{1, 3, 2000, "503"},
		AutoRetryEnd{false, 1, "503"},
		AutoCompactionStart{CompactionIdle, "handoff"},
		AutoCompactionEnd{ActionContextFull, &message.CompactionResult{Summary: "s", ShortSummary: "t", FirstKeptEntryID: "0000000a", TokensBefore: 5, Details: message.CompactionDetails{}, PreserveData: struct{}{}}, false, true, "x", true},
		RetryFallbackApplied{"acme/otter-2", "acme/eel", "default"},
		RetryFallbackSucceeded{"acme/eel", "default"},
		TTSRTriggered{[]Rule{rule}},
		TodoReminder{[]message.Todo{{ID: "task-1", Content: "Write code", Status: "in_progress"}}, 1, 3},
		TodoAutoClear{},
		SubagentStart{"0-AddFile", "task", true},
		SubagentEnd{"0-AddFile", "task", 0, verified},
		SubagentEnd{"0-AddFile", "task", 1, nil},
		SubagentVerificationStart{"0-AddFile", 1, "ci"},
		SubagentVerificationCommandStart{"0-AddFile", 1, "typecheck"},
		SubagentVerificationCommandEnd{"0-AddFile", 1, "typecheck", -1, 811, "/a.log"},
		SubagentVerificationEnd{"0-AddFile", 1, message.VerificationBudgetExceeded},
		BudgetWarning{"session", budget},
		BudgetExceeded{"subagent", budget},
		PromptResult{jsontext.Value(`"x"`), true, PromptFailed, &PromptError{"overloaded", "acme", 529, true}, false},
		PromptResult{nil, false, PromptCompleted, nil, true},
		AgentSettled{true},
		SessionSettled{},
		HostToolCall{"h", "c", "lookup", jsontext.Value(`{"key":1}`)},
		HostToolCancel{"i", "h"},
		UISelect{"u", "Region", []string{"eu", "us"}, 5},
		UIConfirm{"u", "Deploy", "Really?", 30000},
		UIInput{"u", "t", "p", 0},
		UIEditor{"u", "Notes", "v2", true},
		UICancel{"u", "t"},
		UINotify{"u", "Deployed", "info"},
		UISetStatus{"u", "deploy", new("done")},
		UISetStatus{"u", "deploy", nil},
		UISetWidget{"u", "deploy", []string{"eu: ok"}, "belowEditor"},
		UISetTitle{"u", "t"},
		UISetEditorText{"u", "t"},
		ExtensionError{"/home/ana/ext/audit.ts", "turn_end", "disk full"},
		ToolExecutionStart{"c", "bash", jsontext.Value(`{"command":"ls"}`), "Looking"},
		MessageEnd{message.BranchSummary{Role: message.RoleBranchSummary, Summary: "s", FromID: "a", Timestamp: 5}},
		MessageEnd{message.Custom{Role: message.RoleCustom, CustomType: "hint", Content: jsontext.Value(`"x"`), Display: true, Details: jsontext.Value(`{"n":1}`), Attribution: "agent", Timestamp: 5}},
		MessageEnd{message.CompactionSummary{Role: message.RoleCompactionSummary, Summary: "s", ShortSummary: "t", TokensBefore: 9, Timestamp: 5}},
		MessageEnd{message.FileMention{Role: message.RoleFileMention, Files: []message.MentionedFile{{Path: "a.png", Content: "", LineCount: 0, ByteSize: 9, SkippedReason: "tooLarge", Image: &message.Image{Type: message.TypeImage, Data: "eA==", MIMEType: "image/png"}}}, Timestamp: 5}},
		MessageEnd{message.BashExecution{Role: message.RoleBashExecution, Command: "ls", Output: "a", ExitCode: new(0), Cancelled: false, Truncated: false, ExcludeFromContext: true, Timestamp: 5}},
		MessageEnd{answer},
	}
}

// TestSamplesAreValid holds the schema against what Go writes: as it is, and spoilt in every
// member.
func TestSamplesAreValid(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	all := samples()
	for _, sample := range all {
		line := encode(sample)
		part("Outbound").Check(t, dialecttest.Sample{Text: line, Spoil: func(any) []any { return nil }, Free: func(member string) bool {
			return member == "id" && sample.EventType() == PromptResult{}.EventType()
		}})
		members := dialecttest.Decoded(t, line).(map[string]any)
		for _, m := range schema.Members(typeOf(sample).Is) {
			was := members[m.Name]
			if delete(members, m.Name); !m.Optional && part("Outbound").Fits(t, members) == nil {
				t.Errorf("%s: does without %s", line, m.Name)
			}
			if was != nil {
				members[m.Name] = was
			}
		}
		if delete(members, "type"); part("Outbound").Fits(t, members) == nil {
			t.Errorf("%s: does without its type", line)
		}
	}
	for _, e := range events.Get() {
		if !slices.ContainsFunc(all, func(sample Event) bool { return typeOf(sample) == typeOf(e) }) {
			t.Errorf("no sample of %s", typeOf(e).Name())
		}
	}
	for _, r := range uiRequests {
		if !slices.ContainsFunc(all, func(sample Event) bool { return typeOf(sample) == typeOf(r) }) {
			t.Errorf("no sample of %s", typeOf(r).Name())
		}
	}
}

func TestAnswersAreValid(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	for _, line := range []string{
		`{"type":"response","id":7,"command":"prompt","success":true,"data":{"disposition":"started"}}`,
		`{"type":"response","command":"cycle_model","success":true,"data":null}`,
		`{"type":"response","command":"cycle_thinking_level","success":true,"data":null}`,
		`{"type":"response","command":"get_last_assistant_text","success":true,"data":{"text":null}}`,
		`{"type":"response","success":false,"error":"Unknown command: undefined"}`,
		`{"type":"response","command":"parse","success":false,"error":"x"}`,
	} {
		if err := part("Outbound").FitsText(t, line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, line := range []string{
		`{}`, `{"type":"response"}`, `{"type":"response","command":"prompt"}`, `{"type":"response","command":"prompt","success":false}`,
		`{"type":"response","command":"parse","success":true}`, `{"type":"response","command":"get_state","success":true}`,
		`{"type":"response","command":"branch","success":true,"data":{"cancelled":false}}`, `{"type":"response","command":"clone","success":true,"data":null}`,
		`{"type":"message_end","message":{"role":"hint","timestamp":5}}`, `{"type":"message_end","message":{"role":"assistant","summary":"s","fromId":"a","timestamp":5}}`,
		`{"type":"extension_ui_request","id":"u","method":"dance"}`, `{"type":"frobnicate"}`,
	} {
		if err := part("Outbound").FitsText(t, line); err == nil {
			t.Errorf("%s fits", line)
		}
	}
}

// TestFilesAreValid holds session files to the schema: each line of a file of our own, and that
// nothing fits that says what it is not.
func TestFilesAreValid(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	var out bytes.Buffer
	note := event.UserMessage{Via: event.ByEngine, Sent: []byte(`{"role":"custom","customType":"hint","content":"x","display":true,"timestamp":5}`)}
	summary := event.UserMessage{Via: event.ByEngine, Sent: []byte(`{"role":"branchSummary","summary":"s","fromId":"a","timestamp":5}`)}
	for _, all := range [][]event.Record{recordtest.Conversation(), recordtest.Records(recordtest.Created(), note, summary)} {
		if err := sessionfile.Write(&out, recordtest.Sequence(all), around(), "/old.jsonl"); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	for line := range strings.Lines(out.String()) {
		if err := part("FileEntry").FitsText(t, line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		kind := dialecttest.Decoded(t, []byte(line)).(map[string]any)["type"].(string)
		seen[kind] = true
		if err := part("FileEntry").FitsText(t, strings.Replace(line, kind, "frobnicate", 1)); err == nil {
			t.Errorf("%s fits as another type", line)
		}
	}
	for _, e := range sessionfile.Lines {
		if !seen[e.Kind] {
			t.Errorf("no entry %s", e.Kind)
		}
	}
}

// A fit holds what passes between a client and a process to the schema: each line of the process, and those of the
// client that are commands.
type fit struct {
	t        dialecttest.Tester
	problems []string
}

func (f *fit) sent(line []byte) {
	message, _ := decode(line)
	if _, ok := message.(command); !ok || !jsontext.Value(line).IsValid() { // a name that is repeated
		return
	}
	f.check("Inbound", line)
}

func (f *fit) said(line []byte) { f.check("Outbound", line) }

func (f *fit) check(side string, line []byte) {
	if err := part(side).FitsText(f.t, string(line)); err != nil {
		f.problems = append(f.problems, string(line)+": "+err.Error())
	}
}

// fitted runs a binary, and holds what passes to the schema.
type fitted struct {
	t      *testing.T
	binary string
}

func (f fitted) serve(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	held := &fit{t: f.t}
	ended := func(rest string) {
		if rest != "" {
			held.problems = append(held.problems, "the last line has no end: "+rest)
		}
		dialecttest.Report(f.t, env, held.problems)
	}
	return dialecttest.Tapped(f.run, held.sent, held.said, ended)(ctx, args, stdin, stdout, stderr, env)
}

// run returns the program as a function. It ends by SIGTERM when ctx does.
func (f fitted) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	cmd := exec.CommandContext(ctx, f.binary, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = env, dialecttest.Getenv(env)("PWD"), stdout, stderr, 10*time.Second
	input, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		f.t.Errorf("start: %v", err)
		return 1
	}
	go func() { // ends with the harness's pipe, which is closed when this returns
		_, _ = io.Copy(input, stdin)
		input.Close()
	}()
	if err := cmd.Wait(); err != nil {
		if ended, ok := errors.AsType[*exec.ExitError](err); ok {
			return ended.ExitCode()
		}
		if !errors.Is(err, os.ErrProcessDone) && ctx.Err() == nil {
			f.t.Errorf("run: %v", err)
		}
	}
	return 0
}
