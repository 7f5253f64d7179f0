package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/approval/grantfile"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/extension"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/mcp"
	"parley.dev/parley/internal/mcp/oauth"
	"parley.dev/parley/internal/provider"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/signin"
	"parley.dev/parley/internal/skill"
	"parley.dev/parley/internal/subagent/definition"
	"parley.dev/parley/internal/subagent/worktree"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/wire"
)

// An app is the program's parts put together.
type app struct {
	settings config.Config
	models   *provider.Registry
	store    *file.Store
	spawner  *sandbox.Spawner
	mcp      *mcp.Pool
	signin   *signin.Manager
	// serverSignIn is the sign-ins to tool servers.
	serverSignIn *oauth.Manager
	searcher     tool.Searcher // nil: there is no web search
	host         *engine.Host
	agents       definition.Places // Project holds names of folders in the project
	trees        *worktree.Manager
	// hidden are folders of each workspace that file tools treat as outside, relative to it.
	hidden   []string
	warnHome sync.Once
	// warnedProjects is files of projects that were warned of, by path.
	warnedProjects sync.Map
	sweeping       sync.WaitGroup // what killed processes have left is removed
	// extensions is those of the session that is served; nil: there are none.
	extensions atomic.Pointer[extension.Host]
	log        *slog.Logger
	stderr     *wire.Log
}

// logDepth is how many lines of log wait for a reader of stderr before they are dropped.
const logDepth = 1024

// newApp reads the settings and wires the rooms; nothing is opened before it is needed.
func newApp() (*app, error) {
	settings, err := config.Load(os.Getenv)
	if err != nil {
		return nil, err
	}
	return assemble(settings)
}

func assemble(settings config.Config) (*app, error) {
	a := &app{settings: settings, stderr: wire.NewLog(os.Stderr, logDepth)}
	var err error
	if a.settings.Home, err = filepath.Abs(settings.Home); err != nil {
		return nil, fmt.Errorf("state folder: %w", err)
	}
	if a.searcher, err = settings.Searcher(os.Getenv); err != nil {
		return nil, err
	}
	a.log = slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: settings.LogLevel()}))
	if err := config.GuardState(a.settings.Home); err != nil {
		return nil, err
	}
	store, err := file.Open(a.settings.Home, file.Options{})
	if err != nil {
		return nil, fmt.Errorf("open state folder: %w", err)
	}
	a.store = store
	secrets := newSecrets(settings.Settings)
	a.signin = newSignIn(settings.Settings, secrets)
	a.serverSignIn = oauth.New(oauth.Options{Store: secrets, Version: version, Private: settings.PrivateNetwork})
	a.models = provider.New(provider.Options{
		Settings: settings.Settings, Getenv: os.Getenv, SignIn: a.signin,
		Windows: filepath.Join(a.settings.Home, "windows.json"), Warn: func(text string) { a.log.Warn(text) },
	})
	if err := hideEnviron(a.environ()); err != nil {
		a.log.Debug("keys stay in what the system shows of this process's environment", "error", err)
	}
	a.spawner = sandbox.NewSpawner(sandbox.Options{Sandbox: sandbox.Choice(settings.Sandbox), Grace: settings.Grace})
	a.trees = worktree.New(worktree.Options{Root: filepath.Clean(a.settings.Home) + ".trees", Spawner: a.spawner, Environ: a.environ(), Trusts: a.settings.Trusts})
	a.mcp = mcp.New(mcp.Options{Spawner: a.spawner, Environ: a.environ(), Log: a.log, Version: version, SignIn: a.serverSignIn})
	hooks, err := a.hooks()
	if err != nil {
		return nil, err
	}
	limits, _ := settings.Budget.Limits() // they are checked
	taskLimits, _ := settings.Budget.Task.Limits()
	subagentLimits, _ := settings.Budget.Subagent.Limits()
	a.host = engine.NewHost(engine.Config{
		Budget: engine.NewBudget(limits), Tasks: taskSettings(settings.Subagents), TaskLimits: taskLimits, SubagentLimits: subagentLimits, CountResumed: settings.Budget.CountResumed,
		Store: store, Models: a.models, Describe: a.models.Describe, Tools: a.tools(), Env: a.env, Connect: a.connect, Defer: deferral(settings.MCPDeferAbove), Hooks: hooks, Log: a.log,
		Granted:          a.granted(grantfile.New(grantfile.Options{Folder: a.settings.Home})),
		Changes:          a.trees.Changes,
		UserInstructions: filepath.Join(config.Folder(os.Getenv), "AGENTS.md"),
	})
	return a, nil
}

// granted is what may always be done in a workspace. What cannot be read grants nothing.
func (a *app) granted(stored *grantfile.Store) func(workspace string) []approval.Grant {
	return func(workspace string) []approval.Grant {
		list, err := stored.Load(workspace)
		if err != nil {
			a.log.Warn("stored grants do not count", "error", err)
		}
		return list
	}
}

// env is the surroundings of a session's tool calls. State and configuration are out of their
// reach even when they lie in the workspace.
func (a *app) env(workspace string) (*tool.Env, error) {
	w, err := tool.OpenWorkspace(workspace, a.private(workspace)...)
	if err != nil {
		return nil, err
	}
	if w.InHome() {
		a.warnHome.Do(func() {
			a.log.Warn("the workspace is or contains your home folder: commands and edits can change all files in it except start-up files, keys and "+
				"settings of known programs; use the folder of a project", "workspace", w.Dir())
		})
	}
	return &tool.Env{
		Workspace: w, Spawner: a.spawner, Environ: a.environ(), Searcher: a.searcher, PrivateNetwork: a.settings.PrivateNetwork,
		Background: tool.NewBackground(), Shell: tool.NewShellState(a.secrets()...),
		Skills: func() []skill.Skill {
			found, _ := skill.Find(a.skillPlaces(w.Dir()).Roots())
			return found
		},
	}, nil
}

// environ is the environment of children, without secrets.
func (a *app) environ() []string {
	base, secrets := os.Environ(), a.secrets()
	return tool.Pass(tool.Environ(base, secrets...), base, a.settings.PassVariables, secrets...)
}

// secrets is every key that is known.
func (a *app) secrets() []string {
	secrets := a.models.Secrets()
	if key := os.Getenv(a.settings.Search.APIKeyEnv); a.settings.Search.APIKeyEnv != "" && key != "" {
		secrets = append(secrets, key)
	}
	return secrets
}

// close ends whatever still runs. Sessions are closed by those who opened them.
func (a *app) close() {
	a.signin.Close()
	a.sweeping.Wait()
	a.mcp.Close()
	a.serverSignIn.Close()
	a.spawner.Close()
	_ = a.store.Close()
	a.stderr.Close(time.Second)
}
