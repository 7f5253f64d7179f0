package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// A chatRequest is what the test reads of a request.
type chatRequest struct {
	Messages []struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
}

// TestRunRequest runs the program and checks what it sends: the user's own instructions and those of the project, what was
// not committed, and the tools of the model's family.
func TestRunRequest(t *testing.T) {
	requests := make(chan chatRequest, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.NotFound(w, r)
			return
		}
		var request chatRequest
		if err := json.UnmarshalRead(r.Body, &request); err != nil {
			t.Error(err)
		}
		select {
		case requests <- request:
		default:
			t.Error("a second request")
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Done."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	home, work := t.TempDir(), t.TempDir()
	put := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = work
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "OPENAI_API_KEY=sk-x", "OPENAI_BASE_URL=" + server.URL, "GIT_CONFIG_NOSYSTEM=1"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	ask := func(model string) (system, tools string) {
		t.Helper()
		if out := run("parley", "run", "-m", model, "go"); !strings.Contains(out, "Done.") {
			t.Fatalf("it answers %q", out)
		}
		request := <-requests
		for _, tool := range request.Tools {
			tools += " " + tool.Function.Name
		}
		system, _ = request.Messages[0].Content.(string)
		return system, tools + " "
	}

	system, tools := ask("glm-5")
	if strings.Contains(system, "instructions from") || strings.Contains(system, "\nGit: ") || strings.Contains(tools, "apply_patch") || strings.Contains(tools, "ask") {
		t.Errorf("without any files:\n%s\n%s", system, tools)
	}
	put(filepath.Join(home, ".config", "parley", "AGENTS.md"), "Speak as I do.\n")
	if system, _ := ask("glm-5"); !strings.Contains(system, "\n\nSpeak as I do.\n") || strings.Contains(system, "nearest to the code") {
		t.Errorf("with the user's own file:\n%s", system)
	}
	put(filepath.Join(work, "AGENTS.md"), "Use tabs.\n")
	run("git", "init", "-q", "-b", "main")
	run("git", "add", "-A")
	run("git", "-c", "user.name=Ana", "-c", "user.email=ana@example.com", "commit", "-q", "-m", "Begin")
	put(filepath.Join(work, "new.go"), "package x\n")
	system, tools = ask("gpt-5.2")
	for _, want := range []string{
		"`apply_patch`", "Git: on branch main when the session began\nChanges that were not committed then; they are the user's:\n?? new.go\nModel: gpt-5.2\n",
		"# The user's own instructions from " + home + "/.config/parley/AGENTS.md\n\nSpeak as I do.\n\n# Project instructions from ", "\n\nUse tabs.\n\nWhere instructions differ, those nearest to the code hold",
	} {
		if !strings.Contains(system, want) {
			t.Errorf("the system prompt has no %q:\n%s", want, system)
		}
	}
	if !strings.Contains(tools, " apply_patch ") {
		t.Errorf("the tools are %s", tools)
	}
}
