package scaiflux

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model/catalog"
)

// serveInProcess returns the serve command without a process: real tools and a real journal,
// and the offline models only.
func serveInProcess(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	f, err := parseFlags(args, dialecttest.Getenv(env)("PWD"))
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	p, err := dialecttest.Open(env, stderr)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return dialect.ExitFailed
	}
	defer p.Close()
	host := engine.NewHost(p.Config(newScripted(p.Getenv), nil))
	return Serve(context.WithoutCancel(ctx), Config{
		Host: host, In: stdin, Out: stdout, Log: p.Log, Version: "0.0.0-test", Flags: f, Stop: ctx.Done(),
	})
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
	set.Visit(func(given *flag.Flag) { f.SetMode = f.SetMode || given.Name == "permission-mode" })
	f.Mode, err = approval.ParseMode(mode)
	return f, err
}

// scripted is the offline models, and the names of those that there is a key for, which no
// test asks anything.
type scripted struct {
	dialecttest.Models
	key bool
}

func newScripted(getenv func(string) string) scripted {
	return scripted{dialecttest.NewModels(getenv), getenv("OPENAI_API_KEY") != ""}
}

func (s scripted) Default() string { return "offline/script" }

func (s scripted) Resolve(name string) (engine.Model, error) {
	name = cmp.Or(name, s.Default())
	if provider, id, _ := strings.Cut(name, "/"); provider == "openai" && s.key {
		return engine.Model{Info: catalog.Lookup(provider, id)}, nil
	}
	return s.Models.Resolve(name)
}
