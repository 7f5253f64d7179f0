package flint

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/mcp"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/catalog"
	"parley.dev/parley/internal/model/offline"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool"
)

// serveInProcess is the flint command without a process: real tools, tool servers, sandbox
// and journal, and the offline models only.
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
	servers := mcp.New(mcp.Options{Spawner: spawner, Environ: env, Log: log, Version: "0.0.0-test"})
	defer servers.Close()
	host := engine.NewHost(engine.Config{
		Store: store, Models: newScripted(getenv), Tools: tool.ByName, Log: log,
		Env: func(workspace string) (*tool.Env, error) {
			w, err := tool.OpenWorkspace(workspace, getenv("PARLEY_HOME"))
			if err != nil {
				return nil, err
			}
			return &tool.Env{Workspace: w, Spawner: spawner, Environ: env, PrivateNetwork: true}, nil
		},
		Connect: func(own []tool.Server, dir string, status func(event.ServerChanged)) tool.Source {
			if len(own) == 0 {
				return nil
			}
			return servers.Connect(own, dir, status)
		},
	})
	return Serve(context.WithoutCancel(ctx), Config{
		Host: host, In: stdin, Out: stdout, Log: log, Version: "0.0.0-test", Flags: f, Stop: ctx.Done(),
	})
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

// parseFlags reads what stands behind "parley flint".
func parseFlags(args []string, dir string) (Flags, error) {
	f := Flags{Asking: approval.AskUnlessTrusted, Sandbox: SandboxPolicy{Type: SandboxWorkspaceWrite}.settings()}
	set := flag.NewFlagSet("flint", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&f.Model, "model", "", "")
	set.StringVar(&f.Cwd, "cwd", dir, "")
	set.StringVar((*string)(&f.Shapes), "shapes", string(SeedShapes), "")
	set.Func("approval-policy", "", func(word string) (err error) {
		f.Asking, err = known(ParsePolicy(word))
		return err
	})
	set.Func("sandbox", "", func(word string) (err error) {
		f.Sandbox, err = known(ParseSandbox(word))
		return err
	})
	err := set.Parse(args)
	if !filepath.IsAbs(f.Cwd) {
		f.Cwd = filepath.Join(dir, f.Cwd)
	}
	return f, err
}

func known[T any](value T, ok bool) (T, error) {
	if !ok {
		return value, fmt.Errorf("unknown word")
	}
	return value, nil
}

// scripted is the models of a test. All of them but offline/demo answer from one script, so
// that options of every provider can be tried.
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

func (s scripted) Discover(context.Context) []engine.Offer {
	var offers []engine.Offer
	for _, name := range s.Names() {
		m, _ := s.Resolve(name)
		offers = append(offers, engine.Offer{Name: name, Info: m.Info})
	}
	return offers
}

func (s scripted) Resolve(name string) (engine.Model, error) {
	provider, id, ok := strings.Cut(name, "/")
	m := engine.Model{Info: catalog.Lookup(provider, id)}
	if provider == "offline" {
		m.Info = model.Info{ID: id, Provider: provider, Name: name, ContextWindow: catalog.DefaultContextWindow, MaxOutput: catalog.DefaultMaxOutput, Known: true}
	}
	switch {
	case name == "offline/demo":
		m.Provider = offline.Demo()
		return m, nil
	case name == "offline/script", ok && (provider == "openai" || provider == "anthropic" || provider == "local"):
		player, err := s.play()
		m.Provider, m.Open = player, provider == "local"
		return m, err
	}
	return m, &model.Error{Kind: model.NotConfigured, Provider: provider, Message: fmt.Sprintf("no provider is configured for model %q", name)}
}
