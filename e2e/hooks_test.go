package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model/modeltest"
)

// guard is a hook of every moment: it writes each report to a file, refuses "forbidden",
// replaces "wild", adds context to every result, and continues the turn once.
const guard = `#!/bin/sh
report=$(cat)
printf '%s\n' "$report" >>"$HOME/reports"
env >>"$HOME/environ"
case $report in
*'"event":"prompt"'*secret*) echo "secrets stay here" >&2; exit 2 ;;
*'"event":"before_tool"'*forbidden*) echo "not in this house" >&2; exit 2 ;;
*'"event":"before_tool"'*wild*) echo '{"input":{"command":"echo tame"},"context":"tamed"}' ;;
*'"event":"after_tool"'*'"exit_code":0'*) echo '{"context":"looked at"}' ;;
*'"event":"turn_end"'*'"continued":0'*) echo '{"decision":"continue","context":"Run the tests."}' ;;
esac
`

// hooks configures hooks in this place: each moment, and the command of its only hook.
func (p *place) hooks(t testing.TB, commands map[string]string) {
	t.Helper()
	hooks := map[string]any{}
	for moment, command := range commands {
		hooks[moment] = []map[string]any{{"command": command}}
	}
	text, err := json.Marshal(map[string]any{"hooks": hooks})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(p.Home, "config.jsonc")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	p.Env = append(p.Env, "PARLEY_CONFIG="+path)
}

// guarded returns a place with the guard at every moment, and a model that provokes it.
func guarded(t testing.TB) (*backend, *place) {
	t.Helper()
	b := newBackend(t, modeltest.OpenAIChat,
		modeltest.Stream(modeltest.Call("a", "bash", `{"command":"echo wild"}`), modeltest.Call("b", "bash", `{"command":"echo forbidden"}`)),
		modeltest.Stream(modeltest.Text("Done.")), modeltest.Stream(modeltest.Text("They pass.")))
	p := b.place(t)
	path := filepath.Join(p.Home, "guard.sh")
	if err := os.WriteFile(path, []byte(guard), 0o700); err != nil {
		t.Fatal(err)
	}
	p.hooks(t, map[string]string{"prompt": path, "before_tool": path, "after_tool": path, "turn_end": path})
	return b, p
}

// checkGuarded checks what the model and the hooks received in a guarded place; calls is the calls
// in order.
func checkGuarded(t *testing.T, b *backend, p *place, calls string) {
	t.Helper()
	conversation := b.chatMessages(t, 2)
	stage.CheckPaired(t, conversation)
	stage.CheckSaid(t, conversation, "go", "tame\n[hook guard.sh] tamed\n[hook guard.sh] looked at",
		"[hook guard.sh] A hook of the user denied this call: not in this house", "Done.", "[hook guard.sh] Run the tests.")
	for _, m := range conversation {
		if strings.Contains(m.Text, "secret") {
			t.Errorf("the model received %q", m.Text)
		}
	}
	reports, err := os.ReadFile(filepath.Join(p.Home, "reports"))
	if err != nil {
		t.Fatal(err)
	}
	var moments []string
	for line := range strings.Lines(string(reports)) {
		var report struct {
			Event, Session, Turn, Cwd, Tool, Shown, Prompt string
		}
		if err := json.Unmarshal([]byte(line), &report, json.MatchCaseInsensitiveNames(true)); err != nil || report.Cwd != p.Work || report.Session == "" || report.Turn == "" {
			t.Errorf("%v: %s", err, line)
		}
		moments = append(moments, strings.Join(strings.Fields(report.Event+" "+report.Tool+" "+report.Shown+" "+report.Prompt), " "))
	}
	want := "prompt my secret, prompt go, " + calls + ", turn_end, turn_end"
	if got := strings.ReplaceAll(strings.Join(moments, ", "), " shell bash", ""); got != want {
		t.Errorf("the hooks received reports of %s, want %s", got, want)
	}
	environ, err := os.ReadFile(filepath.Join(p.Home, "environ"))
	if err != nil || strings.Contains(string(environ), key) || !strings.Contains(string(environ), "PARLEY=1") {
		t.Errorf("the environment of hooks: %v\n%s", err, environ)
	}
}

// TestHooks: hooks refuse a prompt, change, deny and look at calls, and keep a turn going;
// what a controller is asked about is what will run.
func TestHooks(t *testing.T) {
	t.Parallel()
	b, p := guarded(t)
	s := p.serve(t)
	s.Prompt("my secret")
	refused := s.Turn()
	if e := refused.Of("error"); len(e) != 1 || !strings.Contains(e[0].Message, "secrets stay here") || refused.Last().StopReason != "error" {
		t.Errorf("a refused prompt: %s", refused.Last().Raw)
	}
	s.Prompt("go")
	all := s.WantCompleted()
	asked := all.Of("permission_request")
	if len(asked) != 1 || !strings.Contains(asked[0].Raw, `{"tool_input":{"command":"echo tame"}`) {
		t.Errorf("asked %v", asked)
	}
	results := all.Of("tool_result")
	if len(results) != 2 || results[0].IsError || !strings.HasPrefix(results[0].Output, "tame\n") || !results[1].IsError || !strings.Contains(results[1].Output, "not in this house") {
		t.Errorf("results %v", results)
	}
	if all.Text() != "Done.They pass." {
		t.Errorf("the answers are %q", all.Text())
	}
	if code := s.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	checkGuarded(t, b, p, "before_tool, after_tool, before_tool")
}

// TestHooksOfTheFamily: the same hooks in the other family of protocols, whose calls run side by side.
func TestHooksOfTheFamily(t *testing.T) {
	t.Parallel()
	b, p := guarded(t)
	s := p.pisces(t)
	s.Prompt("my secret")
	s.Until("agent_end")
	s.Prompt("go")
	var starts, ends []string
	for l := s.Must(); l.Type != "agent_end"; l = s.Must() {
		switch l.Type {
		case "tool_execution_start":
			starts = append(starts, l.Raw)
		case "tool_execution_end":
			ends = append(ends, l.Raw)
		}
	}
	if len(starts) != 2 || !strings.Contains(starts[0], `"command":"echo tame"`) {
		t.Errorf("started %q", starts)
	}
	all := strings.Join(ends, "")
	if len(ends) != 2 || !strings.Contains(all, `tame\n[hook guard.sh] tamed`) || !strings.Contains(all, "not in this house") || strings.Count(all, `"isError":true`) != 1 {
		t.Errorf("ended %q", ends)
	}
	s.Leave()
	checkGuarded(t, b, p, "before_tool, before_tool, after_tool")
}

// TestStopInHook: an interrupt, and kill -9, in a hook leave nothing of it; the call never ran.
func TestStopInHook(t *testing.T) {
	t.Parallel()
	for _, kill := range []bool{false, true} {
		b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Call("a", "bash", `{"command":"echo ran"}`)))
		p := b.place(t)
		p.hooks(t, map[string]string{"before_tool": stage.Family})
		h := stage.Holding(t, p.Work)
		s := p.serve(t)
		s.Prompt("go")
		h.Started()
		if kill {
			s.Kill()
			h.WantGone()
		} else {
			s.Send(map[string]string{"type": "interrupt"})
			if all := s.Turn(); all.Last().StopReason != "interrupted" || len(all.Of("permission_request")) != 0 {
				t.Errorf("the turn ended %s", all.Last().Raw)
			}
			h.WantGone()
			s.Exit()
		}
		after := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("ok")))
		after.use(p) // the hooks are gone with the environment
		s = p.serve(t, "--resume", "latest")
		s.Prompt("what happened?")
		s.WantCompleted()
		conversation := after.chatMessages(t, 0)
		stage.CheckPaired(t, conversation)
		for _, m := range conversation {
			if m.Result == "a" && (m.Text == "" || strings.Contains(m.Text, "unknown") || strings.Contains(m.Text, "ran\n")) {
				t.Errorf("the result of the call is %q", m.Text)
			}
		}
	}
}

// TestSlowHook: a hook that does not end is ended in time, and the call is denied.
func TestSlowHook(t *testing.T) {
	t.Parallel()
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Call("a", "bash", `{"command":"echo ran"}`)), modeltest.Stream(modeltest.Text("ok")))
	p := b.place(t)
	path := filepath.Join(p.Home, "config.jsonc")
	if err := os.WriteFile(path, []byte(`{"hooks": {"before_tool": [{"name": "slow", "command": "`+stage.Family+`", "timeout_ms": 5000}]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Env = append(p.Env, "PARLEY_CONFIG="+path)
	h := stage.Holding(t, p.Work)
	s := p.serve(t)
	s.Prompt("go")
	h.Started()
	h.WantGone()
	all := s.WantCompleted()
	if r := all.Of("tool_result"); len(r) != 1 || !r[0].IsError || !strings.Contains(r[0].Output, "[hook slow]") || !strings.Contains(r[0].Output, "longer than 5s") {
		t.Errorf("%v", r)
	}
	if len(all.Of("permission_request")) != 0 {
		t.Error("the client was asked about a denied call")
	}
}

// TestProjectHasNoHooks: nothing that lies in a workspace configures hooks.
func TestProjectHasNoHooks(t *testing.T) {
	t.Parallel()
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Call("a", "bash", `{"command":"echo fine"}`)), modeltest.Stream(modeltest.Text("ok")))
	p := b.place(t)
	text := `{"hooks": {"before_tool": [{"command": "touch bitten; exit 2"}], "prompt": [{"command": "touch bitten; exit 2"}]}}`
	for _, name := range []string{"config.jsonc", "parley/config.jsonc", ".config/parley/config.jsonc", ".parley/config.jsonc", ".scaiflux/settings.json", ".scaiflux.json"} {
		if err := os.MkdirAll(filepath.Join(p.Work, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		p.Write(t, name, text)
	}
	s := p.serve(t)
	s.Prompt("go")
	if r := s.WantCompleted().Of("tool_result"); len(r) != 1 || r[0].Output != "fine\n" {
		t.Errorf("%v", r)
	}
	if _, err := os.Stat(filepath.Join(p.Work, "bitten")); err == nil {
		t.Error("a project's hook has run")
	}
}
