package backend

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
	"parley.dev/parley/record"
)

// openCodeProgram returns the path of opencode, as npm has it.
func openCodeProgram(t *testing.T) string {
	t.Helper()
	program := filepath.Join(stage.NodePackages(t, "clients"), "node_modules/opencode-linux-x64-baseline/bin/opencode")
	if _, err := os.Stat(program); err != nil {
		t.Skip("opencode is tested on linux/amd64 only")
	}
	return program
}

// openCode configures opencode, as npm has it, with a model that plays a script.
func openCode(t *testing.T, script ...modeltest.Reply) *bench {
	t.Helper()
	program := openCodeProgram(t)
	scripted := modeltest.NewServer(t, script...)
	server := stage.NewBackend(t, modeltest.OpenAIChat, func(body []byte) http.Handler {
		if bytes.Contains(body, []byte("You are a title generator")) {
			return answerOf(modeltest.Stream(modeltest.Text("A title")))
		}
		return scripted
	})
	opencode, err := json.Marshal(map[string]any{
		"model": "scripted/" + modeltest.Model, "small_model": "scripted/" + modeltest.Model, "enabled_providers": []string{"scripted"},
		"provider": map[string]any{"scripted": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "options": map[string]string{"baseURL": modeltest.OpenAIChat.BaseURL(server.URL), "apiKey": "none"},
			"models": map[string]any{modeltest.Model: map[string]string{"name": "Scripted"}},
		}},
		"permission": map[string]string{"bash": "ask", "edit": "ask"}, "autoupdate": false, "share": "disabled",
	})
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, "", nil)
	for _, dir := range []string{".local/share/opencode", ".local/state/opencode", ".config/opencode", ".cache/opencode"} {
		if err := os.MkdirAll(filepath.Join(b.Home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	withoutPlugins(t, filepath.Join(b.Home, ".config/opencode"))
	t.Cleanup(func() {
		if t.Failed() {
			text, err := os.ReadFile(filepath.Join(b.Home, ".local/share/opencode/log/opencode.log"))
			t.Logf("the log of opencode, %v:\n%s", err, text)
		}
	})
	config, err := json.Marshal(map[string]any{"backend": "acp:opencode", "backends": map[string]any{"acp:opencode": map[string]any{
		"command": []string{program, "acp"}, "start_limit": testLimit.String(),
		"env": map[string]string{
			"OPENCODE_CONFIG_CONTENT": string(opencode), "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1",
			"OPENCODE_DISABLE_DEFAULT_PLUGINS": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.Home, "config.jsonc"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	return b
}

// withoutPlugins makes a configuration folder look as if opencode had installed its package for plugins there. Otherwise each start
// installs it from the registry, with all that it depends on, in the process that runs the turns.
func withoutPlugins(t *testing.T, dir string) {
	t.Helper()
	const dependencies = `"dependencies":{"@opencode-ai/plugin":"*"}`
	if err := os.Mkdir(filepath.Join(dir, "node_modules"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"package.json":      `{` + dependencies + `}`,
		"package-lock.json": `{"lockfileVersion":3,"packages":{"":{` + dependencies + `}}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// answerOf answers with a reply.
func answerOf(r modeltest.Reply) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(modeltest.OpenAIChat.Render(r))) // the client may have gone
	})
}

// TestOpenCode: a session of opencode answers, runs a command that is approved, and not one that is denied, is interrupted in a command, and
// is resumed by another process; nothing of it remains.
func TestOpenCode(t *testing.T) {
	t.Parallel()
	used := modeltest.Usage(model.Usage{Input: 100, Output: 20})
	call := func(id, command string) modeltest.Reply {
		return modeltest.Stream(modeltest.Text("I run it."), modeltest.Call(id, "bash", `{"command":"`+command+`","description":"Run it"}`), used)
	}
	b := openCode(t,
		modeltest.Stream(modeltest.Text("Hello "), modeltest.Text("there."), used),
		call("call_1", "echo spoke && exit 3"), modeltest.Stream(modeltest.Text("It spoke."), used),
		call("call_2", "echo never"), // a denial ends the turn of opencode
		call("call_3", "echo begun; sleep 600"),
		modeltest.Stream(modeltest.Text("I go on."), used),
		modeltest.Stream(modeltest.Text("I am back."), used),
	)
	mark := stage.NewMark(b.Place)
	s := b.create("prompt")
	contain := func(got []string, parts ...string) {
		t.Helper()
		rest := strings.Join(got, "\n")
		for _, part := range parts {
			_, after, ok := strings.Cut(rest, part)
			if !ok {
				t.Fatalf("%q is missing, or comes too early, in\n%s", part, strings.Join(got, "\n"))
			}
			rest = after
		}
	}
	contain(s.turn("Say hello.", nil), ", OpenCode ", "answer: text Hello there.", "turn: completed, 100 in, 20 out")
	decide := func(decide func(id string) error) func(record.Event) {
		return func(e record.Event) {
			if asked, ok := e.(record.ApprovalAsked); ok {
				if err := decide(asked.ID); err != nil {
					t.Error(err)
				}
			}
		}
	}
	approve := func(id string) error { return s.Approve(b.ctx, id) }
	contain(s.turn("Run it.", decide(approve)), "answer: text I run it.; call shell", `intended: shell {"command":"echo spoke`,
		`asked: shell execute "echo spoke && exit 3"`, "answered: true by client", "started", `"spoke\n"`, "answer: text It spoke.", "turn: completed")
	contain(s.turn("Run it again.", decide(func(id string) error { return s.Deny(b.ctx, id, "not now") })),
		`asked: shell execute "echo never"`, "answered: false by client", `ended: denied "not now"`, "turn: completed")
	b.interruptCommand(s, approve)
	contain(s.turn("Go on.", nil), "answer: text I go on.", "turn: completed")

	b.client.Close()
	b.connect()
	opened, err := b.client.Open(b.ctx, "s-1")
	if err != nil {
		t.Fatal(err)
	}
	seen := s.seen
	s = &session{b: b, Session: opened, seen: seen}
	contain(s.turn("Are you back?", nil), ", resumed", "answer: text I am back.", "turn: completed")
	b.client.Close()
	mark.WantEnded(t, nil)
}

// interruptCommand interrupts a turn once its command writes.
func (b *bench) interruptCommand(s *session, approve func(id string) error) {
	b.t.Helper()
	if _, err := s.Prompt(b.ctx, client.Prompt{Text: "Run for long."}); err != nil {
		b.t.Fatal(err)
	}
	for rec, err := range s.Follow(b.ctx, client.FollowOptions{From: s.seen + 1, Transient: []string{record.KindToolOutput}}) {
		if err != nil {
			b.t.Fatal(err)
		}
		event, err := rec.Event()
		if err != nil {
			b.t.Fatal(err)
		}
		if asked, ok := event.(record.ApprovalAsked); ok {
			if err := approve(asked.ID); err != nil {
				b.t.Fatal(err)
			}
		}
		if rec.Kind == record.KindToolOutput {
			break
		}
	}
	if _, err := s.Interrupt(b.ctx, ""); err != nil {
		b.t.Fatal(err)
	}
	if got := s.until(nil); !strings.HasPrefix(got[len(got)-1], "turn: interrupted") {
		b.t.Errorf("the turn is\n%s", strings.Join(got, "\n"))
	}
}
