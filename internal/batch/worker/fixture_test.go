package worker

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley.dev/parley/internal/batch"
	"parley.dev/parley/internal/batch/local"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/workspace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A fixture is a worker's parts: real folders, git and stores, and a model of the test.
type fixture struct {
	t       *testing.T
	ctx     context.Context
	store   batch.Store
	batches *batch.Batches
	model   *fakeModel
	options Options
	repo    string // with README.md
	log     *notes
}

// patience is how long a test waits for what has to happen.
const patience = time.Minute

func newFixture(t *testing.T) *fixture {
	t.Helper()
	root := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	store, err := local.Open(filepath.Join(root, "batches"), local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sessions, err := file.Open(filepath.Join(root, "state"), file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	environ := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + root}
	f := &fixture{t: t, ctx: ctx, store: store, batches: batch.NewWithDelay(store, time.Millisecond), model: newFakeModel(), repo: filepath.Join(root, "repo"), log: &notes{}}
	spawner := sandbox.NewSpawner(sandbox.Options{})
	t.Cleanup(func() {
		cancel()
		spawner.Close()
		if err := errors.Join(store.Close(), sessions.Close()); err != nil {
			t.Error(err)
		}
	})
	env := func(dir string) (*tool.Env, error) {
		w, err := workspace.Open(dir)
		return &tool.Env{Workspace: w, Spawner: spawner, Environ: environ}, err
	}
	f.options = Options{
		Batches: f.batches, Host: engine.NewHost(engine.Config{Store: sessions, Models: f.model, Env: env}), Env: env, Spawner: spawner, Environ: environ,
		Root: filepath.Join(root, "root"), ID: "w", Once: true, Log: slog.New(slog.NewTextHandler(f.log, nil)),
	}
	if err := os.Mkdir(f.repo, 0o700); err != nil {
		t.Fatal(err)
	}
	f.git("init", "-q", "-b", "main")
	f.commit("one")
	return f
}

func (f *fixture) git(args ...string) string {
	f.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ana", "-c", "user.email=ana@example.com"}, args...)...)
	cmd.Dir, cmd.Env = f.repo, f.options.Environ
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit commits a text as README.md, and returns the commit.
func (f *fixture) commit(text string) string {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.repo, "README.md"), []byte(text+"\n"), 0o600); err != nil {
		f.t.Fatal(err)
	}
	f.git("add", "-A")
	f.git("commit", "-q", "-m", text)
	return f.git("rev-parse", "HEAD")
}

// submit submits tasks as batch b.
func (f *fixture) submit(tasks ...batch.Task) {
	f.t.Helper()
	f.submitAs("b", tasks...)
}

// submitAs submits tasks as a batch. What a task does not have is set to values for tests.
func (f *fixture) submitAs(id string, tasks ...batch.Task) {
	f.t.Helper()
	for i := range tasks {
		t := &tasks[i]
		t.Sandbox = "full-access" // what confines commands is tested elsewhere
		if t.ID == "" {
			t.ID = "t"
		}
		if t.Timeout == 0 {
			t.Timeout = batch.Duration(patience)
		}
		if t.Attempts == 0 {
			t.Attempts = 1
		}
		if t.RetryOn == nil {
			t.RetryOn = batch.DefaultRetryOn()
		}
	}
	if _, err := f.batches.Submit(f.ctx, batch.Submission{ID: id, Tasks: tasks}); err != nil {
		f.t.Fatal(err)
	}
}

// run runs a worker until it has run a task.
func (f *fixture) run() {
	f.t.Helper()
	if err := Run(f.ctx, f.options); err != nil {
		f.t.Fatal(err)
	}
}

// start starts a worker, and returns what ends it and what waits for its end.
func (f *fixture) start() (stop func(), wait func()) {
	ctx, stop := context.WithCancel(f.ctx)
	ended := make(chan error, 1)
	f.options.Once = false
	go func() { ended <- Run(ctx, f.options) }()
	return stop, func() {
		f.t.Helper()
		stop()
		if err := <-ended; err != nil {
			f.t.Error(err)
		}
	}
}

// task returns the state of a task.
func (f *fixture) task(id string) *batch.TaskState {
	f.t.Helper()
	s, err := f.batches.Load(f.ctx, "b")
	if err != nil {
		f.t.Fatal(err)
	}
	return s.Tasks[id]
}

// until waits until a task has a status.
func (f *fixture) until(id string, status batch.Status) *batch.TaskState {
	f.t.Helper()
	err := f.batches.Watch(f.ctx, "b", func(s *batch.State) bool { return s.Tasks[id].Status != status })
	if err != nil {
		f.t.Fatalf("task %s is not %s: %v", id, status, err)
	}
	return f.task(id)
}

// nothingLeft reports folders of tasks that were not removed.
func (f *fixture) nothingLeft() {
	f.t.Helper()
	left, err := filepath.Glob(filepath.Join(f.options.Root, tasksName, "[^.]*"))
	if err != nil || len(left) > 0 {
		f.t.Errorf("these folders are left: %q, %v", left, err)
	}
}

// A fakeModel answers a prompt: "say TEXT", "wait" until the turn is interrupted or release is closed, "quota", "refuse".
type fakeModel struct {
	waiting chan struct{} // one for each prompt that waits
	release chan struct{}
}

func newFakeModel() *fakeModel {
	return &fakeModel{waiting: make(chan struct{}, 10), release: make(chan struct{})}
}

func (m *fakeModel) Resolve(name string) (engine.Model, error) {
	if name == "none" {
		return engine.Model{}, &model.Error{Kind: model.NotConfigured, Message: "there is no key"}
	}
	return engine.Model{Provider: m, Info: model.Info{ID: "fake", Provider: "fake", Known: true}}, nil
}
func (*fakeModel) Default() string                         { return "fake/fake" }
func (*fakeModel) Names() []string                         { return []string{"fake/fake"} }
func (*fakeModel) Discover(context.Context) []engine.Offer { return nil }

func (m *fakeModel) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		verb, text, _ := strings.Cut(req.Messages[len(req.Messages)-1].Text(), " ")
		stop := model.StopEnd
		switch verb {
		case "wait":
			m.waiting <- struct{}{}
			select {
			case <-m.release:
			case <-ctx.Done():
				yield(model.Delta{}, context.Cause(ctx))
				return
			}
		case "quota":
			yield(model.Delta{}, &model.Error{Kind: model.Quota, Message: "no credit"})
			return
		case "refuse":
			stop = model.StopRefused
		}
		yield(model.Delta{Kind: model.Done, Response: &model.Response{
			Message: model.Message{Role: model.Assistant, Blocks: []model.Block{model.TextBlock(text)}}, Stop: stop, Usage: model.Usage{Input: 7, Output: 3},
		}}, nil)
	}
}

// notes are what a worker logs.
type notes struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(p)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}
