package serve

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/native"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/host/audit"
	"parley.dev/parley/internal/host/token"
	"parley.dev/parley/internal/wire"
)

// A service is what the command line of a dialect asks for: to speak to one client. It is done by a process of its
// own, or by a host that has other clients, too.
type service struct {
	dialect string
	// ownProcess is the option that a host cannot serve; "": there is none.
	ownProcess string
	// local: it is done by this process, also where a host could be joined.
	local   bool
	backend string         // of new sessions; "": the configured one
	flags   *pflag.FlagSet // of the command line; nil: it has none
	store   cli.StoreFlags
	// sharing is how clients of a process of its own share sessions; nil: it has one client.
	sharing *engine.Sharing
	// configure changes settings of the program; nil: none.
	configure func(*config.Config) error
	// adapt changes the program, which serves no other client; nil: not at all.
	adapt func(*app.App)
	// refuse reports an error from before there is a connection; nil: on stderr.
	refuse func(w io.Writer, err error) error
	speak  func(ctx context.Context, a *app.App, c client) (code int, err error)
	// ended is called when the program has ended; nil: nothing is.
	ended func()
}

// withStore returns the service with the store that the command line of cmd names.
func (s service) withStore(cmd *cobra.Command) service {
	s.store = cli.StoreFlagsOf(cmd)
	return s
}

// A client is the client of a service.
type client struct {
	in     io.Reader
	out    io.Writer
	stop   <-chan struct{}  // asks for the end
	signal func() os.Signal // what closed stop; nil: no signal has

	sessions *engine.Host   // as far as the client can reach them
	host     *hosting       // nil: there is no other client
	token    *token.Info    // of a client of the network; nil: it is the user
	rights   *rights.Client // of that client
	audit    *auditor       // nil: there is no log
	relayed  bool           // it is connected to another host, which relays it
}

// hosting is what a client shares with others.
type hosting struct {
	info     native.HostInfo
	closing  context.Context // ends when the host begins to close
	drain    time.Duration
	clients  func() int
	tokens   *token.Store
	audit    *audit.Log
	peers    *peers // nil: no other host shares the store
	draining *atomic.Bool
}

// A caller is the process that a command line comes from.
type caller struct {
	getenv func(string) string
	dir    string // where relative paths begin; "": the folder of this process
	within string // the folder that its token is limited to; "": it is not
	model  string // where nothing else names one; "": the configured one
	// limited: it may not act as the user, so that its sessions are confined if it does not choose a sandbox.
	limited bool
}

// sandbox returns the sandbox of sessions where the command line names none.
func (c caller) sandbox() string {
	if c.limited {
		return string(approval.SandboxWorkspace)
	}
	return string(approval.SandboxNone)
}

// thisProcess is the user who has started this process.
var thisProcess = caller{getenv: os.Getenv}

// path returns a path as the caller means it.
func (c caller) path(path string) string {
	if c.dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.dir, path)
}

// workspace returns the folder of that name; "" is the caller's.
func (c caller) workspace(dir string) (string, error) { return engine.Workspace(c.path(dir)) }

// A runner does what a command line asks for.
type runner func(service) error

// serveAlone speaks to one client on stdin and stdout.
func serveAlone(getenv func(string) string, s service) error {
	refuse := s.refuse
	if refuse == nil {
		refuse = func(_ io.Writer, err error) error { return cli.Failed(err) }
	}
	settings, err := config.Load(getenv)
	if err != nil {
		return refuse(os.Stdout, err)
	}
	if err := s.store.Apply(&settings.Settings); err != nil {
		return err
	}
	if s.ended != nil {
		defer s.ended()
	}
	if s.configure != nil {
		if err := s.configure(&settings); err != nil {
			return refuse(os.Stdout, err)
		}
	}
	if s.backend != "" {
		if _, err := settings.FindBackend(s.backend); err != nil {
			return refuse(os.Stdout, fmt.Errorf("--backend: %w", err))
		}
		settings.Backend, settings.BackendFlag = s.backend, s.backend
	}
	out, err := wire.ProtectStdout()
	if err != nil {
		return refuse(os.Stdout, err)
	}
	a, err := cli.AssembleSharing(settings, s.sharing)
	if err != nil {
		return refuse(out, err)
	}
	defer a.Close()
	if err := a.Join(context.Background()); err != nil {
		return refuse(out, err)
	}
	if s.adapt != nil {
		s.adapt(a)
	}
	stop := cli.NotifyStop()
	cli.ForgetStart()
	code, err := s.speak(context.Background(), a, client{in: os.Stdin, out: out, stop: stop.Asked, signal: stop.Signal, sessions: a.Host})
	if err != nil {
		return inItsWords(err)
	}
	if code != cli.ExitOK {
		return &cli.ExitError{Code: code}
	}
	return nil
}
