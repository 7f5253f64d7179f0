package offline

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/model"
)

// spec returns a tool whose properties are all strings, the first of them required.
func spec(name string, properties ...string) model.ToolSpec {
	parts := make([]string, len(properties))
	for i, p := range properties {
		parts[i] = `"` + p + `":{"type":"string"}`
	}
	return model.ToolSpec{Name: name, Schema: jsontext.Value(
		`{"type":"object","properties":{` + strings.Join(parts, ",") + `},"required":["` + properties[0] + `"],"additionalProperties":false}`)}
}

// The same tools in three styles.
var (
	longNames = []model.ToolSpec{
		spec("bash", "command", "timeout"), spec("read_file", "path"), spec("write_file", "path", "content"),
		spec("edit_file", "path", "old_string", "new_string", "replace_all"),
		spec("glob_search", "pattern", "path"), spec("grep_search", "pattern", "path", "output_mode"),
	}
	shortNames = []model.ToolSpec{
		{Name: "Shell", Schema: jsontext.Value(`{"type":"object","properties":{"cmd":{"type":"array","items":{"type":"string"}}},"required":["cmd"]}`)},
		{Name: "read", Schema: jsontext.Value(`{"properties":{"file_path":{"type":"string","description":"absolute path"}},"required":["file_path"]}`)},
		spec("write", "file_path", "text"), spec("edit", "file_path", "old", "new"),
		spec("find", "pattern"), spec("grep", "query", "dir"),
	}
	patchNames = []model.ToolSpec{spec("read_file", "path"), spec("apply_patch", "input")}
	shellNames = []model.ToolSpec{spec("bash", "command"), spec("apply_patch", "input")}
)

// A want is one round: the call that is expected, and what it gives back.
type want struct {
	name, input string
	output      string
	failed      bool
}

// converse plays the engine: it runs the turn to its end and returns every text of it.
func converse(t *testing.T, prompt string, tools []model.ToolSpec, wants []want) []string {
	t.Helper()
	req := &model.Request{System: "You are an agent.\nWorkspace: /proj\n", Tools: tools, Messages: []model.Message{model.UserText(prompt)}}
	var texts []string
	for i := 0; ; i++ {
		r := hear(t, Demo(), req)
		texts = append(texts, r.Message.Text())
		calls := r.Message.Calls()
		if i == len(wants) {
			if len(calls) != 0 || r.Stop != model.StopEnd {
				t.Fatalf("after %d rounds: stop %s with calls %+v", i, r.Stop, calls)
			}
			return texts
		}
		if len(calls) != 1 || r.Stop != model.StopTools {
			t.Fatalf("round %d: stop %s with calls %+v; text %q", i, r.Stop, calls, texts[i])
		}
		if calls[0].Name != wants[i].name || string(calls[0].Input) != wants[i].input {
			t.Fatalf("round %d: call %s %s\nwant %s %s", i, calls[0].Name, calls[0].Input, wants[i].name, wants[i].input)
		}
		result := model.Result{CallID: calls[0].ID, Text: wants[i].output, IsError: wants[i].failed}
		req.Messages = append(req.Messages, r.Message, model.Message{
			Role:   model.Tool,
			Blocks: []model.Block{{Kind: model.KindToolResult, Result: &result}},
		})
	}
}

// hear runs one model call that must succeed.
func hear(t *testing.T, p model.Provider, req *model.Request) *model.Response {
	t.Helper()
	var last *model.Response
	var said model.Accumulator
	for d, err := range p.Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		if last != nil {
			t.Fatal("a delta follows Done")
		}
		said.Add(d)
		last = d.Response
	}
	if last == nil {
		t.Fatal("no Done")
	}
	if got, want := said.Message().Text(), last.Message.Text(); got != want {
		t.Errorf("deltas say %q, the message %q", got, want)
	}
	return last
}

// TestDemo plays a turn of each rule with the tools of different agents.
func TestDemo(t *testing.T) {
	tests := []struct {
		prompt string
		tools  []model.ToolSpec
		wants  []want
		final  string // contained in the last text
	}{
		{"list the go files", longNames, []want{{"glob_search", `{"pattern":"**/*.go"}`, "main.go\ncalc/calc.go\n", false}}, "The result:\n```\nmain.go\ncalc/calc.go\n```"},
		{"List all the Go files, please.", shortNames, []want{{"find", `{"pattern":"**/*.go"}`, "main.go\n", false}}, "The result:\n```\nmain.go\n```"},
		{"list the go files", shellNames, []want{{"bash", `{"command":"find '.' -type f -name '*.go' -not -path '*/.git/*'"}`, "./main.go\n", false}}, "./main.go"},
		{"How many files are in internal/?", longNames, []want{{"glob_search", `{"pattern":"internal/**/*"}`, "internal/a\n", false}}, "internal/a"},
		{"list files in docs.", shortNames, []want{{"find", `{"pattern":"docs/**/*"}`, "No files found", false}}, "No files found"},
		{"show me the *.md files", longNames, []want{{"glob_search", `{"pattern":"**/*.md"}`, "not now", true}}, "That did not go through:\n```\nnot now\n```"},
		{"list files", shortNames, []want{{"find", `{"pattern":"**/*"}`, "a\n", false}}, "a"},
		{"list the .go files in cmd", longNames, []want{{"glob_search", `{"pattern":"cmd/**/*.go"}`, "cmd/a.go\n", false}}, "cmd/a.go"},
		{"ls", longNames, []want{{"glob_search", `{"pattern":"**/*"}`, "", false}}, "The result is empty."},
		{"read main.go", longNames, []want{{"read_file", `{"path":"main.go"}`, "package main\n\nfunc main() {}\n", false}}, "```\npackage main\n\nfunc main() {}\n```"},
		{"Show me `main.go`.", shortNames, []want{{"read", `{"file_path":"/proj/main.go"}`, "     1\tpackage main\n", false}}, "package main"},
		{"read secret", longNames, []want{{"read_file", `{"path":"secret"}`, "denied by remote controller", true}}, "That did not go through:\n```\ndenied by remote controller\n```"},
		{"read x", shellNames, nil, "I was offered none that I know"},
		{"find TODO", longNames, []want{{"grep_search", `{"pattern":"TODO","output_mode":"content"}`, "a.go:3:// TODO\nb.go:9:// TODO\n", false}}, "b.go:9:// TODO"},
		{"find all TODOs in cmd", shortNames, []want{{"grep", `{"query":"TODOs","dir":"cmd"}`, "No matches found", false}}, "No matches found"},
		{"where is a.b?", shellNames, []want{{"bash", `{"command":"grep -rnE -e 'a\\.b' '.'"}`, "[exit code 1]", true}}, "[exit code 1]"},
		{"run go test", longNames, []want{{"bash", `{"command":"go test ./..."}`, "ok  \tcalc\t0.1s\n", false}}, "ok  \tcalc"},
		{"run `make slow && echo ok`", shortNames, []want{{"Shell", `{"cmd":["bash","-c","make slow && echo ok"]}`, "boom\n[exit code 2]", true}}, "boom\n[exit code 2]"},
		{"run `git status`, please", longNames, []want{{"bash", `{"command":"git status"}`, "", false}}, "The result is empty."},
		{"run the tests and fix what fails", longNames, []want{{"bash", `{"command":"go test ./..."}`, "ok", false}}, "All tests pass; there is nothing to fix."},
		{"run all the tests.", longNames, []want{{"bash", `{"command":"go test ./..."}`, "ok", false}}, "ok"},
		{"run rm -r build", longNames, nil, "I run only a command in backquotes"},
		{"run the linters and tell me", longNames, nil, "I run only a command in backquotes"},
		{"Create VERSION containing 2.4", longNames, []want{{"write_file", `{"path":"VERSION","content":"2.4\n"}`, "created VERSION (4 bytes)", false}}, "created VERSION (4 bytes)"},
		{"create x with Hello!", longNames, []want{{"write_file", `{"path":"x","content":"Hello!\n"}`, "ok", false}}, "ok"},
		{"create x with 'a' or 'b'", longNames, []want{{"write_file", `{"path":"x","content":"'a' or 'b'\n"}`, "ok", false}}, "ok"},
		{`please create a file called "a b"`, longNames, nil, "I have no rule"},
		{`make a new file notes.txt with the text "Hello, you!"`, shortNames, []want{{"write", `{"file_path":"notes.txt","text":"Hello, you!\n"}`, "ok", false}}, "ok"},
		{`replace "teh" with "the" in README.md.`, longNames, []want{
			{"read_file", `{"path":"README.md"}`, "teh end\n", false},
			{"edit_file", `{"path":"README.md","old_string":"teh","new_string":"the"}`, "updated", false},
		}, "updated"},
		{`replace a with b in x`, longNames, []want{
			{"read_file", `{"path":"x"}`, "a a\n", false},
			{"edit_file", `{"path":"x","old_string":"a","new_string":"b","replace_all":true}`, "no", true},
		}, "That did not go through:\n```\nno\n```"},
		{`replace a with b in x`, shortNames, []want{
			{"read", `{"file_path":"/proj/x"}`, "a a\n", false},
			{"write", `{"file_path":"x","text":"b b\n"}`, "ok", false},
		}, "ok"},
		{"create x.txt with hi", shellNames, []want{{"apply_patch", `{"input":"*** Begin Patch\n*** Add File: x.txt\n+hi\n*** End Patch\n"}`, "Success.", false}}, "Success."},
		{`replace a with b in x`, patchNames, []want{
			{"read_file", `{"path":"x"}`, "a c\nd\n", false},
			{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: x\n@@\n-a c\n-d\n+b c\n+d\n*** End Patch\n"}`, "Success.", false},
		}, "Success."},
		{`replace a with b in x`, shortNames, []want{
			{"read", `{"file_path":"/proj/x"}`, "a a\n1|2\n", false},
			{"write", `{"file_path":"x","text":"b b\n1|2\n"}`, "ok", false},
		}, "ok"},
		{`replace ' with x in f`, longNames, []want{
			{"read_file", `{"path":"f"}`, "it's\n", false},
			{"edit_file", `{"path":"f","old_string":"'","new_string":"x"}`, "ok", false},
		}, "ok"},
		{`replace "" with x in f`, longNames, []want{{"read_file", `{"path":"f"}`, "a\n", false}}, `f does not contain "", so I changed nothing.`},
		{`replace a with b in x`, longNames, []want{{"read_file", `{"path":"x"}`, "zzz\n", false}}, `x does not contain "a", so I changed nothing.`},
		{"explain calc.go", longNames, []want{{"read_file", `{"path":"calc.go"}`, "package calc\n", false}}, "package calc"},
		{"explain this project", longNames, []want{{"glob_search", `{"pattern":"**/*"}`, "a.go\nb.go\nMakefile\n", false}}, "Makefile"},
		{"hello", longNames, nil, "Hello! I understand:"},
		{"help", nil, nil, "Hello! I understand:"},
		{"what is the meaning of life", longNames, nil, "I have no rule for this prompt."},
		{"", longNames, nil, "I have no rule for this prompt."},
		{"run `ls`", nil, nil, "I was offered none that I know"},
	}
	for _, test := range tests {
		t.Run(test.prompt, func(t *testing.T) {
			texts := converse(t, test.prompt, test.tools, test.wants)
			if final := texts[len(texts)-1]; !strings.Contains(final, test.final) {
				t.Errorf("final text %q\nlacks %q", final, test.final)
			}
			for i, text := range texts {
				if strings.Contains(text, "offline demo model") != (i == 0) {
					t.Errorf("answer %d of the turn: %q", i, text)
				}
			}
		})
	}
}

// TestDemoSecondTurn: earlier turns neither count as rounds nor lend their call ids.
func TestDemoSecondTurn(t *testing.T) {
	call := model.Call{ID: "call_1", Name: "read_file", Input: jsontext.Value(`{"path":"a"}`)}
	req := &model.Request{Tools: longNames, Messages: []model.Message{
		model.UserText("read a"),
		{Role: model.Assistant, Blocks: []model.Block{{Kind: model.KindToolCall, Call: &call}}},
		{Role: model.Tool, Blocks: []model.Block{{Kind: model.KindToolResult, Result: &model.Result{CallID: "call_1", Text: "x"}}}},
		{Role: model.Assistant, Blocks: []model.Block{model.TextBlock("done")}},
		model.UserText("read b"),
	}}
	r := hear(t, Demo(), req)
	calls := r.Message.Calls()
	if len(calls) != 1 || calls[0].ID != "call_2" || string(calls[0].Input) != `{"path":"b"}` {
		t.Errorf("calls %+v", calls)
	}
}

func TestDemoStream(t *testing.T) {
	req := &model.Request{Model: "demo", Messages: []model.Message{model.UserText("hello")}}
	deltas := 0
	for d, err := range Demo().Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Kind == model.TextDelta {
			deltas++
		}
		if d.Kind == model.Done && (!d.Response.Usage.Estimated || d.Response.Usage.Input != 2 || d.Response.Usage.Output == 0) {
			t.Errorf("usage %+v", d.Response.Usage)
		}
	}
	if deltas < 3 {
		t.Errorf("%d text deltas", deltas)
	}
}

func TestDemoCancelled(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var err error
	seen := 0
	for _, e := range Demo().Stream(ctx, &model.Request{Messages: []model.Message{model.UserText("hello")}}) {
		seen++
		err = e
		cancel(cause)
	}
	if seen != 2 || !errors.Is(err, cause) {
		t.Errorf("%d elements, the last with %v", seen, err)
	}
}

func TestDemoWithoutTools(t *testing.T) {
	old := "[user]\nread a.go\n\n[tool read_file]\n{\"path\":\"a.go\"}\n-> package a\n\n[assistant]\na.go has 1 line.\n\n"
	r := hear(t, Demo(), &model.Request{System: "You write the summary of a conversation.", Messages: []model.Message{model.UserText(old)}})
	const want = "Extracted by Parley's offline demo model, without understanding:\n" +
		"[user]\nread a.go\n[tool read_file]\n{\"path\":\"a.go\"}\n-> package a\n[assistant]\na.go has 1 line."
	if got := r.Message.Text(); got != want {
		t.Errorf("summary %q\nwant %q", got, want)
	}
	r = hear(t, Demo(), &model.Request{System: "You write the summary of a conversation.", Messages: []model.Message{model.UserText(strings.Repeat("x", 1<<20))}})
	if n := len(r.Message.Text()); n > 5000 {
		t.Errorf("the summary of a long line has %d bytes", n)
	}
}
