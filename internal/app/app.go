package app

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
	"parley.dev/parley/internal/backend/drivers"
	"parley.dev/parley/internal/cluster/peer"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/legacy"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/extension"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/mcp"
	"parley.dev/parley/internal/mcp/oauth"
	"parley.dev/parley/internal/model/cassette"
	"parley.dev/parley/internal/model/offline"
	"parley.dev/parley/internal/program"
	"parley.dev/parley/internal/provider"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/signin"
	"parley.dev/parley/internal/skill"
	"parley.dev/parley/internal/subagent/definition"
	"parley.dev/parley/internal/subagent/worktree"
	"parley.dev/parley/internal/tempdir"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/shell"
	"parley.dev/parley/internal/tool/workspace"
	"parley.dev/parley/internal/wire"
)

// An App is the parts of the program put together. Close it.
type App struct {
	Settings     config.Config
	Log          *slog.Logger
	Store        journal.Store
	StoreAddress config.StoreAddress
	Member       peer.Member // of the store's namespace; nil: the store is no shared one
	Models       *provider.Registry
	AllModels    *drivers.Models // Models, and those of back ends
	Accounts     *signin.Manager // sign-ins to providers, and keys that users gave
	ServerSignIn *oauth.Manager  // sign-ins to tool servers
	Spawner      *sandbox.Spawner
	Temp         *tempdir.Folder // for files of this process that commands must not write
	MCP          *mcp.Pool
	Searcher     tool.Searcher // nil: there is no web search
	Host         *engine.Host

	Skills skill.Choice // what of the skills is used

	// Agents are further folders of agents; those of Project are names of folders in the project.
	Agents definition.Places
	// Hidden are paths in each workspace that file tools treat as outside, relative to it.
	Hidden []string

	storeMetrics   MetricWriter // nil: the store is no shared one
	exporter       Exporter     // nil: nothing is exported
	version        string
	credentials    []string // of other agents, below the home folder
	getenv         func(string) string
	stderr         *wire.Log // nil: the log has a reader of its own
	Backends       *drivers.Drivers
	trees          *worktree.Manager
	extensions     atomic.Pointer[extension.Host] // of the session that is served; nil: there are none
	warnHome       sync.Once
	warnedProjects sync.Map       // the paths of files of projects that were warned of
	sweeping       sync.WaitGroup // what killed processes have left is removed
}

// logDepth is how many lines of log wait for a reader of stderr before they are dropped.
const logDepth = 1024

// Options are what an App has besides the configuration.
type Options struct {
	Parts       Parts
	Version     string          // of the program; sent to tool servers
	Sharing     *engine.Sharing // of sessions by several clients; nil: each client has sessions of its own
	Credentials []string        // files and folders below the home folder in which other agents store keys
	Script      *offline.Script // what the model offline/script plays; nil: the file of the settings

	// KeepHostID is set where the process is the host of the state folder: in a shared store it has the id of that host
	// again when it is started again.
	KeepHostID bool
	// StoreRole is the role of a shared store whose rights are needed, see package address; "": that of a host.
	StoreRole string
	// Rebuilding is called while a list of sessions in files has to read all of them; see file.Options.
	Rebuilding func(done, total int)
	// Getenv returns the variables that keys and settings of providers are in; nil: os.Getenv.
	Getenv func(string) string
	// Embedded is set where the process is another program's: what the system shows of its environment stays as it is.
	Embedded bool
	// Log is for what users should know; nil: stderr.
	Log *slog.Logger
}

// New puts the program together for these settings. It opens the state folder; everything else is opened when it is
// needed.
func New(settings config.Config, o Options) (*App, error) {
	a := &App{Settings: settings, version: o.Version, credentials: o.Credentials, getenv: orProcess(o.Getenv), Log: o.Log}
	err := o.Parts.Check(settings.Settings, a.getenv)
	if err != nil {
		return nil, err
	}
	if a.Searcher, err = settings.Searcher(a.getenv); err != nil {
		return nil, err
	}
	if err := a.openState(o); err != nil {
		return nil, err
	}
	if a.Log == nil {
		a.stderr = wire.NewLog(os.Stderr, logDepth)
		a.Log = slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: settings.LogLevel()}))
	}
	a.addTelemetry(o.Parts)
	if err := a.addModels(o.Script); err != nil {
		return nil, err
	}
	if !o.Embedded {
		if err := hideEnviron(a.Environ()); err != nil {
			a.Log.Debug("keys stay in what the system shows of this process's environment", "error", err)
		}
	}
	a.addPrograms()
	if err := a.addHost(o.Sharing); err != nil {
		return nil, err
	}
	return a, nil
}

// openState opens the state folder, and the store.
func (a *App) openState(o Options) (err error) {
	if a.Settings.Home, err = filepath.Abs(a.Settings.Home); err != nil {
		return fmt.Errorf("state folder: %w", err)
	}
	if err := config.GuardState(a.Settings.Home); err != nil {
		return err
	}
	return a.openStore(o)
}

// addModels adds what calls models, and the sign-ins that this needs.
func (a *App) addModels(script *offline.Script) error {
	secrets := Secrets(a.Settings.Settings)
	a.Accounts = Accounts(a.Settings.Settings, secrets)
	a.ServerSignIn = oauth.New(oauth.Options{Store: secrets, Version: a.version, Private: a.Settings.PrivateNetwork})
	a.Models = provider.New(provider.Options{
		Settings: a.Settings.Settings, Getenv: a.getenv, SignIn: a.Accounts, Script: script,
		Windows: filepath.Join(a.Settings.Home, "windows.json"), Warn: func(text string) { a.Log.Warn(text) },
	})
	if a.Settings.Record == "" {
		return nil
	}
	recorder, err := cassette.NewRecorder(a.Settings.Record, a.secrets, func(err error) { a.Log.Error("answers are no longer recorded", "error", err) })
	a.Models.Record(recorder)
	return err
}

// addPrograms adds what starts other programs.
func (a *App) addPrograms() {
	environ := a.Environ()
	approval.SetOpaque(shell.IsPowerShell())
	a.addSpawner()
	a.guardCommands()
	a.Backends = &drivers.Drivers{Settings: a.Settings.Settings, Getenv: a.getenv, Spawner: a.Spawner, Version: a.version, Log: a.Log}
	a.AllModels = a.Backends.Models(a.Models)
	a.trees = worktree.New(worktree.Options{
		Root: a.TreesFolder(), Spawner: a.Spawner, Environ: environ, Trusts: a.Settings.Trusts,
	})
	a.MCP = mcp.New(mcp.Options{Spawner: a.Spawner, Environ: environ, Log: a.Log, Version: a.version, SignIn: a.ServerSignIn})
}

// addSpawner adds what starts processes, and the folder of this process's own files.
func (a *App) addSpawner() {
	home, err := workspace.RealPath(a.Settings.Home)
	if err != nil {
		home = a.Settings.Home
	}
	temp := filepath.Join(home, "tmp")
	program.Distrust(a.copies()...)
	hidden, readable := a.hidden()
	a.Spawner = sandbox.NewSpawner(sandbox.Options{
		Sandbox: sandbox.Choice(a.Settings.Sandbox), Grace: a.Settings.Grace, Hidden: hidden, Readable: readable, Temp: temp,
	})
	a.Temp = tempdir.New(filepath.Join(temp, a.Spawner.TempName("process")))
}

// addHost adds the engine.
func (a *App) addHost(sharing *engine.Sharing) error {
	hooks, err := a.hooks()
	if err != nil {
		return err
	}
	budget := a.Settings.Budget
	var plan engine.BudgetPlan
	plan.Limits, _ = budget.Limits() // they are checked
	plan.Task, _ = budget.Task.Limits()
	plan.Subagent, _ = budget.Subagent.Limits()
	a.Host = engine.NewHost(engine.Config{
		Log: a.Log, Store: a.Store, Models: a.AllModels, Sharing: sharing, Describe: a.AllModels.Describe,
		Tools: a.tools(), Env: a.Env, Connect: a.connect, Defer: deferral(a.Settings.MCPDeferAbove), Hooks: hooks,
		Grants: grantfile.New(grantfile.Options{Folder: a.Settings.Home}),
		Budget: engine.NewBudget(plan), CountResumed: budget.CountResumed,
		Tasks:     taskSettings(a.Settings.Subagents),
		Changes:   a.trees.Changes,
		Snapshots: true,
		Backend:   a.Settings.Backend, OpenedBackend: a.Settings.BackendFlag, Backends: a.Backends.Backend, AgentLimits: a.Backends.Limits, BackendOf: a.Backends.BackendOf, BackendModel: a.Backends.ModelOf,
		BackendNames: a.Backends.Names, BackendOffers: a.Backends.Offers, AwaitOffers: a.AllModels.Await,
		Servers: a.servers, Price: provider.Price,
		ApproveAll:       legacy.ApproveAll(),
		UserInstructions: filepath.Join(config.Folder(a.getenv), "AGENTS.md"),
		Opened:           a.opened(),
	})
	return nil
}

// Close ends whatever still runs. Sessions are closed by the callers that opened them.
func (a *App) Close() {
	if a.exporter != nil {
		a.exporter.Close()
	}
	a.Accounts.Close()
	a.sweeping.Wait()
	a.Backends.Close()
	a.MCP.Close()
	a.ServerSignIn.Close()
	a.Spawner.Close()
	if err := a.Temp.Close(); err != nil {
		a.Log.Warn("temporary files are left", "error", err)
	}
	_ = a.Store.Close()
	if a.stderr != nil {
		a.stderr.Close(time.Second)
	}
}
