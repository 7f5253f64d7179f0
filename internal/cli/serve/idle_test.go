package serve

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/config/configtest"
	"parley.dev/parley/internal/dialect/acp"
	"parley.dev/parley/internal/dialect/agentair"
	"parley.dev/parley/internal/dialect/codex"
	"parley.dev/parley/internal/dialect/flint"
	"parley.dev/parley/internal/dialect/loaf"
	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/skill"
)

// TestIdleSessionMemory opens sessions and sends no prompts: the endpoint gets at most one request. What one more session keeps in
// memory, and what is allocated to open it, have a bound: whatever is the same for all sessions
// is made once, and whatever only a turn needs is made by the first turn.
func TestIdleSessionMemory(t *testing.T) {
	racetest.Skip(t, racetest.Memory)
	const (
		sessions     = 100
		maxHeld      = 20 << 10  // on the heap and in stacks, after a collection; 6 to 10 KiB are used
		maxAllocated = 160 << 10 // with all that is garbage by then; 30 to 85 KiB are used, most by loaf, which sends the providers with each session
	)
	for _, dialect := range []struct {
		name                string
		hello, open, opened string
		requests            int // to the endpoint
		serve               func(a *app.App, cwd string, in io.Reader, out io.Writer) int
	}{
		{
			"flint", `{"id":0,"method":"initialize","params":{"clientInfo":{"name":"test","version":"1"}}}`,
			`{"id":1,"method":"thread/start","params":{}}`, `"result":{"thread":`, 0,
			func(a *app.App, cwd string, in io.Reader, out io.Writer) int {
				return flint.Serve(context.Background(), flint.Config{Host: a.Host, In: in, Out: out, Log: a.Log, Flags: flint.Flags{Cwd: cwd}})
			},
		},
		{
			"codex", `{"id":0,"method":"initialize","params":{"clientInfo":{"name":"test","version":"1"}}}`,
			`{"id":1,"method":"thread/start","params":{}}`, `{"id":1,"result":`, 0,
			func(a *app.App, cwd string, in io.Reader, out io.Writer) int {
				flags := codex.DefaultFlags()
				flags.Cwd = cwd
				return codex.Serve(context.Background(), codex.Config{
					Host: a.Host, Process: codex.NewProcess(), In: in, Out: out, Log: a.Log, Home: a.Settings.Home, Flags: flags, Parts: codexParts(a),
				})
			},
		},
		{
			"loaf", `{"jsonrpc":"2.0","id":0,"method":"rpc.handshake","params":{"client_name":"test","client_version":"1","protocol_version":"1.0.0"}}`,
			`{"jsonrpc":"2.0","id":1,"method":"session.create","params":{}}`, `"result":{"session_id":`, 1, // the state of a session has its window
			func(a *app.App, cwd string, in io.Reader, out io.Writer) int {
				settings := loaf.ReadSettings(filepath.Join(a.Settings.Home, "loaf.json"), a.Log)
				return loaf.Serve(context.Background(), loaf.Config{
					Host: a.Host, In: in, Out: out, Log: a.Log, Flags: loaf.Flags{Cwd: cwd},
					SignIn: signIn(a), Settings: settings, Skills: func() skill.Places { return a.SkillPlaces(cwd) },
				})
			},
		},
		{
			"agentair", "", `{"CreateSession":{}}`, `{"System":{"message":"Session `, 0,
			func(a *app.App, cwd string, in io.Reader, out io.Writer) int {
				return agentair.Serve(context.Background(), agentair.Config{
					Host: a.Host, In: in, Out: out, Log: a.Log, Flags: agentair.Flags{Cwd: cwd, Policy: agentair.Interactive},
				})
			},
		},
		{
			"acp", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`,
			`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"$WORK","mcpServers":[]}}`, `"result":{"sessionId":`, 1, // the options of a session have the models
			func(a *app.App, _ string, in io.Reader, out io.Writer) int {
				return acp.Serve(context.Background(), acp.Config{Host: a.Host, In: in, Out: out, Log: a.Log})
			},
		},
	} {
		t.Run(dialect.name, func(t *testing.T) {
			home, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			t.Setenv("HOME", home)
			cwd := filepath.Join(home, "work")
			if err := os.Mkdir(cwd, 0o700); err != nil {
				t.Fatal(err)
			}
			requests := make(chan string, 1000)
			endpoint := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { requests <- r.URL.Path }))
			defer endpoint.Close()
			t.Setenv("OPENAI_BASE_URL", endpoint.URL)
			t.Setenv("OPENAI_API_KEY", "key")
			settings, err := config.Load(configtest.Environment("PARLEY_HOME", filepath.Join(home, "state"), "HOME", home, "PARLEY_MODEL", "openai/unknown-model"))
			if err != nil {
				t.Fatal(err)
			}
			a, err := cli.Assemble(settings)
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			in, toServer := io.Pipe()
			fromServer, out := io.Pipe()
			ended := make(chan int, 1)
			go func() {
				code := dialect.serve(a, cwd, in, out)
				out.Close()
				ended <- code
			}()
			lines := bufio.NewReader(fromServer)
			open := func(n int) {
				for range n {
					if _, err := io.WriteString(toServer, strings.ReplaceAll(dialect.open, "$WORK", cwd)+"\n"); err != nil {
						t.Fatal(err)
					}
					for {
						line, err := lines.ReadString('\n')
						if err != nil {
							t.Fatal(err)
						}
						if strings.Contains(line, dialect.opened) {
							break
						}
					}
				}
			}
			if dialect.hello != "" {
				if _, err := io.WriteString(toServer, dialect.hello+"\n"); err != nil {
					t.Fatal(err)
				}
			}
			open(10) // what the first ones make for all
			before := used()
			open(sessions)
			after := used()
			held := (int64(after.HeapAlloc+after.StackInuse) - int64(before.HeapAlloc+before.StackInuse)) / sessions
			allocated := int64(after.TotalAlloc-before.TotalAlloc) / sessions
			t.Logf("a session keeps %d bytes of %d that opening it allocates", held, allocated)
			if held > maxHeld || allocated > maxAllocated && !raceDetected() {
				t.Errorf("a session keeps %d bytes (at most %d), and opening it allocates %d (at most %d)", held, maxHeld, allocated, maxAllocated)
			}
			if len(requests) > dialect.requests {
				t.Errorf("%d requests to the endpoint, at most %d wanted; the first for %s", len(requests), dialect.requests, <-requests)
			}
			toServer.Close()
			_, _ = io.Copy(io.Discard, lines)
			if code := <-ended; code != cli.ExitOK {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// raceDetected reports whether the race detector is on: sync.Pool then drops things at random.
func raceDetected() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// used returns the memory in use after a collection.
func used() (m runtime.MemStats) {
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m
}
