package hook

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
)

// TestReadClaude: answers in the form of Claude Code mean what its documentation says.
func TestReadClaude(t *testing.T) {
	const specific = `{"hookSpecificOutput":{"hookEventName":"PreToolUse",`
	for name, c := range map[string]struct {
		moment event.HookMoment
		stdout string
		want   answer
		fails  string
	}{
		"deny":                {event.BeforeTool, specific + `"permissionDecision":"deny","permissionDecisionReason":"no"}}`, answer{Decision: "deny", Reason: "no"}, ""},
		"allow":               {event.BeforeTool, specific + `"permissionDecision":"allow"}}`, answer{Decision: "allow", Permission: "allow"}, ""},
		"ask":                 {event.BeforeTool, specific + `"permissionDecision":"ask","permissionDecisionReason":"sure?"}}`, answer{Decision: "allow", Permission: "ask", Reason: "sure?"}, ""},
		"updated input":       {event.BeforeTool, specific + `"updatedInput":{"command":"ls"},"additionalContext":"c"}}`, answer{Updated: jsontext.Value(`{"command":"ls"}`), Context: "c"}, ""},
		"defer":               {event.BeforeTool, specific + `"permissionDecision":"defer"}}`, answer{}, `unknown value "defer"`},
		"old approve":         {event.BeforeTool, `{"decision":"approve"}`, answer{Decision: "allow", Permission: "allow"}, ""},
		"old block":           {event.BeforeTool, `{"decision":"block","reason":"no"}`, answer{Decision: "deny", Reason: "no"}, ""},
		"block afterwards":    {event.AfterTool, `{"decision":"block","reason":"lint"}`, answer{Decision: "deny", Reason: "lint"}, ""},
		"block the end":       {event.AtTurnEnd, `{"decision":"block","reason":"go on"}`, answer{Decision: "continue", Context: "go on"}, ""},
		"block without why":   {event.AtTurnEnd, `{"decision":"block"}`, answer{}, "need each other"},
		"nothing":             {event.BeforeTool, `{"continue":true,"suppressOutput":true}`, answer{}, ""},
		"message":             {event.AfterTool, `{"systemMessage":"hi"}`, answer{Message: "hi"}, ""},
		"stop":                {event.BeforeTool, `{"continue":false,"stopReason":"enough"}`, answer{Decision: "deny", Reason: "enough", Stop: true}, ""},
		"stop beats block":    {event.AtTurnEnd, `{"continue":false,"decision":"block","reason":"x"}`, answer{Stop: true}, ""},
		"permission, allow":   {event.AtPermission, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`, answer{Decision: "allow", Permission: "allow"}, ""},
		"permission, deny":    {event.AtPermission, `{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"no"}}}`, answer{Decision: "deny", Reason: "no"}, ""},
		"permission, rewrite": {event.AtPermission, `{"hookSpecificOutput":{"decision":{"behavior":"allow","updatedInput":{}}}}`, answer{}, "cannot be rewritten"},
		"prompt in text":      {event.AtPrompt, "It is Monday.", answer{Context: "It is Monday."}, ""},
		"start in text":       {event.AtSessionStart, "On main.", answer{Context: "On main."}, ""},
		"start in JSON":       {event.AtSessionStart, `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"On main."}}`, answer{Context: "On main."}, ""},
		"start denied":        {event.AtSessionStart, `{"decision":"block"}`, answer{}, "nothing can be decided"},
		"compaction":          {event.BeforeCompact, `{"decision":"block","reason":"not now"}`, answer{Decision: "deny", Reason: "not now"}, ""},
		"another event":       {event.AfterTool, specific + `"permissionDecision":"deny"}}`, answer{}, `"PreToolUse" is not the event`},
		"unknown event":       {event.BeforeTool, `{"hookSpecificOutput":{"hookEventName":"PreTool","permissionDecision":"deny"}}`, answer{}, "is not the event"},
		"slip":                {event.BeforeTool, specific + `"permisionDecision":"deny"}}`, answer{}, `no member "hookSpecificOutput.permisionDecision"`},
		"slip with context":   {event.BeforeTool, specific + `"permisionDecision":"deny","additionalContext":"c"}}`, answer{}, `no member`},
		"slip elsewhere":      {event.AfterTool, `{"systemMessage":"m","sessionTitle":"x"}`, answer{Message: "m", Warnings: []string{`there is no member "sessionTitle"`}}, ""},
		"more than a denial":  {event.BeforeTool, `{"decision":"deny","color":"red"}`, answer{Decision: "deny", Warnings: []string{`there is no member "color"`}}, ""},
	} {
		h := ready{}
		got, err := h.read(c.moment, exited(0, c.stdout, ""))
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

// TestViews: calls of our tools look like those of Claude Code.
func TestViews(t *testing.T) {
	written := func(paths ...string) func(jsontext.Value) []string {
		return func(jsontext.Value) []string { return paths }
	}
	for name, c := range map[string]struct {
		call Call
		want string // name and input of each view
	}{
		"command":    {Call{Tool: "shell", OwnInput: jsontext.Value(`{"command":"ls","timeout_ms":5,"dir":"x"}`)}, `Bash {"command":"ls","timeout":5}`},
		"background": {Call{Tool: "background_start", OwnInput: jsontext.Value(`{"command":"ls"}`)}, `Bash {"command":"ls","run_in_background":true}`},
		"typed":      {Call{Tool: "background_write", OwnInput: jsontext.Value(`{"id":"1","input":"rm"}`)}, `Bash {"command":"rm"}`},
		"write":      {Call{Tool: "write", OwnInput: jsontext.Value(`{"path":"a.go","content":"x"}`)}, `Write {"content":"x","file_path":"/w/a.go"}`},
		"edit":       {Call{Tool: "edit", OwnInput: jsontext.Value(`{"path":"/a","old":"x","new":"y"}`)}, `Edit {"file_path":"/a","new_string":"y","old_string":"x"}`},
		"edits": {
			Call{Tool: "edit", OwnInput: jsontext.Value(`{"path":"/a","edits":[{"old":"x","new":"y"}]}`)},
			`MultiEdit {"edits":[{"new_string":"y","old_string":"x"}],"file_path":"/a"}`,
		},
		"patch": {
			Call{Tool: "patch", OwnInput: jsontext.Value(`{"input":"P"}`), Written: written("a", "/b")},
			`Edit {"file_path":"/w/a","new_string":"P","old_string":""}; Edit {"file_path":"/b","new_string":"P","old_string":""}`,
		},
		"broken patch": {Call{Tool: "patch", OwnInput: jsontext.Value(`{"input":"P"}`), Written: written()}, `Edit {"new_string":"P"}`},
		"wrapped patch": {
			Call{Tool: "shell", OwnInput: jsontext.Value(`{"command":"apply_patch"}`), Written: written("a")},
			`Bash {"command":"apply_patch"}; Edit {"file_path":"/w/a","new_string":"apply_patch","old_string":""}`,
		},
		"server": {Call{Tool: "mcp__a__b", Server: "a", Shown: "mcp__a__b", Input: jsontext.Value(`{"x":1}`)}, `mcp__a__b {"x":1}`},
		"other":  {Call{Tool: "permissions", Shown: "request_permissions", Input: jsontext.Value(`{"x":1}`)}, `request_permissions {"x":1}`},
	} {
		var views []string
		for _, v := range c.call.views("/w") {
			views = append(views, v.name+" "+string(v.input))
		}
		if got := strings.Join(views, "; "); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestRewritten: a changed input of Claude Code becomes one of the tool that the model called.
func TestRewritten(t *testing.T) {
	fit := func(input jsontext.Value) (jsontext.Value, error) { // the shown tool calls the command "cmd"
		return jsontext.Value(strings.Replace(string(input), `"cmd"`, `"command"`, 1)), nil
	}
	call := Call{Tool: "shell", Shown: "sh", Input: jsontext.Value(`{"cmd":"rm -r x","timeout_ms":7}`), OwnInput: jsontext.Value(`{"command":"rm -r x","timeout_ms":7}`), Fit: fit}
	for updated, want := range map[string]string{
		`{"command":"ls","timeout":7}`:                       `{"cmd":"ls","timeout_ms":7}`,
		`{"command":"rm -r x","timeout":9}`:                  `{"cmd":"rm -r x","timeout_ms":9}`,
		`{"command":"ls"}`:                                   `{"cmd":"ls"}`,
		`{"command":"ls","timeout":7,"dir":"/"}`:             "",
		`{"command":"ls","timeout":7,"description":"lists"}`: `{"cmd":"ls","description":"lists","timeout_ms":7}`,
	} {
		v := call.views("/w")[0]
		got, err := v.rewritten(&call, jsontext.Value(updated))
		if string(got) != want || (err != nil) != (want == "") {
			t.Errorf("%s: %s, %v", updated, got, err)
		}
	}
}

// guards are scripts as users have them for Claude Code; testdata/claude has them.
var guards = map[string]struct {
	event, matcher string
	moment         event.HookMoment
}{
	"block-rm.sh":         {"PreToolUse", "Bash", event.BeforeTool},
	"validate-bash.py":    {"PreToolUse", "Bash", event.BeforeTool},
	"protect-files.py":    {"PreToolUse", "Write|Edit|MultiEdit", event.BeforeTool},
	"add-context.py":      {"UserPromptSubmit", "", event.AtPrompt},
	"auto-approve.sh":     {"PreToolUse", "Read|Bash", event.BeforeTool},
	"deny-mcp.sh":         {"PreToolUse", "mcp__.*__delete.*", event.BeforeTool},
	"stop-after-tests.sh": {"Stop", "", event.AtTurnEnd},
}

// TestGuards: scripts that were written for Claude Code guard here, too.
func TestGuards(t *testing.T) {
	command := func(text string) Call {
		input := jsontext.Value(`{"command":"` + text + `"}`)
		return Call{ID: "c1", Tool: "shell", Shown: "bash", Input: input, OwnInput: input}
	}
	file := func(tool, path string) Call {
		input := jsontext.Value(`{"path":"` + path + `","content":"x"}`)
		return Call{ID: "c1", Tool: tool, Shown: tool, Input: input, OwnInput: input}
	}
	patch := Call{
		ID: "c1", Tool: "patch", Shown: "apply_patch", Input: jsontext.Value(`{"input":"P"}`), OwnInput: jsontext.Value(`{"input":"P"}`),
		Written: func(jsontext.Value) []string { return []string{"main.go", ".env"} },
	}
	remove := Call{ID: "c1", Tool: "mcp__db__delete_row", Shown: "mcp__db__delete_row", Server: "db", Input: jsontext.Value(`{}`), OwnInput: jsontext.Value(`{}`)}
	for name, c := range map[string]struct {
		script string
		report Report
		want   string // part of the reason or context; "": nothing comes of it
		denied bool
		permit Permission
	}{
		"rm":                {"block-rm.sh", Report{Call: new(command("rm -rf build"))}, "rm -rf is not allowed", true, ""},
		"no rm":             {"block-rm.sh", Report{Call: new(command("ls"))}, "", false, ""},
		"grep":              {"validate-bash.py", Report{Call: new(command("grep foo | head"))}, "Use 'rg'", true, ""},
		"no grep":           {"validate-bash.py", Report{Call: new(command("rg foo"))}, "", false, ""},
		"env":               {"protect-files.py", Report{Call: new(file("write", "sub/.env"))}, ".env is protected", true, ""},
		"env in a patch":    {"protect-files.py", Report{Call: &patch}, ".env is protected", true, ""},
		"other file":        {"protect-files.py", Report{Call: new(file("write", "main.go"))}, "", false, ""},
		"no file":           {"protect-files.py", Report{Call: new(command("cat .env"))}, "", false, ""},
		"prompt":            {"add-context.py", Report{Prompt: "Hello"}, "Current time", false, ""},
		"prompt, secret":    {"add-context.py", Report{Prompt: "my password: x"}, "sensitive", true, ""},
		"approved":          {"auto-approve.sh", Report{Call: new(file("read", "README.md"))}, "", false, PermissionAllow},
		"not approved":      {"auto-approve.sh", Report{Call: new(command("ls"))}, "", false, PermissionAsk},
		"server":            {"deny-mcp.sh", Report{Call: &remove}, "nothing is deleted", true, ""},
		"stop":              {"stop-after-tests.sh", Report{End: &End{}}, "Run the tests", true, ""},
		"stop, second time": {"stop-after-tests.sh", Report{End: &End{Continued: 1}}, "", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			script, err := filepath.Abs(filepath.Join("testdata", "claude", c.script))
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(script)
			if err != nil {
				t.Fatal(err)
			}
			needs(t, string(data))
			g := guards[c.script]
			s, dir := newSet(t, g.moment, Hook{Event: g.event, Match: g.matcher, Command: `"$CLAUDE_PROJECT_DIR/hook"`})
			if err := os.WriteFile(filepath.Join(dir, "hook"), data, 0o700); err != nil {
				t.Fatal(err)
			}
			c.report.Moment, c.report.Session, c.report.Dir = g.moment, "s1", dir
			got := s.Run(t.Context(), c.report)
			if len(got.Failed) > 0 || got.Denied != c.denied || got.Permission != c.permit || c.want != "" && !strings.Contains(got.Reason+got.Context, c.want) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// needs skips a test whose script cannot run here.
func needs(t *testing.T, script string) {
	t.Helper()
	for _, program := range []string{"jq", "python3"} {
		if _, err := exec.LookPath(program); strings.Contains(script, program) && err != nil {
			t.Skip(program + " is not installed")
		}
	}
}

// TestReadSettings: the hooks of a settings file of Claude Code are used, and what is not is named.
func TestReadSettings(t *testing.T) {
	hooks, problems, err := ReadClaudeSettings([]byte(`{"permissions":{"allow":["Bash"]},"hooks":{
		"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"guard.sh","timeout":5,"statusMessage":"…"}]}],
		"Stop":[{"hooks":[{"type":"prompt","prompt":"Done?"}]}],
		"WorktreeCreate":[{"hooks":[]}],
		"Notification":[{"matcher":"permission_prompt","hooks":[{"type":"command","command":"notify-send x"}]}]}}`))
	if err != nil || len(hooks[event.BeforeTool]) != 1 || len(hooks[event.AtPermission]) != 1 || len(problems) != 2 {
		t.Errorf("%v, %q, %v", hooks, problems, err)
	}
	for _, text := range []string{
		`{"hooks":{"PreToolUse":[{"hooks":[{"type":"http","url":"x"}]}]}}`,
		`{"hooks":{"PreToolUse":[{"matcher":"(","hooks":[{"type":"command","command":"x"}]}]}}`,
		`{"hooks":{"PreToolUse":{"hooks":[]}}}`, `{"hooks":[]}`, `[]`, `{`,
	} {
		if hooks, problems, err := ReadClaudeSettings([]byte(text)); err == nil {
			t.Errorf("%s: %v, %v", text, hooks, problems)
		} else if strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestEvents: hooks of one moment that were made for different events get those only.
func TestEvents(t *testing.T) {
	for name, c := range map[string]struct {
		moment event.HookMoment
		event  string
		match  string
		report Report
		runs   bool
	}{
		"success":             {event.AfterTool, "PostToolUse", "", Report{Result: &Result{Outcome: event.Succeeded}}, true},
		"success as failure":  {event.AfterTool, "PostToolUseFailure", "", Report{Result: &Result{Outcome: event.Succeeded}}, false},
		"failure":             {event.AfterTool, "PostToolUseFailure", "", Report{Result: &Result{Outcome: event.Failed}}, true},
		"stop":                {event.AtTurnEnd, "Stop", "ignored", Report{End: &End{}}, true},
		"stop of a subagent":  {event.AtTurnEnd, "Stop", "", Report{End: &End{}, Inner: true}, false},
		"subagent":            {event.AtTurnEnd, "SubagentStop", "", Report{End: &End{}, Inner: true}, true},
		"start":               {event.AtSessionStart, "SessionStart", "startup|resume", Report{Source: "startup"}, true},
		"another start":       {event.AtSessionStart, "SessionStart", "compact", Report{Source: "startup"}, false},
		"compaction":          {event.BeforeCompact, "PreCompact", "manual", Report{Trigger: "auto"}, false},
		"notification":        {event.AtPermission, "Notification", "permission_prompt", Report{}, true},
		"other notification":  {event.AtPermission, "Notification", "idle_prompt", Report{}, false},
		"permission, by tool": {event.AtPermission, "PermissionRequest", "Bash", Report{}, true},
	} {
		s, dir := newSet(t, c.moment, Hook{Event: c.event, Match: c.match, Command: `echo '{"systemMessage":"ran"}'`})
		r := reportOf(c.moment, dir)
		if c.moment == event.AtPermission {
			r = reportOf(event.BeforeTool, dir)
		}
		r.Moment, r.Result, r.End, r.Inner, r.Source, r.Trigger = c.moment, c.report.Result, c.report.End, c.report.Inner, c.report.Source, c.report.Trigger
		if got := s.Run(t.Context(), r); (len(got.Messages) > 0) != c.runs || len(got.Failed) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
