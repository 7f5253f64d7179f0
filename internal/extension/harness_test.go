package extension

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/sandbox"
)

// A player is a session that stores what it receives.
type player struct {
	do func(ctx context.Context, what string, params jsontext.Value) (any, error)

	mu       sync.Mutex
	notes    []string // "what params"
	failures []Failure
	news     chan struct{} // room for one: something was received
}

func (p *player) Query(what string, _ jsontext.Value) (any, error) {
	switch what {
	case "session":
		return map[string]any{"id": "s1", "leaf": "00000007", "file": "/s/1.jsonl"}, nil
	case "state":
		return map[string]any{"model": map[string]string{"id": "otter"}, "idle": true}, nil
	case "entries":
		return []any{}, nil
	case "tools":
		return jsontext.Value(`[{"name":"read","active":true},{"name":"bash","active":true},{"name":"edit","active":false}]`), nil
	}
	return nil, errors.New("the harness does not provide " + what)
}

func (p *player) Notify(what string, params jsontext.Value) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notes = append(p.notes, what+" "+string(params))
	p.signal()
}

func (p *player) Handle(ctx context.Context, what string, params jsontext.Value) (any, error) {
	if p.do == nil {
		return nil, errors.New("the test does not handle " + what)
	}
	return p.do(ctx, what, params)
}

func (p *player) Failed(f Failure) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failures = append(p.failures, f)
	p.signal()
}

func (p *player) signal() {
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// await waits until something is so.
func (p *player) await(so func() bool) {
	for {
		p.mu.Lock()
		done := so()
		p.mu.Unlock()
		if done {
			return
		}
		<-p.news
	}
}

func (p *player) failed() []Failure {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Failure(nil), p.failures...)
}

// runtimeOfTests returns the Node.js or Bun that tests use.
func runtimeOfTests(t *testing.T) string {
	t.Helper()
	name := os.Getenv("PARLEY_TEST_JS")
	if name == "" {
		name = "node"
	}
	path, err := exec.LookPath(name)
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal("there is no " + name + ", and it is needed in CI")
	}
	if err != nil {
		t.Skip("there is no " + name)
	}
	return path
}

// patience is a limit that no process reaches, however slow the machine is.
const patience = 5 * time.Minute

// reached is a limit that a test waits for; what must not reach it in the same test takes milliseconds.
const reached = 5 * time.Second

// optionsFor returns options without limits that a slow machine reaches.
func optionsFor(t *testing.T) Options {
	t.Helper()
	spawner := sandbox.NewSpawner(sandbox.Options{Grace: time.Second})
	t.Cleanup(spawner.Close)
	return Options{
		Spawner: spawner, Environ: os.Environ(), State: t.TempDir(), Runtime: runtimeOfTests(t), Dir: t.TempDir(),
		Limits: Limits{Start: patience, Load: patience, Handler: patience, Silence: patience, Shutdown: patience},
	}
}

// start runs extensions; texts are modules by their names, put into a folder of their own.
func start(t *testing.T, o Options, p *player, modules ...string) *Host {
	t.Helper()
	p.news = make(chan struct{}, 1)
	h, err := Start(t.Context(), o, modules, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// module returns a file with a text.
func module(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func kit(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("testdata/kit.js")
	if err != nil {
		t.Fatal(err)
	}
	return path
}
