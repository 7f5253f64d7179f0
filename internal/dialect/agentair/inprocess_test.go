package agentair

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/catalog"
	"parley.dev/parley/internal/model/offline"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool"
)

// serveInProcess is the agentair command without a process: real tools and a real journal,
// and the offline models only.
func serveInProcess(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	getenv := lookupIn(env)
	f, err := parseFlags(args[1:], getenv("PWD"))
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	store, err := file.Open(getenv("PARLEY_HOME"), file.Options{})
	if err != nil {
		fmt.Fprintln(stderr, err)
		return ExitFailed
	}
	defer store.Close()
	spawner := sandbox.NewSpawner(sandbox.Options{})
	defer spawner.Close()
	log := slog.New(slog.NewTextHandler(stderr, nil))
	host := engine.NewHost(engine.Config{
		Store: store, Models: newScripted(getenv), Tools: tool.ByName, Log: log,
		Env: func(workspace string) (*tool.Env, error) {
			w, err := tool.OpenWorkspace(workspace, getenv("PARLEY_HOME"))
			if err != nil {
				return nil, err
			}
			return &tool.Env{Workspace: w, Spawner: spawner, Environ: env, PrivateNetwork: true}, nil
		},
	})
	return Serve(context.WithoutCancel(ctx), Config{
		Host: host, In: stdin, Out: stdout, Log: log, Version: "0.0.0-test", Flags: f, Stop: ctx.Done(),
	})
}

// A watch serves in process and holds each process to a checker.
type watch struct{ t testing.TB }

func (w watch) serve(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	c := newChecker(args)
	var mu sync.Mutex // of c
	in := &lineTap{each: func(line []byte) { mu.Lock(); defer mu.Unlock(); c.sent(line) }}
	out := &lineTap{to: stdout, each: func(line []byte) { mu.Lock(); defer mu.Unlock(); c.line(line) }}
	code := serveInProcess(ctx, args, io.TeeReader(stdin, in), out, stderr, env)
	mu.Lock()
	defer mu.Unlock()
	if ctx.Err() != nil {
		c.leaving = true
	}
	c.end()
	if out.rest.Len() > 0 {
		c.fault("the last line has no end: %s", out.rest.String())
	}
	for _, problem := range c.problems {
		w.t.Errorf("%s: %s", filepath.Base(filepath.Dir(filepath.Dir(lookupIn(env)("PWD")))), problem)
	}
	return code
}

// A lineTap shows each whole line that is written through it, before it goes on.
type lineTap struct {
	to   io.Writer // nil: nowhere
	each func(line []byte)
	rest bytes.Buffer
}

func (l *lineTap) Write(p []byte) (int, error) {
	l.rest.Write(p)
	for {
		i := bytes.IndexByte(l.rest.Bytes(), '\n')
		if i < 0 {
			break
		}
		l.each(bytes.TrimSuffix(bytes.Clone(l.rest.Next(i+1)), []byte("\n")))
	}
	if l.to == nil {
		return len(p), nil
	}
	return l.to.Write(p)
}

func lookupIn(env []string) func(string) string {
	return func(name string) string {
		value := ""
		for _, setting := range env {
			if v, ok := strings.CutPrefix(setting, name+"="); ok {
				value = v // the last wins
			}
		}
		return value
	}
}

// parseFlags reads what stands behind "parley agentair".
func parseFlags(args []string, dir string) (Flags, error) {
	f := Flags{Policy: Interactive}
	set := flag.NewFlagSet("agentair", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&f.Model, "model", "", "")
	set.StringVar(&f.Cwd, "cwd", dir, "")
	set.BoolVar(&f.Extended, "extended", false, "")
	set.BoolVar(&f.RoundComplete, "round-complete", false, "")
	set.IntVar(&f.StepLimit, "max-rounds", 0, "")
	set.Func("policy", "", func(word string) error {
		p, ok := ParsePolicy(word)
		if !ok {
			return fmt.Errorf("unknown policy")
		}
		f.Policy = p
		return nil
	})
	err := set.Parse(args)
	if !filepath.IsAbs(f.Cwd) {
		f.Cwd = filepath.Join(dir, f.Cwd)
	}
	return f, err
}

// scripted is the offline models of a test.
type scripted struct {
	name string                          // of the default model
	play func() (*offline.Player, error) // loads the script once; its answers are used up
}

func newScripted(getenv func(string) string) scripted {
	return scripted{cmp.Or(getenv("PARLEY_MODEL"), "offline/demo"), sync.OnceValues(func() (*offline.Player, error) {
		script, err := offline.Load(getenv("PARLEY_OFFLINE_SCRIPT"))
		if err != nil {
			return nil, err
		}
		return script.Provider(), nil
	})}
}

func (s scripted) Default() string { return s.name }

func (s scripted) Names() []string { return []string{"offline/demo", "offline/script"} }

func (s scripted) Discover(context.Context) []engine.Offer { return nil }

func (s scripted) Resolve(name string) (engine.Model, error) {
	provider, id, _ := strings.Cut(name, "/")
	m := engine.Model{Info: model.Info{
		ID: id, Provider: provider, Name: name, ContextWindow: catalog.DefaultContextWindow, MaxOutput: catalog.DefaultMaxOutput, Known: provider == "offline",
	}}
	switch name {
	case "offline/demo":
		m.Provider = offline.Demo()
		return m, nil
	case "offline/script":
		player, err := s.play()
		m.Provider = player
		return m, err
	}
	return m, &model.Error{Kind: model.NotConfigured, Provider: provider, Message: fmt.Sprintf("no provider is configured for model %q", name)}
}
