package native

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/shell"
)

// A pipe is one end of a connection in this process.
type pipe struct {
	io.Reader
	to   *io.PipeWriter
	from *io.PipeReader
}

func newPipe() (a, b pipe) {
	fromA, toB := io.Pipe()
	fromB, toA := io.Pipe()
	return pipe{fromB, toB, fromB}, pipe{fromA, toA, fromA}
}

func (p pipe) Write(data []byte) (int, error) { return p.to.Write(data) }
func (p pipe) CloseWrite() error              { return p.to.Close() }
func (p pipe) Close() error {
	return errors.Join(p.to.CloseWithError(io.ErrClosedPipe), p.from.CloseWithError(io.ErrClosedPipe))
}

// otherHosts are one other host, whose connections are cut.
type otherHosts struct {
	serve func(in io.Reader, out io.Writer)

	mu      sync.Mutex
	random  *rand.Rand
	cuts    int // how many connections are cut
	served  sync.WaitGroup
	connect int
}

func (o *otherHosts) Owner(context.Context, event.SessionID) (Place, error) {
	return Place{Owner: "h-other.1", Name: "other", Live: true}, nil
}
func (o *otherHosts) Self() Place     { return Place{Owner: "h-self.2", Name: "self", Live: true} }
func (o *otherHosts) Has(string) bool { return true }
func (o *otherHosts) Find(context.Context, string, string) (Place, error) {
	return Place{}, nil
}

// Connect connects to the other host. The connection ends after a random number of bytes, in the middle of a line perhaps.
func (o *otherHosts) Connect(context.Context, string, string) (Remote, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.connect++
	here, there := newPipe()
	o.served.Go(func() {
		o.serve(there, there)
		_ = there.Close()
	})
	if o.connect > o.cuts {
		return here, nil
	}
	return &cutPipe{pipe: here, left: 1500 + o.random.IntN(6000)}, nil
}

// A cutPipe is a pipe that ends after so many bytes.
type cutPipe struct {
	pipe
	left int
}

func (p *cutPipe) Read(data []byte) (int, error) {
	if p.left <= 0 {
		_ = p.Close()
		return 0, io.ErrUnexpectedEOF
	}
	n, err := p.pipe.Read(data[:min(len(data), p.left)])
	p.left -= n
	return n, err
}

// TestRelayCut follows a session of another host while the connection to that is cut again and again: the records are those of the
// journal, each once and in order, and every request is answered once.
func TestRelayCut(t *testing.T) {
	var script strings.Builder
	for n := range 25 {
		fmt.Fprintf(&script, "call shell {\"command\":\"echo %d\"}\nnext\n", n)
	}
	file := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(file, []byte(script.String()+"text Done.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"PARLEY_HOME=" + t.TempDir(), "PARLEY_OFFLINE_SCRIPT=" + file}
	p, err := dialecttest.Open(env, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	parts := p.Config(scripted{dialecttest.NewModels(dialecttest.Getenv(env))}, func(e *tool.Env) { e.Shell = shell.NewState() })
	parts.Sharing = &engine.Sharing{Left: engine.WaitWhenLeft}
	host := engine.NewHost(parts)
	config := func(role Role, in io.Reader, out io.Writer) *Config {
		return &Config{
			Host: host, Role: role, In: in, Out: out, Log: slog.New(slog.DiscardHandler), Cwd: t.TempDir(),
			Profile: func(name string) (engine.Options, bool) {
				return Options([]engine.Binding{{Name: "shell", Tool: "shell"}}), name == DefaultProfile
			},
		}
	}
	workspace := t.TempDir()
	eng, err := host.Create(t.Context(), engine.NewSession{ID: "s", Workspace: workspace, Settings: event.Settings{Mode: "danger-full-access"}},
		Options([]engine.Binding{{Name: "shell", Tool: "shell"}}))
	if err != nil {
		t.Fatal(err)
	}
	if err := eng.Save(); err != nil {
		t.Fatal(err)
	}
	others := &otherHosts{random: rand.New(rand.NewPCG(3, 4)), cuts: 12}
	others.serve = func(in io.Reader, out io.Writer) { Serve(context.Background(), config(Reviewer, in, out)) }
	client, server := newPipe()
	served := make(chan int, 1)
	go func() {
		cfg := config(Reviewer, server, server)
		cfg.Hosts = others
		served <- Serve(context.Background(), cfg)
		_ = server.Close()
	}()
	send := func(id int, method, params string) {
		fmt.Fprintf(client, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
	}
	send(1, "initialize", `{"protocol":1,"client":{"name":"t"}}`)
	send(2, "session/open", `{"session":"s"}`)
	send(3, "session/follow", `{"session":"s","from":1}`)
	driver := eng.Join(engine.ClientInfo{Name: "driver"})
	answers := map[int]string{}
	var got []uint64
	asked := 3
	lines := bufio.NewReader(client)
	for prompted, ended := false, false; !ended || len(answers) < asked; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatalf("after %d records and %d of %d answers: %v", len(got), len(answers), asked, err)
		}
		var m struct {
			ID     int    `json:"id"`
			Method string `json:"method"`
			Params struct {
				Record struct {
					Seq  uint64 `json:"seq"`
					Kind string `json:"kind"`
				} `json:"record"`
			} `json:"params"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		switch {
		case m.Method == "record":
			got = append(got, m.Params.Record.Seq)
			ended = m.Params.Record.Kind == "turn_ended"
			if len(got)%10 == 0 {
				asked++
				send(asked, "session/state", `{"session":"s"}`)
			}
		case m.Method == "" && answers[m.ID] != "":
			t.Fatalf("request %d is answered twice", m.ID)
		case m.Method == "":
			answers[m.ID] = string(line)
		}
		if !prompted && answers[3] != "" {
			prompted = true
			if _, err := driver.Prompt(t.Context(), engine.Prompt{Text: "Go."}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, seq := range got {
		if seq != uint64(i+1) {
			t.Fatalf("record %d comes where %d should: %v", seq, i+1, got)
		}
	}
	if head := eng.State().Head; uint64(len(got)) != head {
		t.Errorf("%d records of %d", len(got), head)
	}
	for id, line := range answers {
		if strings.Contains(line, `"error"`) {
			t.Errorf("request %d: %s", id, line)
		}
	}
	if !strings.Contains(answers[2], `"via":{"host":"h-other","name":"other"}`) {
		t.Errorf("opened: %s", answers[2])
	}
	if others.connect < 5 {
		t.Errorf("the connection was made %d times", others.connect)
	}
	_ = client.CloseWrite()
	if code := <-served; code != 0 {
		t.Errorf("exit code %d", code)
	}
	others.served.Wait()
	_ = host.Close(context.Background())
}
