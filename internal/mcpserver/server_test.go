package mcpserver

import (
	"context"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A bench is a server with the script player as its model, and a client of the library.
type bench struct {
	host     *engine.Host
	dir      string
	client   *sdk.ClientSession
	progress chan string
	input    io.WriteCloser // of the server
	ended    chan error
}

// start serves with a script. Elicit answers requests to the client's user; nil: it has none.
func start(t *testing.T, script string, change func(*Config), elicit func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error)) *bench {
	t.Helper()
	b := &bench{dir: t.TempDir(), progress: make(chan string, 1000), ended: make(chan error, 1)}
	file := filepath.Join(t.TempDir(), "x.script")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := dialecttest.Open([]string{
		"HOME=" + t.TempDir(), "PARLEY_HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "PARLEY_MODEL=offline/script", "PARLEY_OFFLINE_SCRIPT=" + file,
	}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	b.host = engine.NewHost(p.Config(dialecttest.NewModels(p.Getenv), nil))
	toServer, input := io.Pipe()
	output, fromServer := io.Pipe()
	b.input = input
	cfg := Config{
		Host: b.host, Options: engine.Defaults(), Dir: b.dir, Model: "offline/script", Mode: approval.WorkspaceWrite, Sandbox: approval.SandboxWorkspace,
		In: toServer, Out: fromServer, Log: p.Log, Version: "0.0.0-test",
	}
	for _, name := range []string{"read", "write", "shell", "ask"} {
		cfg.Options.Toolset = append(cfg.Options.Toolset, engine.Binding{Name: name, Tool: name})
	}
	if change != nil {
		change(&cfg)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { b.ended <- Serve(ctx, cfg) }()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ElicitationHandler: elicit,
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			b.progress <- r.Params.Message
		},
	})
	if b.client, err = client.Connect(t.Context(), &sdk.IOTransport{Reader: output, Writer: input}, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.client.Close()
		cancel()
		toServer.Close()
		if err := <-b.ended; err != nil {
			t.Error(err)
		}
		if err := b.host.Close(context.Background()); err != nil {
			t.Error(err)
		}
		p.Close()
	})
	return b
}

// call calls a tool; the result's structured content and text.
func (b *bench) call(t *testing.T, ctx context.Context, name string, arguments map[string]any) (content map[string]any, text string, failed bool) {
	t.Helper()
	params := &sdk.CallToolParams{Name: name, Arguments: arguments}
	params.SetProgressToken("p")
	r, err := b.client.CallTool(ctx, params)
	if err != nil {
		return nil, err.Error(), true
	}
	for _, c := range r.Content {
		if c, ok := c.(*sdk.TextContent); ok {
			text += c.Text
		}
	}
	content, _ = r.StructuredContent.(map[string]any)
	return content, text, r.IsError
}

// TestSession: a task is done, its session is in the journal, and a reply continues it.
func TestSession(t *testing.T) {
	b := start(t, "text I write.\ncall write {\"path\":\"a.txt\",\"content\":\"x\"}\n\nexpect (?i)created\ntext Done.\nnext\nexpect more\ntext More.\n", nil, nil)
	tools, err := b.client.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 2 || tools.Tools[0].Name != "parley" || tools.Tools[1].Name != "parley-reply" {
		t.Fatalf("%v, %v", tools, err)
	}
	content, text, failed := b.call(t, t.Context(), "parley", map[string]any{"prompt": "Write a.txt"})
	if failed || text != "Done." || content["content"] != "Done." || content["stop_reason"] != "completed" {
		t.Fatalf("%v, %q, %v", content, text, failed)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "a.txt")); err != nil {
		t.Error(err)
	}
	if first, second := <-b.progress, <-b.progress; first != "I write." || !strings.HasPrefix(second, "write {") {
		t.Errorf("progress %q, %q", first, second)
	}
	id := content["session_id"]
	content, text, failed = b.call(t, t.Context(), "parley-reply", map[string]any{"session_id": id, "prompt": "more"})
	if failed || text != "More." || content["session_id"] != id {
		t.Errorf("%v, %q, %v", content, text, failed)
	}
	page, err := b.host.List(t.Context(), engine.Query{Limit: 9})
	if err != nil || len(page.Sessions) != 1 || string(page.Sessions[0].ID) != id {
		t.Errorf("%+v, %v", page, err)
	}
}

// TestApproval: the client's user decides, where the client can ask; else calls are denied.
func TestApproval(t *testing.T) {
	script := func(command string) string { return "call shell {\"command\":\"" + command + "\"}\n\ntext Over.\n" }
	hidden := "echo " + strings.Repeat("x", 70_000) + "; touch made"
	answer := func(content map[string]any) func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		return func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			if !strings.Contains(r.Params.Message, "touch made") {
				t.Errorf("the user reads %.200q", r.Params.Message)
			}
			if content == nil {
				return &sdk.ElicitResult{Action: "decline"}, nil
			}
			return &sdk.ElicitResult{Action: "accept", Content: content}, nil
		}
	}
	for name, c := range map[string]struct {
		command string
		elicit  func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error)
		made    bool
	}{
		"allowed":   {"touch made", answer(map[string]any{"decision": "allow"}), true},
		"long":      {"echo " + strings.Repeat("x", 10_000) + "; touch made", answer(map[string]any{"decision": "allow"}), true},
		"denied":    {"touch made", answer(map[string]any{"decision": "deny", "reason": "not today"}), false},
		"declined":  {"touch made", answer(nil), false},
		"no answer": {"touch made", nil, false},
		"too long":  {hidden, answer(map[string]any{"decision": "allow"}), false},
	} {
		t.Run(name, func(t *testing.T) {
			b := start(t, script(c.command), nil, c.elicit)
			_, text, failed := b.call(t, t.Context(), "parley", map[string]any{"prompt": "go", "permission_mode": "prompt"})
			if failed || text != "Over." {
				t.Errorf("%q, %v", text, failed)
			}
			if _, err := os.Stat(filepath.Join(b.dir, "made")); (err == nil) != c.made {
				t.Errorf("made: %v", err)
			}
		})
	}
}

// TestQuestions: the client's user answers questions of the model.
func TestQuestions(t *testing.T) {
	const script = `call ask {"questions":[{"question":"Which?","options":[{"label":"red"},{"label":"blue"}]},{"question":"And?","options":[{"label":"a"},{"label":"b"}],"multi":true}]}

expect blue[^a]*(.|\n)*b
text Asked.
`
	b := start(t, script, nil, func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"answer_1": "blue", "answer_2_2": true}}, nil
	})
	if _, text, failed := b.call(t, t.Context(), "parley", map[string]any{"prompt": "go"}); failed || text != "Asked." {
		t.Errorf("%q, %v", text, failed)
	}
}

// TestCancelled: a cancelled call interrupts its turn, and no other.
func TestCancelled(t *testing.T) {
	b := start(t, "text Begun.\ncall shell {\"command\":\"sleep 1000\"}\n\ntext Never.\n", func(c *Config) { c.Mode = approval.FullAccess }, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan bool)
	go func() {
		_, _, failed := b.call(t, ctx, "parley", map[string]any{"prompt": "go"})
		done <- failed
	}()
	for message := range b.progress {
		if strings.HasPrefix(message, "shell") {
			break
		}
	}
	cancel()
	if !<-done {
		t.Error("a cancelled call has a result")
	}
	b.await(t, event.TurnInterrupted)
}

// await waits until the only session's turn has ended.
func (b *bench) await(t *testing.T, want event.TurnReason) {
	t.Helper()
	for tick := time.NewTicker(10 * time.Millisecond); ; {
		page, err := b.host.List(t.Context(), engine.Query{Limit: 1})
		if err != nil || len(page.Sessions) != 1 {
			t.Fatalf("%+v, %v", page, err)
		}
		for rec, err := range b.host.Read(t.Context(), page.Sessions[0].ID) {
			if err != nil {
				t.Fatal(err)
			}
			if end, ok := rec.Event.(event.TurnEnded); ok {
				if end.Reason != want {
					t.Errorf("the turn ended as %s", end.Reason)
				}
				return
			}
		}
		<-tick.C
	}
}

// TestInputEnds: the end of the input ends the turns and the server.
func TestInputEnds(t *testing.T) {
	b := start(t, "call shell {\"command\":\"sleep 1000\"}\n", func(c *Config) { c.Mode = approval.FullAccess }, nil)
	go func() { _, _, _ = b.call(t, t.Context(), "parley", map[string]any{"prompt": "go"}) }() // it gets no answer
	<-b.progress
	b.input.Close()
	err := <-b.ended
	if err != nil {
		t.Error(err)
	}
	b.ended <- err
	b.await(t, event.TurnInterrupted)
}

// TestSideBySide: calls run side by side, and one session has one turn at a time.
func TestSideBySide(t *testing.T) {
	held := make(chan struct{})
	b := start(t, "call shell {\"command\":\"echo 1\"}\n\ntext One.\n", nil, func(ctx context.Context, _ *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		<-held
		return &sdk.ElicitResult{Action: "decline"}, nil
	})
	done := make(chan map[string]any)
	go func() {
		content, _, _ := b.call(t, t.Context(), "parley", map[string]any{"prompt": "go", "permission_mode": "prompt"})
		done <- content
	}()
	for message := range b.progress {
		if message == "waiting for an approval" {
			break
		}
	}
	page, err := b.host.List(t.Context(), engine.Query{Limit: 1})
	if err != nil || len(page.Sessions) != 1 {
		t.Fatalf("%+v, %v", page, err)
	}
	if _, text, failed := b.call(t, t.Context(), "parley-reply", map[string]any{"session_id": string(page.Sessions[0].ID), "prompt": "x"}); !failed || !strings.Contains(text, "is working") {
		t.Errorf("a second turn: %q", text)
	}
	if _, text, failed := b.call(t, t.Context(), "parley", map[string]any{"prompt": "demo", "model": "offline/demo"}); failed || text == "" {
		t.Errorf("another session: %q", text)
	}
	close(held)
	if content := <-done; content["content"] != "One." {
		t.Errorf("%v", content)
	}
}

// TestRefused: what cannot be done is a result that says why.
func TestRefused(t *testing.T) {
	b := start(t, "text x\n", nil, nil)
	for want, arguments := range map[string]map[string]any{
		"permission_mode":     {"prompt": "x", "permission_mode": "danger-full-access"},
		"sandbox":             {"prompt": "x", "sandbox": "full-access"},
		"exclude each other":  {"prompt": "x", "sandbox": "read-only", "permission_mode": "plan"},
		"no such file":        {"prompt": "x", "cwd": "nowhere"},
		"prompt":              {"cwd": "/"},
		"unexpected":          {"prompt": "x", "color": "red"},
		"no provider":         {"prompt": "x", "model": "acme/x"},
		"there is no session": {"session_id": "s", "prompt": "x"},
	} {
		name := "parley"
		if _, reply := arguments["session_id"]; reply {
			name = "parley-reply"
		}
		if _, text, failed := b.call(t, t.Context(), name, maps.Clone(arguments)); !failed || !strings.Contains(text, want) {
			t.Errorf("%s: %q, %v", want, text, failed)
		}
	}
}

// TestNoise: lines that are no message do not end the connection.
func TestNoise(t *testing.T) {
	b := start(t, "text Still there.\n", nil, nil)
	if _, err := io.WriteString(b.input, "hello\n[1,2]\n{\"jsonrpc\":\n\n"); err != nil {
		t.Fatal(err)
	}
	if _, text, failed := b.call(t, t.Context(), "parley", map[string]any{"prompt": "go"}); failed || text != "Still there." {
		t.Errorf("%q, %v", text, failed)
	}
}
