package scaiflux

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
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/catalog"
	"parley.dev/parley/internal/model/offline"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool"
)

// serveInProcess is the serve command without a process: real tools and a real journal,
// and the offline models only.
func serveInProcess(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	getenv := lookupIn(env)
	f, err := parseFlags(args, getenv("PWD"))
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
			return &tool.Env{Workspace: w, Spawner: spawner, Environ: env}, err
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

// parseFlags reads "scaiflux serve …".
func parseFlags(args []string, dir string) (Flags, error) {
	var f Flags
	var mode string
	set := flag.NewFlagSet("serve", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&f.Model, "model", "", "")
	set.StringVar(&f.Model, "m", "", "")
	set.IntVar(&f.MaxTokens, "max-tokens", 0, "")
	set.StringVar(&f.Workspace, "workspace", dir, "")
	set.StringVar(&mode, "permission-mode", string(approval.FullAccess), "")
	set.IntVar(&f.MaxIterations, "max-iterations", 0, "")
	set.StringVar(&f.Resume, "resume", "", "")
	if err := set.Parse(args[2:]); err != nil {
		return f, err
	}
	if !filepath.IsAbs(f.Workspace) {
		f.Workspace = filepath.Join(dir, f.Workspace)
	}
	var err error
	f.Mode, err = approval.ParseMode(mode)
	return f, err
}

// scripted is the models of a transcript: its script, the demo, and the names of models
// that there is a key for, which no transcript asks anything.
type scripted struct {
	getenv func(string) string
	play   func() (*offline.Player, error) // loads the script once; its answers are used up
}

func newScripted(getenv func(string) string) *scripted {
	return &scripted{getenv, sync.OnceValues(func() (*offline.Player, error) {
		script, err := offline.Load(getenv("PARLEY_OFFLINE_SCRIPT"))
		if err != nil {
			return nil, err
		}
		return script.Provider(), nil
	})}
}

func (s *scripted) Default() string { return "offline/script" }

func (s *scripted) Names() []string { return []string{"offline/demo", "offline/script"} }

func (s *scripted) Discover(context.Context) []engine.Offer { return nil }

func (s *scripted) Resolve(name string) (engine.Model, error) {
	provider, id, _ := strings.Cut(cmp.Or(name, "offline/script"), "/")
	m := engine.Model{Info: catalog.Lookup(provider, id)}
	switch {
	case provider == "openai" && s.getenv("OPENAI_API_KEY") != "":
		return m, nil
	case provider+"/"+id == "offline/demo":
		m.Provider = offline.Demo()
		return m, nil
	case provider+"/"+id == "offline/script":
		player, err := s.play()
		m.Provider = player
		return m, err
	}
	return m, &model.Error{Kind: model.NotConfigured, Provider: provider, Message: fmt.Sprintf("no provider is configured for model %q", name)}
}
