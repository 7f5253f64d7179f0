package loaf

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model/catalog"
	"parley.dev/parley/internal/signin"
	"parley.dev/parley/internal/skill"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/shell"
)

// serveInProcess returns the loaf command without a process: real tools, skills, keys and
// journal, and the offline models only. Sign-in is in; nil: none that is configured.
func serveInProcess(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string, in SignIn) int {
	return withConfig(ctx, args, stdin, stdout, stderr, env, in, Serve)
}

// withConfig calls serve with the configuration of a process.
func withConfig(
	ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string, in SignIn, serve func(context.Context, Config) int,
) int {
	f, err := parseFlags(args[1:], dialecttest.Getenv(env))
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	p, err := dialecttest.Open(env, stderr)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return dialect.ExitInternal
	}
	defer p.Close()
	home := p.Getenv("PARLEY_HOME")
	if in == nil {
		secrets := signin.NewStore(signin.StoreOptions{Folder: filepath.Join(home, "secrets"), File: true})
		manager := signin.New(signin.Options{Store: secrets})
		defer manager.Close()
		in = door{manager}
	}
	places := func(dir string) skill.Places { return skill.Places{Dir: dir, Home: p.Getenv("HOME"), State: home} }
	host := engine.NewHost(p.Config(newScripted(p.Getenv), func(e *tool.Env) {
		e.Shell = shell.NewState()
		e.Skills = func() []skill.Skill { found, _ := skill.Find(places(e.Workspace.Dir()).Roots()); return found }
	}))
	return serve(context.WithoutCancel(ctx), Config{
		Host: host, In: stdin, Out: stdout, Log: p.Log, Version: "0.0.0-test", Flags: f, SignIn: in,
		Settings: ReadSettings(filepath.Join(home, "loaf.json"), p.Log),
		Skills:   func() skill.Places { return places(f.Cwd) },
		Stop:     ctx.Done(), Signal: func() string { return ChangedTerminated },
	})
}

// parseFlags reads what stands after "parley loaf".
func parseFlags(args []string, getenv func(string) string) (Flags, error) {
	f := Flags{Cwd: getenv("PWD"), Home: getenv("HOME")}
	set := flag.NewFlagSet("loaf", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar((*string)(&f.Format), "events", cmp.Or(getenv("LOAF_RPC_EVENTS"), string(FormatFlat)), "")
	set.StringVar((*string)(&f.Sandbox.Kind), "sandbox", string(approval.SandboxNone), "")
	if len(args) == 0 || args[0] != "rpc" {
		return f, fmt.Errorf("want rpc, got %q", args)
	}
	return f, set.Parse(args[1:])
}

// A door is sign-in where no issuer is configured; it keeps keys.
type door struct{ manager *signin.Manager }

func (d door) Connect(context.Context, AuthMode, string, func(string, any)) (AuthMode, func() (*string, error), error) {
	return "", nil, fmt.Errorf("%w: set signin.issuer and signin.client_id", ErrNotConfigured)
}

func (d door) SignedIn() bool { return d.manager.SignedIn() }

func (d door) HasKey(name string) bool {
	key, err := d.manager.Key(name)
	return err == nil && key != ""
}

func (d door) SetKey(name, key string) error { return d.manager.SetKey(name, key) }

func (d door) DeleteKey(name string) error                      { return d.manager.DeleteKey(name) }
func (d door) Count(context.Context) (int, string)              { return 0, "fallback" }
func (d door) Routes(context.Context, string) ([]string, error) { return []string{}, nil }
func (d door) Forget() error {
	if err := d.DeleteKey("openrouter"); err != nil {
		return err
	}
	return d.DeleteKey("exa")
}

// scripted is the offline models, and those of openai when there is a key, which answer from
// the script too.
type scripted struct {
	dialecttest.Models
	key bool
}

func newScripted(getenv func(string) string) scripted {
	return scripted{dialecttest.NewModels(getenv), getenv("OPENAI_API_KEY") != ""}
}

func (s scripted) Names() []string {
	names := s.Models.Names()
	if s.key {
		for id := range catalog.IDs("openai") {
			names = append(names, "openai/"+id)
		}
	}
	return names
}

func (s scripted) Discover(context.Context) []engine.Offer {
	names := slices.DeleteFunc(s.Names(), func(name string) bool { return name == "offline/script" })
	return dialecttest.Offers(s, append([]string{"offline/script"}, names...)...)
}

func (s scripted) Resolve(name string) (engine.Model, error) {
	name = cmp.Or(name, s.Default())
	if provider, id, _ := strings.Cut(name, "/"); provider == "openai" && s.key {
		player, err := s.Script()
		return engine.Model{Info: catalog.Lookup(provider, id), Provider: player}, err
	}
	return s.Models.Resolve(name)
}
