package loaf

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
	"parley.dev/parley/internal/signin"
	"parley.dev/parley/internal/skill"
	"parley.dev/parley/internal/tool"
)

// serveInProcess is the loaf command without a process: real tools, skills, keys and
// journal, and the offline models only. Sign-in is in; nil: none that is configured.
func serveInProcess(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string, in SignIn) int {
	getenv := lookupIn(env)
	f, err := parseFlags(args[1:], getenv)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	home := getenv("PARLEY_HOME")
	store, err := file.Open(home, file.Options{})
	if err != nil {
		fmt.Fprintln(stderr, err)
		return ExitInternal
	}
	defer store.Close()
	spawner := sandbox.NewSpawner(sandbox.Options{})
	defer spawner.Close()
	log := slog.New(slog.NewTextHandler(stderr, nil))
	if in == nil {
		secrets := signin.NewStore(signin.StoreOptions{Folder: filepath.Join(home, "secrets"), File: true})
		manager := signin.New(signin.Options{Store: secrets})
		defer manager.Close()
		in = door{manager}
	}
	skills := shelf{getenv("HOME"), home}
	host := engine.NewHost(engine.Config{
		Store: store, Models: newScripted(getenv), Tools: tool.ByName, Log: log,
		Env: func(workspace string) (*tool.Env, error) {
			w, err := tool.OpenWorkspace(workspace, home)
			if err != nil {
				return nil, err
			}
			return &tool.Env{
				Workspace: w, Spawner: spawner, Environ: env, Background: tool.NewBackground(), Shell: tool.NewShellState(),
				Skills: func() []skill.Skill { _, found, _ := skills.find(w.Dir()); return found },
			}, nil
		},
	})
	return Serve(context.WithoutCancel(ctx), Config{
		Host: host, In: stdin, Out: stdout, Log: log, Version: "0.0.0-test", Flags: f, SignIn: in,
		Settings: ReadSettings(filepath.Join(home, "loaf.json"), log),
		Skills:   skills.list, Mentioned: skills.mentioned, Catalogue: skills.catalogue,
		Stop: ctx.Done(), Signal: func() string { return ChangedTerminated },
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

// parseFlags reads what stands behind "parley loaf".
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

// A shelf is where skills are.
type shelf struct{ home, state string }

func (s shelf) find(dir string) (roots []string, found []skill.Skill, errs []string) {
	roots = skill.Places{Dir: dir, Home: s.home, State: s.state}.Roots()
	found, errs = skill.Find(roots)
	return roots, found, errs
}

func (s shelf) list(dir string) SkillsResult {
	roots, found, errs := s.find(dir)
	result := SkillsResult{Directories: roots, Errors: append([]string{}, errs...), Skills: []Skill{}}
	for _, one := range found {
		result.Skills = append(result.Skills, Skill{one.Name, one.Description, one.Preview, one.Path()})
	}
	return result
}

func (s shelf) mentioned(dir, prompt string) (names []string, text string) {
	_, found, _ := s.find(dir)
	for _, one := range skill.Mentioned(prompt, found) {
		body, err := one.Text()
		if err != nil {
			continue
		}
		names = append(names, one.Name)
		text += body + "\n\n"
	}
	return names, text
}

func (s shelf) catalogue(dir string) string {
	_, found, _ := s.find(dir)
	return skill.Catalogue(found)
}

// scripted is the models of a test: its script, the demo, and those of openai when there is
// a key, which answer from the script too.
type scripted struct {
	name string // of the default model
	key  bool
	play func() (*offline.Player, error) // loads the script once; its answers are used up
}

func newScripted(getenv func(string) string) scripted {
	return scripted{cmp.Or(getenv("PARLEY_MODEL"), "offline/demo"), getenv("OPENAI_API_KEY") != "", sync.OnceValues(func() (*offline.Player, error) {
		script, err := offline.Load(getenv("PARLEY_OFFLINE_SCRIPT"))
		if err != nil {
			return nil, err
		}
		return script.Provider(), nil
	})}
}

func (s scripted) Default() string { return s.name }

func (s scripted) Names() []string {
	names := []string{"offline/demo", "offline/script"}
	for _, info := range catalog.All() {
		if s.key && info.Provider == "openai" {
			names = append(names, "openai/"+info.ID)
		}
	}
	return names
}

func (s scripted) Discover(context.Context) []engine.Offer {
	var offers []engine.Offer
	for _, name := range append([]string{"offline/script"}, s.Names()...) {
		if len(offers) > 0 && name == offers[0].Name {
			continue
		}
		m, _ := s.Resolve(name)
		offers = append(offers, engine.Offer{Name: name, Info: m.Info})
	}
	return offers
}

func (s scripted) Resolve(name string) (engine.Model, error) {
	provider, id, _ := strings.Cut(cmp.Or(name, s.name), "/")
	m := engine.Model{Info: catalog.Lookup(provider, id)}
	if provider == "offline" {
		m.Info = model.Info{ID: id, Provider: provider, Name: provider + "/" + id, ContextWindow: catalog.DefaultContextWindow, MaxOutput: catalog.DefaultMaxOutput, Known: true}
	}
	switch {
	case provider == "offline" && id == "demo":
		m.Provider = offline.Demo()
		return m, nil
	case provider == "offline" && id == "script", provider == "openai" && s.key:
		player, err := s.play()
		m.Provider = player
		return m, err
	}
	return m, &model.Error{Kind: model.NotConfigured, Provider: provider, Message: fmt.Sprintf("no provider is configured for model %q", name)}
}
