package flint

import (
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
	"parley.dev/parley/internal/tool"
)

// serveInProcess returns the flint command without a process: real tools, tool servers, sandbox
// and journal, and the offline models only.
func serveInProcess(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	return serveConfigured(nil)(ctx, args, stdin, stdout, stderr, env)
}

// serveConfigured is serveInProcess with a host that configure, if not nil, has changed.
func serveConfigured(configure func(*engine.Config) func(*engine.Host)) dialecttest.Server {
	return func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
		return serveHost(ctx, args, stdin, stdout, stderr, env, configure)
	}
}

func serveHost(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string, configure func(*engine.Config) func(*engine.Host)) int {
	f, err := parseFlags(args[1:], dialecttest.Getenv(env)("PWD"))
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
	config := p.Config(scripted{dialecttest.NewModels(p.Getenv)}, func(e *tool.Env) { e.PrivateNetwork = true })
	use := func(*engine.Host) {}
	if configure != nil {
		use = configure(&config)
	}
	host := engine.NewHost(config)
	use(host)
	return Serve(context.WithoutCancel(ctx), Config{
		Host: host, In: stdin, Out: stdout, Log: p.Log, Version: "0.0.0-test", Flags: f, Stop: ctx.Done(),
	})
}

// parseFlags reads what stands after "parley flint".
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
type scripted struct{ dialecttest.Models }

func (s scripted) Discover(context.Context) []engine.Offer {
	return dialecttest.Offers(s, s.Names()...)
}

func (s scripted) Resolve(name string) (engine.Model, error) {
	if provider, id, ok := strings.Cut(name, "/"); ok && (provider == "openai" || provider == "anthropic" || provider == "local") {
		player, err := s.Script()
		return engine.Model{Info: catalog.Lookup(provider, id), Provider: player, Open: provider == "local"}, err
	}
	return s.Models.Resolve(name)
}
