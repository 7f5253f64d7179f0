package backend

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/codex"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
	"parley.dev/parley/internal/sandbox"
)

// A codexDriver opens threads of the real Codex CLI without an engine.
type codexDriver struct {
	t       *testing.T
	ctx     context.Context
	place   *stage.Place
	backend *codex.Backend
	server  *modeltest.Server
}

func newCodexDriver(t *testing.T, script ...modeltest.Reply) *codexDriver {
	t.Helper()
	program := codexProgram(t)
	d := &codexDriver{t: t, place: stage.NewPlace(t), server: modeltest.NewServer(t, script...)}
	home := codexHome(t, d.place, d.server)
	spawner := sandbox.NewSpawner(sandbox.Options{})
	t.Cleanup(spawner.Close)
	d.backend = codex.New(codex.Options{Name: "codex", Version: "1", Program: func(o backend.Opening) (backend.Program, error) {
		return backend.Program{
			Backend: "codex", Path: program, Args: []string{"app-server"}, Dir: o.Dir, Spawner: spawner, Confine: sandbox.Policy{Level: sandbox.Full},
			Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + d.place.Home, "TMPDIR=" + d.place.Temp, "CODEX_HOME=" + home, "OPENAI_API_KEY=" + stage.Key},
		}, nil
	}})
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	t.Cleanup(cancel)
	d.ctx = ctx
	return d
}

func (d *codexDriver) open(session string) backend.Agent {
	d.t.Helper()
	a, err := d.backend.Open(d.ctx, backend.Opening{
		Session: session, Dir: d.place.Work, Settings: backend.Settings{Sandbox: approval.Sandbox{Kind: approval.SandboxNone}},
	})
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(a.Close)
	return a
}

// turn prompts, allows what is asked, and returns the text of the answers. Watch may be nil.
func (d *codexDriver) turn(a backend.Agent, text string, watch func(backend.Update)) (said string, end backend.End) {
	d.t.Helper()
	for u, err := range a.Turn(d.ctx, backend.Prompt{ID: text, Blocks: []model.Block{model.TextBlock(text)}}) {
		if err != nil {
			d.t.Fatal(err)
		}
		switch u := u.(type) {
		case backend.Text:
			said += u.Text
		case backend.Ask:
			u.Answer(backend.Verdict{Allow: true})
		case backend.End:
			end = u
		}
		if watch != nil {
			watch(u)
		}
	}
	return said, end
}

// input returns the last request to the model.
func (d *codexDriver) input() string {
	requests := d.server.Requests()
	return requests[len(requests)-1].Raw
}

// TestCodexDriver: steers, compactions and forks of the real Codex CLI.
func TestCodexDriver(t *testing.T) {
	t.Parallel()
	d := newCodexDriver(t, runs("c1", "echo ran"), says("Steered."), says("Second."), says("A summary of it."), says("Third."), says("Forked."), says("From the start."))
	a := d.open("")
	offers, err := a.Offers(d.ctx)
	if err != nil || offers.Model != "gpt-5.5" || len(offers.Models) == 0 || len(offers.Models[0].Thinking) == 0 {
		t.Errorf("the offers are %+v, %v", offers, err)
	}
	said, _ := d.turn(a, "First prompt.", func(u backend.Update) {
		if _, ok := u.(backend.Ask); ok {
			if err := a.Steer(d.ctx, backend.Prompt{ID: "steer", Blocks: []model.Block{model.TextBlock("Be quick.")}}); err != nil {
				t.Error(err)
			}
		}
	})
	if said != "Steered." || !strings.Contains(d.input(), "Be quick.") {
		t.Errorf("it says %q, after\n%s", said, d.input())
	}
	d.turn(a, "Second prompt.", nil)
	if summary, err := a.Compact(d.ctx); err != nil || summary != "" {
		t.Errorf("the compaction is %q, %v", summary, err)
	}
	if said, _ := d.turn(a, "Third prompt.", nil); said != "Third." || strings.Contains(d.input(), "Steered.") || !strings.Contains(d.input(), "A summary of it.") {
		t.Errorf("it says %q, after\n%s", said, d.input())
	}
	fork := func(prompts int) backend.Agent {
		t.Helper()
		id, err := a.Fork(d.ctx, prompts)
		if err != nil || id == a.ID() {
			t.Fatalf("the copy of %d prompts is %q, %v", prompts, id, err)
		}
		return d.open(id)
	}
	if d.turn(fork(1), "Of a copy.", nil); !strings.Contains(d.input(), "Steered.") || strings.Contains(d.input(), "Second prompt.") {
		t.Errorf("the copy has\n%s", d.input())
	}
	if d.turn(fork(0), "Of an empty copy.", nil); strings.Contains(d.input(), "First prompt.") {
		t.Errorf("the empty copy has\n%s", d.input())
	}
	if _, err := a.Fork(d.ctx, 4); !errors.Is(err, backend.ErrUnsupported) {
		t.Errorf("a copy of more prompts than there are: %v", err)
	}
}

// TestCodexFailures: what the model server refuses, and what it cuts and codex tries again.
func TestCodexFailures(t *testing.T) {
	t.Parallel()
	d := newCodexDriver(t, modeltest.Stream(modeltest.Text("Half"), modeltest.Cut()), says("Whole."), modeltest.Refuse(400, `{"error":{"message":"too odd","type":"invalid_request_error"}}`), says("Again."))
	a := d.open("")
	retries := 0
	said, end := d.turn(a, "One.", func(u backend.Update) {
		if r, ok := u.(backend.Retry); ok && r.Attempt == 1 && r.Max == 1 {
			retries++
		}
	})
	if retries != 1 || !strings.HasSuffix(said, "Whole.") || end.Failure != nil {
		t.Errorf("it says %q after %d retries, and ends as %+v", said, retries, end)
	}
	if _, end := d.turn(a, "Two.", nil); end.Failure == nil || end.Failure.Code != backend.CodeRefused || !strings.Contains(end.Failure.Message, "too odd") {
		t.Errorf("it ends as %+v", end)
	}
	if said, _ := d.turn(a, "Three.", nil); said != "Again." {
		t.Errorf("it says %q", said)
	}
	a.Close()
	if err := os.RemoveAll(d.place.Home + "/codex/sessions"); err != nil {
		t.Fatal(err)
	}
	_, err := d.backend.Open(d.ctx, backend.Opening{Session: a.ID(), Dir: d.place.Work})
	if !errors.Is(err, backend.ErrGone) {
		t.Errorf("a thread that is gone: %v", err)
	}
}
