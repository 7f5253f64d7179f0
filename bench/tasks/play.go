package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"parley.dev/parley/bench/tasks/recording"
	"parley.dev/parley/bench/tasks/scripted"
	"parley.dev/parley/bench/tasks/task"
	"parley.dev/parley/internal/model/modeltest"
)

// patience is how long a run may take. None comes near it.
const patience = 2 * time.Minute

// A place is the folders of one run.
type place struct {
	work, home, temp string
}

// newPlace makes the folders below dir, which is made anew.
func newPlace(dir string) (p place, err error) {
	p = place{filepath.Join(dir, "work"), filepath.Join(dir, "home"), filepath.Join(dir, "temp")}
	if err := os.RemoveAll(dir); err != nil {
		return p, err
	}
	for _, folder := range []string{p.work, p.home, p.temp} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return p, err
		}
	}
	return p, nil
}

// env returns the environment of the commands of a run.
func (p place) env(more ...string) []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "PARLEY_HOME=" + filepath.Join(p.home, ".parley"),
		"TMPDIR=" + p.temp, "PWD=" + p.work, "LANG=C.UTF-8", "TZ=UTC",
	}, more...)
}

// configure writes the window of the model into the configuration, if the program is to know it.
func (p place) configure(t *task.Task, model string) error {
	if t.HiddenWindow {
		return nil
	}
	provider, id, _ := strings.Cut(model, "/")
	dir := filepath.Join(p.home, ".config", "parley")
	config := fmt.Sprintf(`{"providers": {%q: {"models": {%q: {"context_window": %d}}}}}`, provider, id, t.Window)
	return errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "config.jsonc"), []byte(config), 0o600))
}

// shell runs commands of a task in the workspace.
func (p place) shell(ctx context.Context, commands string) error {
	cmd := exec.CommandContext(ctx, "sh", "-eu", "-c", commands)
	cmd.Dir, cmd.Env = p.work, p.env()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// play does a run in the folder dir. The error is one of the bench; that the work was not done is a result.
func play(ctx context.Context, o options, r run, dir string, log io.Writer) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	p, err := newPlace(dir)
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(dir)
	if err := errors.Join(r.task.Furnish(p.work), p.shell(ctx, r.task.Setup)); err != nil {
		return result{}, fmt.Errorf("%s: setup: %w", r.task.Name, err)
	}
	m := scripted.New(r.temperament, r.task, p.work, log)
	defer m.Close()
	e := endpoint{wire: r.temperament.Wire, handler: m}
	e.model = providerOf(e.wire) + "/" + r.temperament.ModelID
	var player *recording.Player
	switch {
	case o.upstream != "":
		if e, err = upstream(o); err != nil {
			return result{}, err
		}
	case r.recording != nil:
		player = recording.NewPlayer(r.recording, m)
		e = endpoint{wire: r.recording.Wire, model: r.recording.Model, handler: player}
	}
	if err := p.configure(r.task, e.model); err != nil {
		return result{}, err
	}
	recorder := recording.NewRecorder(e.handler)
	meter := newMeter(e.wire, recorder)
	e.handler = meter
	done := runProgram(ctx, o.program, r.task.Prompt, p, e)
	done.run, done.meter = r, meter.figures()
	if err := p.shell(ctx, r.task.Check); err != nil && done.why == "" {
		done.why = "check: " + err.Error()
	}
	if player != nil && player.Left() > 0 && done.why == "" {
		done.why = fmt.Sprintf("%d answers of the recording were not requested", player.Left())
	}
	if o.record == "" {
		return done, nil
	}
	source := e.model
	if !e.real {
		source = "the scripted model " + r.label
	}
	kept := recording.Recording{
		Title: fmt.Sprintf("%s Answers of %s.", r.task.Title, source),
		Task:  r.task.Name, Wire: e.wire, Model: e.model, Answers: recorder.Answers(),
	}
	return done, kept.Write(o.record)
}

// An endpoint is what answers the program.
type endpoint struct {
	wire    modeltest.Wire
	model   string // as the program names it
	handler http.Handler
	real    bool // it needs a key
}

func providerOf(wire modeltest.Wire) string {
	if wire == modeltest.Anthropic {
		return "anthropic"
	}
	return "openai"
}

// upstream returns a real provider.
func upstream(o options) (endpoint, error) {
	target, err := url.Parse(o.upstream)
	if err != nil {
		return endpoint{}, err
	}
	e := endpoint{wire: modeltest.OpenAIResponses, model: o.model, real: true, handler: &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Del("Accept-Encoding") // answers are recorded as text
		},
		FlushInterval: -1,
	}}
	switch {
	case strings.HasPrefix(o.model, "anthropic/"):
		e.wire = modeltest.Anthropic
	case os.Getenv("PARLEY_OPENAI_API") == "chat":
		e.wire = modeltest.OpenAIChat
	}
	return e, nil
}

// settings returns the environment that makes the endpoint at address the program's.
func (e endpoint) settings(address string) []string {
	key := func(name string) string {
		if e.real {
			return name + "=" + os.Getenv(name)
		}
		return name + "=scripted"
	}
	base := e.wire.BaseURL("http://" + address)
	switch e.wire {
	case modeltest.Anthropic:
		return []string{key("ANTHROPIC_API_KEY"), "ANTHROPIC_BASE_URL=" + base}
	case modeltest.OpenAIResponses:
		return []string{key("OPENAI_API_KEY"), "OPENAI_BASE_URL=" + base, "PARLEY_OPENAI_API=responses"}
	default:
		return []string{key("OPENAI_API_KEY"), "OPENAI_BASE_URL=" + base, "PARLEY_OPENAI_API=chat"}
	}
}

// runProgram has the program work on a prompt and counts what its records have.
func runProgram(ctx context.Context, program, prompt string, p place, e endpoint) result {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return result{why: err.Error()}
	}
	server := &http.Server{Handler: e.handler, ReadHeaderTimeout: patience}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(listener) // until Close
	}()
	defer func() {
		_ = server.Close()
		<-ended
	}()
	cmd := exec.CommandContext(ctx, program, "run", "--json", "--permission-mode", "danger-full-access", "--model", e.model, prompt)
	cmd.Dir, cmd.Env = p.work, p.env(e.settings(listener.Addr().String())...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	done := countRecords(stdout.Bytes())
	if err != nil {
		done.why = strings.TrimSpace(fmt.Sprintf("%v: %s", err, stderr.Bytes()))
	}
	return done
}
