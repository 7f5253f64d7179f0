package codex

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/sandbox"
)

// A fixture is a back end whose app-server plays a script.
type fixture struct {
	t       testing.TB
	script  string
	options Options
}

func newFixture(t testing.TB, script string) *fixture {
	t.Helper()
	f := &fixture{t: t, script: filepath.Join(t.TempDir(), "script")}
	if err := os.WriteFile(f.script, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	spawner := sandbox.NewSpawner(sandbox.Options{Grace: time.Second})
	t.Cleanup(spawner.Close)
	f.options = Options{Name: "codex", Version: "1", Program: func(o backend.Opening) (backend.Program, error) {
		path, err := os.Executable()
		return backend.Program{
			Backend: "codex", Path: path, Dir: o.Dir, Spawner: spawner, Confine: sandbox.Policy{Level: sandbox.Full},
			Env: []string{"PATH=" + os.Getenv("PATH"), serverVariable + "=" + f.script},
		}, err
	}}
	return f
}

func (f *fixture) open(o backend.Opening) backend.Agent {
	f.t.Helper()
	o.Dir = filepath.Dir(f.script)
	a, err := New(f.options).Open(f.t.Context(), o)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(a.Close)
	return a
}

// received returns what the app-server has received.
func (f *fixture) received() string {
	f.t.Helper()
	data, err := os.ReadFile(f.script + ".log")
	if err != nil {
		f.t.Fatal(err)
	}
	return string(data)
}

// run prompts, and returns the updates, one a line. Approvals get the verdict, questions the answers, or the error if there are none.
func run(t *testing.T, ctx context.Context, a backend.Agent, verdict backend.Verdict, answers [][]string) (lines []string) {
	t.Helper()
	for u, err := range a.Turn(ctx, backend.Prompt{ID: "p-1", Blocks: []model.Block{model.TextBlock("Go on.")}}) {
		if err != nil {
			return append(lines, "error: "+err.Error())
		}
		if line := lineOf(u); line != "" {
			lines = append(lines, line)
		}
		switch u := u.(type) {
		case backend.Ask:
			u.Answer(verdict)
		case backend.Question:
			if answers == nil {
				u.Answer(nil, errors.New("declined"))
			} else {
				u.Answer(answers, nil)
			}
		}
	}
	return lines
}

func lineOf(u backend.Update) string {
	switch u := u.(type) {
	case backend.Text:
		return fmt.Sprintf("text %s: %s", u.Message, u.Text)
	case backend.Thought:
		return fmt.Sprintf("thought %s: %s", u.Message, u.Text)
	case backend.MessageEnd:
		return fmt.Sprintf("message: %s, %d+%d in, %d out", u.Model, u.Usage.Input, u.Usage.CacheRead, u.Usage.Output)
	case backend.Call:
		line := fmt.Sprintf("call %s: %s %q %s %s", u.ID, u.Name, u.Tool, u.Level, u.Input)
		for _, part := range []string{u.Command, u.Dir, u.URL, strings.Join(u.Paths, " ")} {
			if part != "" {
				line += " | " + part
			}
		}
		return line
	case backend.Output:
		return fmt.Sprintf("output %s: %q", u.Call, u.Text)
	case backend.CallEnd:
		line := fmt.Sprintf("end %s: %s %q", u.Call, u.Outcome, u.Text)
		if u.NotRun != (u.Outcome == event.Denied) {
			line += fmt.Sprintf(" | not run: %v", u.NotRun)
		}
		if u.Shell != nil {
			line += fmt.Sprintf(" | %s in %s: %d", u.Shell.Command, u.Shell.Dir, u.Shell.ExitCode)
		}
		for _, e := range u.Edits {
			before := "none"
			if e.Before != nil {
				before = *e.Before
			}
			line += fmt.Sprintf(" | %s: %q -> %q, deleted %v, %q", e.Path, before, e.After, e.Deleted, e.Diff)
		}
		return line
	case backend.Ask:
		return fmt.Sprintf("ask %s: %q", u.Call, u.Reason)
	case backend.Question:
		line := "question:"
		for _, q := range u.Questions {
			line += fmt.Sprintf(" %s/%q", q.Header, q.Text)
			for _, o := range q.Options {
				line += " " + o.Label
			}
		}
		return line
	case backend.Plan:
		line := "plan:"
		for _, i := range u.Items {
			line += fmt.Sprintf(" %s=%s", i.Text, i.Status)
		}
		return line
	case backend.Usage:
		return fmt.Sprintf("context: %d of %d", u.Context, u.Window)
	case backend.Compacting:
		return "compacting"
	case backend.Compacted:
		return "compacted"
	case backend.Retry:
		return fmt.Sprintf("retry %d of %d: %s", u.Attempt, u.Max, u.Message)
	case backend.Note:
		return fmt.Sprintf("note %s %s: %s", u.Level, u.Code, u.Text)
	case backend.End:
		line := "end: " + string(u.Reason)
		if u.Failure != nil {
			line += fmt.Sprintf(", %s %s", u.Failure.Code, u.Failure.Message)
		}
		return line
	}
	return fmt.Sprintf("%T", u)
}

var allow = backend.Verdict{Allow: true}

// TestTurns: what codex reports, and what comes of it.
func TestTurns(t *testing.T) {
	for name, test := range map[string]struct {
		script  string
		verdict backend.Verdict
		answers [][]string
		want    []string
	}{
		"command": {verdict: allow, script: `started {"type":"commandExecution","id":"c1","command":"/bin/bash -lc \"echo 'a'\"' $HOME'","cwd":"/w","status":"inProgress"}
request item/commandExecution/requestApproval {"kind":"command","itemId":"c1","reason":"because"}
notify item/commandExecution/outputDelta {"itemId":"c1","delta":"a"}
completed {"type":"commandExecution","id":"c1","command":"/bin/bash -lc \"echo 'a'\"' $HOME'","cwd":"/w","status":"failed","aggregatedOutput":"a\n","exitCode":3,"durationMs":9}
completed {"type":"commandExecution","id":"c1","status":"completed"}`, want: []string{
			`call c1: commandExecution "shell" execute {"command":"echo 'a' $HOME"} | echo 'a' $HOME | /w`, `ask c1: "because"`, `text 0: {"decision":"accept"}`,
			`output c1: "a"`, `end c1: failed "a\n" | echo 'a' $HOME in /w: 3`, "end: completed",
		}},
		"denied": {script: `started {"type":"commandExecution","id":"c1","command":"make","cwd":"/w"}
request item/commandExecution/requestApproval {"itemId":"c1"}
completed {"type":"commandExecution","id":"c1","command":"make","cwd":"/w","status":"declined"}`, want: []string{
			`call c1: commandExecution "shell" execute {"command":"make"} | make | /w`, `ask c1: ""`, `text 0: {"decision":"decline"}`, `end c1: denied ""`, "end: completed",
		}},
		"withdrawn": {verdict: backend.Verdict{Cancel: true}, script: `started {"type":"fileChange","id":"c1","changes":[{"path":"/w/a","kind":{"type":"delete"},"diff":"x\n"}]}
request item/fileChange/requestApproval {"itemId":"c1"}
end interrupted`, want: []string{
			`call c1: fileChange "patch" write {"input":"*** Begin Patch\n*** Delete File: /w/a\n*** End Patch"} | /w/a`, `ask c1: ""`, `text 0: {"decision":"cancel"}`, "end: interrupted",
		}},
		"changes": {verdict: allow, script: `started {"type":"fileChange","id":"c1","status":"inProgress","changes":[` + changes + `]}
request item/fileChange/requestApproval {"itemId":"c1","reason":null,"grantRoot":null}
completed {"type":"fileChange","id":"c1","status":"completed","changes":[` + changes + `]}`, want: []string{
			`call c1: fileChange "patch" write {"input":"*** Begin Patch\n*** Add File: /w/new\n+one\n+two\n*** Delete File: /w/old\n*** Update File: /w/a\n*** Move to: /w/b\n@@\n l\n-m\n+n\n*** End Patch"} | /w/new /w/old /w/a /w/b`,
			`ask c1: ""`, `text 0: {"decision":"accept"}`,
			`end c1: succeeded "A /w/new\nD /w/old\nM /w/a -> /w/b" | /w/new: "none" -> "one\ntwo\n", deleted false, "" | /w/old: "gone\n" -> "", deleted true, "" | /w/a: "none" -> "", deleted true, "" | /w/b: "none" -> "", deleted false, "@@ -4,2 +4,2 @@\n l\n-m\n\\ No newline at end of file\n+n\n"`,
			"end: completed",
		}},
		"other items": {script: `started {"type":"mcpToolCall","id":"c1","server":"tool","tool":"look","arguments":{"a":1},"readOnlyHint":true}
completed {"type":"mcpToolCall","id":"c1","server":"tool","tool":"look","status":"completed","result":{"content":[{"type":"text","text":"seen"},{"type":"image"}]}}
completed {"type":"mcpToolCall","id":"c2","server":"tool","tool":"poke","status":"failed","error":{"message":"no"}}
started {"type":"newerThing","id":"c3","secret":true}
completed {"type":"newerThing","id":"c3","text":"what it brought"}
started {"type":"webSearch","id":"c4","query":"go"}
completed {"type":"webSearch","id":"c4","query":"go"}
completed {"type":"imageView","id":"c5","path":"/w/p.png"}
completed {"type":"contextCompaction","id":"k"}`, want: []string{
			`call c1: mcp__tool__look "" read {"a":1}`, `end c1: succeeded "seen\n[image]"`, `call c2: mcp__tool__poke "" execute {}`, `end c2: failed "no"`,
			`call c3: newerThing "" execute {"type":"newerThing","id":"c3","secret":true}`, `end c3: succeeded "what it brought"`, `call c4: webSearch "search" read {"query":"go"}`, `end c4: succeeded ""`,
			`call c5: imageView "read" read {"path":"/w/p.png"} | /w/p.png`, `end c5: succeeded ""`, "compacted", "end: completed",
		}},
		"answers": {script: `notify item/reasoning/summaryTextDelta {"itemId":"r1","delta":"One.","summaryIndex":0}
notify item/reasoning/summaryTextDelta {"itemId":"r1","delta":"Two.","summaryIndex":1}
completed {"type":"reasoning","id":"r1","summary":["One.","Two."]}
notify item/agentMessage/delta {"itemId":"m1","delta":"Hel"}
notify item/agentMessage/delta {"itemId":"m1","delta":"lo."}
completed {"type":"agentMessage","id":"m1","text":"Hello."}
completed {"type":"agentMessage","id":"m2","text":"Not streamed."}
notify thread/tokenUsage/updated {"tokenUsage":{"total":{"totalTokens":150},"last":{"totalTokens":150,"inputTokens":120,"cachedInputTokens":20,"outputTokens":30},"modelContextWindow":1000}}
notify thread/tokenUsage/updated {"tokenUsage":{"total":{"totalTokens":150},"last":{"totalTokens":70},"modelContextWindow":1000}}
completed {"type":"reasoning","id":"r2","summary":[],"content":["Raw."]}
notify item/agentMessage/delta {"itemId":"m1","delta":"Again."}
notify turn/plan/updated {"plan":[{"step":"a","status":"completed"},{"step":"b","status":"inProgress"},{"step":"c","status":"pending"}]}`, want: []string{
			"thought 0: One.", "thought 0: \n\nTwo.", "text 0: Hel", "text 0: lo.", "text 1: Not streamed.", "message: m-1, 100+20 in, 30 out", "context: 150 of 1000", "context: 70 of 1000",
			"thought 2: Raw.", "text 2: Again.", "plan: a=completed b=in_progress c=pending", "end: completed",
		}},
		"retry": {script: `notify item/agentMessage/delta {"itemId":"m1","delta":"Half"}
notify error {"willRetry":true,"error":{"message":"Reconnecting... 2/5","codexErrorInfo":{"responseStreamDisconnected":{"httpStatusCode":null}},"additionalDetails":"it was cut"}}
notify item/agentMessage/delta {"itemId":"m1","delta":"Whole"}
notify error {"willRetry":false,"error":{"message":"no more"}}
end failed {"message":"no more","codexErrorInfo":{"httpConnectionFailed":{"httpStatusCode":500}},"additionalDetails":"really"}`, want: []string{
			"text 0: Half", "retry 2 of 5: Reconnecting... 2/5: it was cut", "text 1: Whole", "end: failed, refused the turn has failed (httpConnectionFailed): no more: really",
		}},
		"not signed in": {script: `end failed {"message":"401","codexErrorInfo":"unauthorized"}`, want: []string{
			"end: failed, refused it is not signed in: sign in with codex itself, then try again (401)",
		}},
		"refused": {script: `end failed {"message":"not that","codexErrorInfo":"cyberPolicy"}`, want: []string{"note warning backend_warning: not that", "end: refused"}},
		"warnings": {script: `notify warning {"message":"careful"}
notify warning {"message":"careful"}
raw {"method":"configWarning","params":{"summary":"odd","details":"line 3"}}
raw {"method":"mcpServer/startupStatus/updated","params":{"name":"tool","status":"failed","error":"no such program"}}
raw {"method":"mcpServer/startupStatus/updated","params":{"name":"tool","status":"ready","error":null}}
notify model/rerouted {"fromModel":"m-1","toModel":"m-9"}`, want: []string{
			"note warning backend_warning: careful", "note warning backend_warning: odd\nline 3", "note warning backend_warning: The tool server tool cannot be used: no such program",
			"note warning backend_rerouted: codex answers with the model m-9.", "end: completed",
		}},
		"permissions": {verdict: allow, script: `request item/permissions/requestApproval {"itemId":"p1","cwd":"/w","reason":"to build","permissions":{"fileSystem":{"write":["/x"],"read":null,"entries":[{"path":{"type":"path","path":"/y"},"access":"read"}]}}}`, want: []string{
			`call p1/1: request_permissions "" execute {"fileSystem":{"write":["/x"],"read":null,"entries":[{"path":{"type":"path","path":"/y"},"access":"read"}]}} | /x /y`,
			`ask p1/1: "to build"`, `end p1/1: succeeded "[allowed]"`,
			`text 0: {"permissions":{"fileSystem":{"entries":[{"access":"read","path":{"path":"/y","type":"path"}}],"read":null,"write":["/x"]}},"scope":"turn"}`, "end: completed",
		}},
		"permissions denied": {script: `request item/permissions/requestApproval {"itemId":"p1","permissions":{"network":{"enabled":true}}}`, want: []string{
			`call p1/1: request_permissions "" execute {"network":{"enabled":true}}`, `ask p1/1: ""`, `end p1/1: denied "[denied]"`, `text 0: {"permissions":{},"scope":"turn"}`, "end: completed",
		}},
		"requests about more": {verdict: allow, script: `started {"type":"commandExecution","id":"c1","command":"cat","cwd":"/w"}
request item/commandExecution/requestApproval {"itemId":"c1"}
request item/commandExecution/requestApproval {"itemId":"c1","approvalId":"second","command":"/bin/sh -c 'rm a'","cwd":"/w"}
request item/commandExecution/requestApproval {"itemId":"c1","networkApprovalContext":{"host":"example.org","protocol":"https"}}
request item/commandExecution/requestApproval {"itemId":"c1","kind":"writeStdin","approvalId":"third","command":"yes"}
completed {"type":"commandExecution","id":"c1","command":"cat","cwd":"/w","status":"completed","exitCode":0}`, want: []string{
			`call c1: commandExecution "shell" execute {"command":"cat"} | cat | /w`, `ask c1: ""`, `text 0: {"decision":"accept"}`,
			`call c1/second: commandExecution "shell" execute {"command":"rm a"} | rm a | /w`, `ask c1/second: ""`, `end c1/second: succeeded "[allowed]"`, `text 1: {"decision":"accept"}`,
			`call c1/3: network "" execute {"url":"https://example.org"} | https://example.org`, `ask c1/3: ""`, `end c1/3: succeeded "[allowed]"`, `text 2: {"decision":"accept"}`,
			`call c1/third: write_stdin "" execute {"command":"yes"}`, `ask c1/third: ""`, `end c1/third: succeeded "[allowed]"`, `text 3: {"decision":"accept"}`,
			`end c1: succeeded "" | cat in /w: 0`, "end: completed",
		}},
		"subagent": {verdict: allow, script: `raw {"method":"item/started","params":{"threadId":"child","turnId":"t-9","item":{"type":"commandExecution","id":"c1","command":"make","cwd":"/w"}}}
raw {"method":"item/agentMessage/delta","params":{"threadId":"child","turnId":"t-9","itemId":"m","delta":"not ours"}}
raw {"method":"turn/completed","params":{"threadId":"child","turn":{"id":"t-9","status":"completed"}}}
raw {"method":"item/completed","params":{"threadId":"child","turnId":"t-9","item":{"type":"commandExecution","id":"c1","command":"make","cwd":"/w","status":"completed","exitCode":0}}}`, want: []string{
			`call child/c1: commandExecution "shell" execute {"command":"make"} | make | /w`, `end child/c1: succeeded "" | make in /w: 0`, "end: completed",
		}},
		"question": {answers: [][]string{{"B"}, {"blue"}}, script: `request item/tool/requestUserInput {"itemId":"q","questions":[{"id":"q1","header":"H","question":"Which?","options":[{"label":"A","description":""},{"label":"B"}]},{"id":"q2","question":"Color?","options":null}]}`, want: []string{
			`question: H/"Which?" A B /"Color?"`, `text 0: {"answers":{"q1":{"answers":["B"]},"q2":{"answers":["blue"]}}}`, "end: completed",
		}},
		"question declined": {script: `request item/tool/requestUserInput {"questions":[{"id":"q1","question":"Which?"}]}`, want: []string{
			`question: /"Which?"`, `text 0: {"answers":{}}`, "end: completed",
		}},
		"tool server asks": {answers: [][]string{{"yes"}, {"7"}, {"Ann"}, {"x", "y"}}, script: `request mcpServer/elicitation/request {"serverName":"tool","mode":"form","_meta":null,"message":"Who?","requestedSchema":{"type":"object","required":["name"],"properties":{"name":{"type":"string","title":"Name"},"age":{"type":"integer"},"adult":{"type":"boolean"},"tags":{"type":"array","items":{"type":"string","enum":["x","y"]}}}}}`, want: []string{
			`question: adult/"Who?" yes no age/"Who?" Name/"Who?" tags/"Who?" x y`, `text 0: {"action":"accept","content":{"adult":true,"age":7,"name":"Ann","tags":["x","y"]}}`, "end: completed",
		}},
		"tool server gets no answer": {script: `request mcpServer/elicitation/request {"serverName":"tool","mode":"url","message":"Sign in","url":"https://example.org"}`, want: []string{
			`question: /"Sign in\nhttps://example.org" yes no`, `text 0: {"action":"decline","content":{}}`, "end: completed",
		}},
		"tool of a server": {verdict: allow, script: `started {"type":"mcpToolCall","id":"c1","server":"tool","tool":"poke","arguments":{}}
request mcpServer/elicitation/request {"serverName":"tool","mode":"form","_meta":{"codex_approval_kind":"mcp_tool_call","tool_name":"poke"},"message":"Allow?","requestedSchema":{"type":"object","properties":{}}}
completed {"type":"mcpToolCall","id":"c1","server":"tool","tool":"poke","status":"completed","result":{"content":[]}}`, want: []string{
			`call c1: mcp__tool__poke "" execute {}`, `ask c1: ""`, `text 0: {"action":"accept","content":{}}`, `end c1: succeeded ""`, "end: completed",
		}},
		"tool of a server denied": {script: `started {"type":"mcpToolCall","id":"c1","server":"tool","tool":"poke","arguments":{}}
request mcpServer/elicitation/request {"serverName":"tool","mode":"form","_meta":{"codex_approval_kind":"mcp_tool_call","tool_name":"poke"},"message":"Allow?"}
completed {"type":"mcpToolCall","id":"c1","server":"tool","tool":"poke","status":"failed","error":{"message":"rejected"}}`, want: []string{
			`call c1: mcp__tool__poke "" execute {}`, `ask c1: ""`, `text 0: {"action":"decline","content":{}}`, `end c1: denied "rejected"`, "end: completed",
		}},
		"unknown requests": {script: `request attestation/generate {"a":1}
request mcpServer/elicitation/request {"mode":"openai/userVerification","message":"x"}
request item/fileChange/requestApproval {"itemId":""}`, want: []string{
			`text 0: {"code":-32601,"message":"method not found: attestation/generate"}`, `text 1: {"action":"cancel","content":{}}`, `text 2: {"decision":"cancel"}`, "end: completed",
		}},
		"left in the background": {verdict: allow, script: `started {"type":"commandExecution","id":"c1","command":"/bin/bash -lc serve","cwd":"/w"}
request item/commandExecution/requestApproval {"itemId":"c1"}
notify item/commandExecution/outputDelta {"itemId":"c1","delta":"listening\n"}
raw {"method":"item/commandExecution/outputDelta","params":{"threadId":"$thread","turnId":"turn-0","itemId":"c1","delta":"of another turn"}}`, want: []string{
			`call c1: commandExecution "shell" execute {"command":"serve"} | serve | /w`, `ask c1: ""`, `text 0: {"decision":"accept"}`, `output c1: "listening\n"`,
			`end c1: succeeded "listening\n\n[the command runs on in the background]" | serve in /w: -1`, "end: completed",
		}},
		"what cannot be read": {script: `raw {"method":"item/started","params":{"item":7}}
raw {"method":"item/started","params":[]}
raw {"method":"turn/completed","params":{"threadId":"$thread","turn":{"id":"another","status":"completed"}}}
raw {"id":99,"result":{}}
completed {"type":"agentMessage","id":"m","text":"Still there.","newer":[1]}`, want: []string{"text 0: Still there.", "end: completed"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := run(t, t.Context(), newFixture(t, test.script).open(backend.Opening{}), test.verdict, test.answers)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

const changes = `{"path":"/w/new","kind":{"type":"add"},"diff":"one\ntwo\n"},{"path":"/w/old","kind":{"type":"delete"},"diff":"gone\n"},{"path":"/w/a","kind":{"type":"update","move_path":"/w/b"},"diff":"@@ -4,2 +4,2 @@\n l\n-m\n\\ No newline at end of file\n+n\n\n\nMoved to: /w/b"}`

// TestInterruptedCommand: a command that an interrupt leaves running is ended before the turn.
func TestInterruptedCommand(t *testing.T) {
	f := newFixture(t, `started {"type":"commandExecution","id":"c1","command":"make","cwd":"/w"}
request item/commandExecution/requestApproval {"itemId":"c1"}
notify item/commandExecution/outputDelta {"itemId":"c1","delta":"half"}
await turn/interrupt
end interrupted

completed {"type":"agentMessage","id":"m","text":"Again."}`)
	a := f.open(backend.Opening{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []string
	for u, err := range a.Turn(ctx, backend.Prompt{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, lineOf(u))
		switch u := u.(type) {
		case backend.Ask:
			u.Answer(allow)
		case backend.Output:
			cancel()
		}
	}
	want := []string{
		`call c1: commandExecution "shell" execute {"command":"make"} | make | /w`, `ask c1: ""`, `text 0: {"decision":"accept"}`, `output c1: "half"`,
		`end c1: interrupted "half" | make in /w: -1`, "end: interrupted",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if log := f.received(); !strings.Contains(log, `"thread/backgroundTerminals/clean"`) || !strings.Contains(log, `"turnId":"turn-1"`) {
		t.Errorf("codex has received\n%s", log)
	}
	if got := run(t, t.Context(), a, allow, nil); len(got) != 2 || got[0] != "text 0: Again." {
		t.Errorf("the next turn: %q", got)
	}
}

// TestLostEnd: a turn whose end is not reported ends as the list of turns says.
func TestLostEnd(t *testing.T) {
	idle := `raw {"method":"thread/status/changed","params":{"threadId":"$thread","status":{"type":"idle"}}}
await thread/turns/list
await never`
	for name, test := range map[string]struct{ list, want string }{
		"failed":   {`answer thread/turns/list {"data":[{"id":"turn-1","status":"failed","error":{"message":"no"}}]}`, "end: failed, refused the turn has failed: no"},
		"ended":    {`answer thread/turns/list {"data":[{"id":"turn-1","status":"completed"}]}`, "end: completed"},
		"running":  {`answer thread/turns/list {"data":[{"id":"turn-1","status":"inProgress"}]}`, "end: failed, protocol it is idle, and does not report the end of the turn"},
		"refusing": {`error thread/turns/list no such method`, "end: failed, refused thread/turns/list is refused: no such method"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, test.list+"\n"+idle)
			f.options.EndLimit = time.Millisecond
			if got := run(t, t.Context(), f.open(backend.Opening{}), allow, nil); len(got) != 1 || got[0] != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestRefusedPrompt: a prompt that is refused is the end of the turn, and not of the agent.
func TestRefusedPrompt(t *testing.T) {
	a := newFixture(t, "error turn/start no such model").open(backend.Opening{})
	for range 2 {
		if got := run(t, t.Context(), a, allow, nil); len(got) != 1 || got[0] != "end: failed, refused turn/start is refused: no such model" {
			t.Errorf("got %q", got)
		}
	}
}

// TestCompactFails: a compaction that fails is an error, and the agent goes on.
func TestCompactFails(t *testing.T) {
	a := newFixture(t, "error thread/compact/start nothing to compact").open(backend.Opening{})
	_, err := a.Compact(t.Context())
	if failed, ok := errors.AsType[*backend.Error](err); !ok || failed.Code != backend.CodeRefused {
		t.Errorf("the error is %v", err)
	}
	if got := run(t, t.Context(), a, allow, nil); len(got) != 1 || got[0] != "end: completed" {
		t.Errorf("got %q", got)
	}
}

// TestOpening: what a thread is begun with, and its turns.
func TestOpening(t *testing.T) {
	f := newFixture(t, "")
	f.options.Config = map[string]jsontext.Value{"model_reasoning_effort": jsontext.Value(`"high"`)}
	if got := strings.Join(New(f.options).arguments(), " "); got != `-c features.goals=false -c model_reasoning_effort="high"` {
		t.Errorf("the arguments are %s", got)
	}
	a := f.open(backend.Opening{
		Instructions: "Be brief.", Roots: []string{"/more"},
		Servers: []backend.Server{
			{Name: "one", Command: "/bin/one", Args: []string{"-x"}, Env: map[string]string{"A": "b"}},
			{Name: "two", URL: "https://example.org", Headers: map[string]string{"X": "y"}},
			{Name: "old", URL: "https://example.org", SSE: true},
		},
		Settings: backend.Settings{Sandbox: approval.Sandbox{Kind: approval.SandboxWorkspace, Roots: []string{"/root"}, Network: true}},
	})
	if i := a.Info(); i.Program != "codex" || i.Version != "0.169.0" || a.ID() != "thread-1" {
		t.Errorf("it is %+v, session %s", i, a.ID())
	}
	got := run(t, t.Context(), a, allow, nil)
	if len(got) != 2 || got[0] != "note warning backend_warning: codex cannot use the tool server old: its transport is HTTP with SSE" {
		t.Errorf("got %q", got)
	}
	log := f.received()
	for _, part := range []string{
		`"experimentalApi":true`, `"method":"initialized"`, `"approvalPolicy":"untrusted"`, `"developerInstructions":"Be brief."`, `"threadSource":"parley"`,
		`"mcp_servers":{"one":{"args":["-x"],"command":"/bin/one","env":{"A":"b"}},"two":{"http_headers":{"X":"y"},"url":"https://example.org"}}`,
		`"sandboxPolicy":{"type":"workspaceWrite","writableRoots":["/more","/root"],"networkAccess":true}`, `"clientUserMessageId":"p-1"`,
	} {
		if !strings.Contains(canonical(t, log), part) {
			t.Errorf("%s is missing in\n%s", part, log)
		}
	}
}

// canonical returns lines of JSON with sorted members of mcp_servers.
func canonical(t *testing.T, lines string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(lines) {
		v := jsontext.Value(strings.TrimSpace(line))
		if strings.Contains(line, "mcp_servers") {
			if err := v.Canonicalize(); err != nil {
				t.Fatal(err)
			}
		}
		b.Write(v)
		b.WriteByte('\n')
	}
	return b.String()
}

// TestSandboxPolicy: what the agent's own sandbox allows.
func TestSandboxPolicy(t *testing.T) {
	for _, c := range []struct {
		sandbox  approval.Sandbox
		confined bool
		want     sandboxPolicy
	}{
		{approval.Sandbox{}, false, sandboxPolicy{Type: "readOnly", NetworkAccess: false}},
		{approval.Sandbox{Kind: approval.SandboxReadOnly}, false, sandboxPolicy{Type: "readOnly", NetworkAccess: false}},
		{approval.Sandbox{Kind: approval.SandboxNone}, false, sandboxPolicy{Type: "dangerFullAccess"}},
		{approval.Sandbox{Kind: approval.SandboxWorkspace}, false, sandboxPolicy{Type: "workspaceWrite", WritableRoots: []string{"/r"}, NetworkAccess: false}},
		{
			approval.Sandbox{Kind: approval.SandboxWorkspace, NoTempDir: true, NoSlashTmp: true},
			false,
			sandboxPolicy{Type: "workspaceWrite", WritableRoots: []string{"/r"}, NetworkAccess: false, ExcludeTmpdirEnvVar: true, ExcludeSlashTmp: true},
		},
		{approval.Sandbox{Kind: approval.SandboxExternal, Network: true}, false, sandboxPolicy{Type: "externalSandbox", NetworkAccess: "enabled"}},
		{approval.Sandbox{Kind: approval.SandboxWorkspace}, true, sandboxPolicy{Type: "externalSandbox", NetworkAccess: "restricted"}},
	} {
		a := &agent{roots: []string{"/r"}, confined: c.confined}
		if diff := cmp.Diff(&c.want, a.sandboxPolicy(c.sandbox)); diff != "" {
			t.Errorf("%+v, confined %v (-want +got):\n%s", c.sandbox, c.confined, diff)
		}
	}
}

// TestApprovalPolicy: when the agent asks.
func TestApprovalPolicy(t *testing.T) {
	for _, c := range []struct {
		asking   approval.Asking
		ownRules bool
		want     string
	}{{approval.AskNever, false, "never"}, {approval.AskNever, true, "never"}, {approval.AskOnRequest, false, "untrusted"}, {"", false, "untrusted"}, {"", true, ""}} {
		a := &agent{backend: New(Options{OwnRules: c.ownRules})}
		if got := a.approvalPolicy(c.asking); got != c.want {
			t.Errorf("%q, own rules %v: %q, want %q", c.asking, c.ownRules, got, c.want)
		}
	}
}

// TestBusy: a thread that another process has open is resumed when that has ended.
func TestBusy(t *testing.T) {
	f := newFixture(t, "error thread/resume thread thread-1 already has an active writer")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // a limit of the start would measure how soon the process is ready
		polls := time.NewTicker(10 * time.Millisecond)
		defer polls.Stop()
		for ctx.Err() == nil {
			if log, _ := os.ReadFile(f.script + ".log"); strings.Count(string(log), "thread/resume") >= 2 {
				cancel()
			}
			<-polls.C
		}
	}()
	_, err := New(f.options).Open(ctx, backend.Opening{Session: "thread-1", Dir: filepath.Dir(f.script)})
	if err == nil || !strings.Contains(err.Error(), "already has an active writer") || strings.Count(f.received(), "thread/resume") < 2 {
		t.Errorf("the error is %v", err)
	}
}
