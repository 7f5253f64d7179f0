package mcp

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool"
)

// patience is a limit that no server reaches, however slow the machine is.
const patience = 5 * time.Minute

const secret = "s3cr3t-t0ken-value"

// A bench is a pool and what it logs.
type bench struct {
	*Pool
	t   testing.TB
	dir string
	log *buffer
}

func newBench(t testing.TB, change func(*Options)) *bench {
	t.Helper()
	spawner := sandbox.NewSpawner(sandbox.Options{Grace: 100 * time.Millisecond})
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dir: dir, log: &buffer{}}
	o := Options{
		Spawner: spawner, Environ: []string{"PATH=" + os.Getenv("PATH"), "BASE=base", "TMPDIR=" + os.TempDir(), "GORACE=atexit_sleep_ms=0"},
		Log: slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug})), Version: "9",
	}
	if change != nil {
		change(&o)
	}
	b.Pool = New(o)
	t.Cleanup(func() {
		b.Close()
		spawner.Close()
		if strings.Contains(b.log.String(), secret) {
			t.Error("a secret is in the log")
		}
	})
	return b
}

// server returns the test binary as a server of the given manner.
func server(t testing.TB, manner string) tool.Server {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return tool.Server{Name: "srv", Command: path, Env: map[string]string{serverManner: manner, "TOOL_TOKEN": secret}}
}

// A visit is one session's use of a bench.
type visit struct {
	tool.Source
	t    testing.TB
	news chan event.ServerChanged
}

func (b *bench) visit(servers ...tool.Server) *visit {
	b.t.Helper()
	v := &visit{t: b.t, news: make(chan event.ServerChanged, 1000)}
	v.Source = b.Connect(servers, b.dir, func(e event.ServerChanged) { v.news <- e })
	b.t.Cleanup(v.Close)
	return v
}

// await waits for a status, and returns its error.
func (v *visit) await(status event.ServerStatus) string {
	for {
		e := <-v.news
		if strings.Contains(e.Error, secret) {
			v.t.Errorf("a secret is in the status: %q", e.Error)
		}
		if e.Status == status {
			return e.Error
		}
	}
}

// awaitGrown waits until one tool more than n is offered. Nothing reports that the client has
// read the notification of the server, which follows the result of the call.
func (v *visit) awaitGrown(n int) {
	v.t.Helper()
	for tick := time.NewTicker(10 * time.Millisecond); len(v.names()) != n+1; {
		<-tick.C
	}
}

func (v *visit) names() []string {
	v.t.Helper()
	var names []string
	for _, t := range v.Tools(v.t.Context()) {
		names = append(names, t.Name())
	}
	return names
}

func (v *visit) tool(name string) tool.Tool {
	v.t.Helper()
	tools := v.Tools(v.t.Context())
	i := slices.IndexFunc(tools, func(t tool.Tool) bool { return t.Name() == "mcp__srv__"+name })
	if i < 0 {
		v.t.Fatalf("no tool %s among %d", name, len(tools))
	}
	return tools[i]
}

func (v *visit) prepare(name, input string) tool.Call {
	v.t.Helper()
	return prepare(v.t, v.tool(name), input)
}

func prepare(t testing.TB, remote tool.Tool, input string) tool.Call {
	t.Helper()
	c, err := remote.Prepare(nil, jsontext.Value(input))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// run runs a tool, and fails if the result says what must be hidden.
func (v *visit) run(name, input string) tool.Result {
	v.t.Helper()
	return run(v.t.Context(), v.t, v.prepare(name, input))
}

func run(ctx context.Context, t testing.TB, c tool.Call) tool.Result {
	t.Helper()
	r := c.Run(ctx, hooks(nil))
	if r.IsError && strings.Contains(r.Text, secret) {
		t.Errorf("a secret is in the error: %q", r.Text)
	}
	return r
}

func hooks(progress func(done, total float64, text string)) tool.Hooks {
	if progress == nil {
		progress = func(float64, float64, string) {}
	}
	return tool.Hooks{Progress: progress, Output: func(string) {}, Sandbox: approval.Sandbox{Kind: approval.SandboxNone}}
}

// starts returns how often a server that writes to path was started.
func starts(t testing.TB, path string) int {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return bytes.Count(data, []byte("\n"))
}

// A lifeline is a named pipe that servers hold; it is cut when all of them are gone.
type lifeline struct {
	path string
	end  *os.File
}

func newLifeline(t testing.TB) *lifeline {
	t.Helper()
	path := filepath.Join(t.TempDir(), "life")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	end, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end.Close() })
	return &lifeline{path, end}
}

// awaitCut waits until no server is left.
func (l *lifeline) awaitCut(t testing.TB) {
	t.Helper()
	if _, err := io.ReadAll(l.end); err != nil {
		t.Fatalf("a server is left: %v", err)
	}
}

type buffer struct {
	mu   sync.Mutex
	data bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data.String()
}
