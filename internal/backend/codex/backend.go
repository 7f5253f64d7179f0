package codex

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// Options are how an agent is started.
type Options struct {
	Name    string // in the configuration, such as codex
	Program func(o backend.Opening) (backend.Program, error)
	Config  map[string]jsontext.Value // of -c: strings, numbers, booleans and lists, by name
	// OwnRules has the agent ask as its own configuration says, and not before each command and change.
	OwnRules bool
	Version  string // of this program
	// StartLimit is how long the agent may take until a session can be used; 0: 30 s. Silence is how long it may say nothing
	// in a turn; 0: 10 minutes. EndLimit is how long it may be idle before it reports the end of a turn; 0: 5 s.
	StartLimit, Silence, EndLimit time.Duration
}

// endLimit is the default of Options.EndLimit.
const endLimit = 5 * time.Second

// A Backend starts the agents of one configuration.
type Backend struct{ o Options }

// New returns a Backend, which starts nothing yet.
func New(o Options) *Backend {
	o.StartLimit = cmp.Or(o.StartLimit, backend.StartLimit)
	o.Silence = cmp.Or(o.Silence, backend.Silence)
	o.EndLimit = cmp.Or(o.EndLimit, endLimit)
	return &Backend{o}
}

// Open implements backend.Backend.
func (b *Backend) Open(ctx context.Context, o backend.Opening) (backend.Agent, error) {
	program, err := b.o.Program(o)
	if err != nil {
		return nil, &backend.Error{Backend: b.o.Name, Code: backend.CodeStart, Message: err.Error()}
	}
	program.Args = append(slices.Clone(program.Args), b.arguments()...)
	process, err := backend.Start(program)
	if err != nil {
		return nil, err
	}
	a := &agent{
		backend: b, conn: rpc.New(process, rpc.Options(false), refuse), process: process, roots: o.Roots,
		confined: program.Confine.Level != sandbox.Full, noted: map[string]bool{},
	}
	if err := a.conn.Begin(ctx, b.o.StartLimit, func(within context.Context) error { return a.begin(within, o) }); err != nil {
		return nil, err
	}
	return a, nil
}

// arguments returns the arguments of the program for the configuration. Goals would make the agent go on by itself.
func (b *Backend) arguments() (args []string) {
	config := map[string]jsontext.Value{"features.goals": jsontext.Value("false")}
	maps.Copy(config, b.o.Config)
	for _, name := range slices.Sorted(maps.Keys(config)) {
		args = append(args, "-c", name+"="+string(config[name])) // such values mean the same in TOML
	}
	return args
}

// begin shakes hands, and begins or resumes a thread.
func (a *agent) begin(ctx context.Context, o backend.Opening) error {
	var hello initializeResult
	err := a.conn.Call(ctx, "initialize", initializeParams{
		ClientInfo: clientInfo{"parley", "Parley", a.backend.o.Version}, Capabilities: capabilities{ExperimentalAPI: true},
	}, &hello)
	if err != nil {
		return a.refused("initialize", err)
	}
	if hello.UserAgent == "" {
		return a.process.Failure(backend.CodeProtocol, "its answer to initialize has no userAgent: it is not an app-server of codex")
	}
	a.info = backend.Info{
		Program: "codex", Version: versionOf(hello.UserAgent), Images: true, Resumes: true, Steers: true, Compacts: true, Forks: true, Unpriced: true,
	}
	if err := a.conn.Notify("initialized", nil); err != nil {
		return a.refused("initialized", err)
	}
	if err := a.openThread(ctx, o); err != nil {
		return err
	}
	return a.set(ctx, o.Settings)
}

// versionOf returns the version in a user agent; "": there is none.
func versionOf(userAgent string) string {
	_, rest, _ := strings.Cut(userAgent, "/")
	version, _, _ := strings.Cut(rest, " ")
	return version
}

// refused returns the error of a request that the agent has refused.
func (a *agent) refused(method string, err error) error {
	if failed, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return a.process.Failure(backend.CodeRefused, method+" is refused: "+failed.Message)
	}
	return err
}
