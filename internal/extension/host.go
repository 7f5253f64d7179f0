package extension

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/wire"
)

// Options are the options of a Host.
type Options struct {
	Spawner *sandbox.Spawner // it must outlive the Host
	Environ []string         // "NAME=value", free of secrets
	State   string           // folder of the program's own state: the code of the process is put there
	Runtime string           // Node.js or Bun: a name or an absolute path; "": what is found on PATH
	Dir     string           // where extensions work, absolute
	Limits  Limits
	Log     *slog.Logger // default: discard
}

// Limits are how long things may take; 0 is the default. The time that a user needs to
// answer an extension does not count.
type Limits struct {
	Start    time.Duration // until the process answers: 30 s
	Load     time.Duration // of one module: 30 s
	Handler  time.Duration // of an event: 30 s
	Silence  time.Duration // of a process that runs a tool or a command, and shows no sign of life: 5 min
	Shutdown time.Duration // of all that extensions do at the end: 1 s
}

func (l Limits) orDefault() Limits {
	return Limits{
		Start: cmp.Or(l.Start, 30*time.Second), Load: cmp.Or(l.Load, 30*time.Second), Handler: cmp.Or(l.Handler, 30*time.Second),
		Silence: cmp.Or(l.Silence, 5*time.Minute), Shutdown: cmp.Or(l.Shutdown, time.Second),
	}
}

// A Session is what extensions see and do. Its methods are called by several goroutines, and
// with no lock held. Results are values with a JSON form; an error is sent to the extension.
type Session interface {
	// Query answers a synchronous request. The extensions are blocked meanwhile, so it must not wait for
	// anything that they have a part in.
	Query(what string, params jsontext.Value) (any, error)
	// Notify does something that nothing waits for, in the order of the requests. It
	// returns soon: nothing else is read from extensions before.
	Notify(what string, params jsontext.Value)
	// Handle does something that is waited for, until ctx ends: the extension cancels it, or has ended.
	Handle(ctx context.Context, what string, params jsontext.Value) (any, error)
	// Failed is called with what went wrong.
	Failed(Failure)
}

// A Failure is an error of an extension, or its end.
type Failure struct {
	Path    string // of its module; "command:NAME" for that command
	Event   string // what it was doing: the name of an event, "load", "command", "host" …
	Problem string
}

// A Registered is what extensions have brought, in the order in which they were loaded.
type Registered struct {
	Tools    []RegisteredTool    `json:"tools"`
	Commands []RegisteredCommand `json:"commands"`
	Flags    []RegisteredFlag    `json:"flags"`
	Events   []string            `json:"events"` // that an extension listens to
	Paths    []string            `json:"paths"`  // of the modules that were loaded
}

// What is registered. Path is that of the module.
type (
	RegisteredTool struct {
		Name        string         `json:"name"`
		Label       string         `json:"label"`
		Description string         `json:"description"`
		Parameters  jsontext.Value `json:"parameters"` // JSON Schema
		Hidden      bool           `json:"hidden"`
		Inactive    bool           `json:"inactive"` // at the beginning
		Path        string         `json:"path"`
	}
	RegisteredCommand struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Path        string `json:"path"`
	}
	RegisteredFlag struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Type        string `json:"type"` // boolean or string
		Path        string `json:"path"`
	}
)

// errGone is that there is no process of extensions, or no more.
var errGone = errors.New("the process of the extensions is gone")

// A Host is the process in which extensions run, and what is known of them. It is safe for
// use by several goroutines.
type Host struct {
	options Options
	session Session
	log     *slog.Logger

	process  *sandbox.Process
	kill     context.CancelCauseFunc
	out      *wire.Outbox
	toHost   *os.File
	crew     sync.WaitGroup // what reads from the process, and watches it
	gone     chan struct{}  // closed when it has ended, and end is set
	ready    chan struct{}  // closed at its first message
	line     chan struct{}  // room for one: a line was read
	answered chan struct{}  // room for one: a request was answered
	life     context.Context
	die      context.CancelFunc

	mu         lock.Mutex
	serial     int64
	waiting    map[int64]*pendingCall
	requests   map[int64]context.CancelFunc // of extensions, that are being handled
	registered Registered
	lines      int64  // that were read
	loading    string // the module that is being read; "": none
	heard      time.Time
	closing    bool
	why        string // it was killed; "": it ended by itself
	runtime    string
}

// Start loads modules, in a process that ends with Close. What does not load is reported as a
// Failure and left out; the error is why there is no process at all. Without modules there
// is nothing to start.
func Start(ctx context.Context, o Options, modules []string, s Session) (*Host, error) {
	o.Limits = o.Limits.orDefault()
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	for {
		h, err := launch(ctx, o, modules, s)
		if err != nil {
			return nil, err
		}
		guilty, err := h.load(ctx, modules)
		if err == nil {
			return h, nil
		}
		h.Close()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if guilty == "" {
			return nil, fmt.Errorf("extensions were not read: %w", err)
		}
		// A module that ends the process, or blocks it, is left out.
		s.Failed(Failure{guilty, "load", err.Error()})
		var rest []string
		for _, module := range modules {
			if module != guilty {
				rest = append(rest, module)
			}
		}
		modules = rest
	}
}

// load requests that modules are loaded; guilty is the one at which it ended.
func (h *Host) load(ctx context.Context, modules []string) (guilty string, err error) {
	starting, cancel := context.WithTimeoutCause(ctx, h.options.Limits.Start, fmt.Errorf("the process of the extensions did not answer within %v", h.options.Limits.Start))
	defer cancel()
	select {
	case <-h.ready:
	case <-h.gone:
		return "", h.ended()
	case <-starting.Done():
		return "", context.Cause(starting)
	}
	l := h.options.Limits
	params := loading{Dir: h.options.Dir, Modules: modules}
	params.Limits.Load, params.Limits.Handler, params.Limits.Work, params.Limits.Shutdown = l.Load.Milliseconds(), l.Handler.Milliseconds(), l.Silence.Milliseconds(), l.Shutdown.Milliseconds()
	var registered Registered
	err = h.ask(ctx, question{method: "load", params: params, patience: l.Load}, &registered)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		return h.loading, err
	}
	h.registered = registered
	return "", nil
}

type loading struct {
	Dir     string   `json:"cwd"`
	Modules []string `json:"paths"`
	Limits  struct {
		Load     int64 `json:"load"` // milliseconds
		Handler  int64 `json:"handler"`
		Work     int64 `json:"work"` // of what may ask a model: summaries
		Shutdown int64 `json:"shutdown"`
	} `json:"limits"`
}

// Registered returns what extensions have brought by now; nothing, when their process is gone.
func (h *Host) Registered() Registered {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.registered
}

// Runtime returns what runs the extensions, and its version.
func (h *Host) Runtime() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.runtime
}

// Listens reports whether an extension listens to an event.
func (h *Host) Listens(event string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, name := range h.registered.Events {
		if name == event {
			return true
		}
	}
	return false
}

// SetFlags sends extensions the values of their flags.
func (h *Host) SetFlags(values map[string]any) {
	h.notify("flags", struct {
		Values map[string]any `json:"values"`
	}{values})
}

// Emit sends an event, an object with its type, to one extension after the other, and
// returns what they make of it. What they do wrong is a Failure; the error is that there is no
// answer: ctx has ended, or the process. A veto is of an event that they can keep from happening.
func (h *Host) Emit(ctx context.Context, event any, veto bool) (jsontext.Value, error) {
	var answer jsontext.Value
	err := h.ask(ctx, question{method: "event", params: struct {
		Event any  `json:"event"`
		Veto  bool `json:"veto"`
	}{event, veto}, patience: h.options.Limits.Handler}, &answer)
	return answer, err
}

// Command runs a command of an extension, to its end. If it fails that is reported as a Failure; the
// error is the same.
func (h *Host) Command(ctx context.Context, name, args string) error {
	err := h.ask(ctx, question{method: "command", params: struct {
		Name string `json:"name"`
		Args string `json:"args"`
	}{name, args}, patience: h.options.Limits.Silence}, nil)
	if err != nil && ctx.Err() == nil && !errors.Is(err, errGone) {
		h.session.Failed(Failure{"command:" + name, "command", err.Error()})
	}
	return err
}

// settle cancels what extensions wait for, and waits until they have been notified.
func (h *Host) settle(ctx context.Context) {
	for {
		h.mu.Lock()
		left := len(h.requests)
		for _, cancel := range h.requests {
			cancel()
		}
		h.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-h.answered:
		case <-h.gone:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Close notifies extensions of the end, waits for them up to the limit, and
// ends their process.
func (h *Host) Close() {
	h.mu.Lock()
	first := !h.closing
	h.closing = true
	h.mu.Unlock()
	if first {
		limit := h.options.Limits.Shutdown
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		h.settle(ctx)
		_ = h.ask(ctx, question{method: "shutdown", patience: limit}, nil) // the end comes anyway
		cancel()
		_ = h.toHost.Close() // it ends at the end of its input
		patience := time.NewTimer(limit)
		defer patience.Stop()
		select {
		case <-h.gone:
		case <-patience.C:
		}
		h.kill(errGone)
	}
	<-h.gone
	h.crew.Wait()
}
