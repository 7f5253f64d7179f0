package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/host"
	"parley.dev/parley/internal/host/web"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/wire"
)

// Joining is whether a command that serves a client does so itself, or connects its client to a host.
type Joining struct {
	address string   // off, auto, or where the host listens
	args    []string // after the name of the command, without --host and --backend
	backend string   // of sessions that are created or opened; "": the configured one, of new sessions
}

// The addresses that are words.
const (
	joinOff  = "off"
	joinAuto = "auto"
)

// hostVariable is the environment variable with the default of --host.
const hostVariable = "PARLEY_HOST"

// joiners are the first words of the command lines that can join a host.
var joiners = lazy.Value[[]string]{New: func() []string {
	return append([]string{"rpc", "app-server", "agent-air", "omp", "parley-acp"}, cli.Dialects...)
}}

// addServeFlags adds the flags that every command that serves a client has. --host and --backend are for help and completion:
// ParseJoining takes them from the command line before the command reads it.
func addServeFlags(flags *pflag.FlagSet) {
	flags.String("backend", "", "agent of the configuration that runs the turns of sessions, such as acp:claude (default: PARLEY_BACKEND, or the configured one)")
	flags.String("host", joinOff, "let a host serve the client: auto (if one runs), unix:PATH, ws://HOST:PORT, wss://HOST:PORT or off; without a value: auto (default: "+hostVariable+", or off)")
	flags.Lookup("host").NoOptDefVal = joinAuto
	flags.Lookup("host").DefValue = ""
	cli.AddStoreFlags(flags)
}

// ParseJoining takes --host and --backend from a command line, if its command has them. The error is one of usage.
func ParseJoining(args []string, getenv func(string) string) (Joining, []string, error) {
	j := Joining{address: cmp.Or(getenv(hostVariable), joinOff)}
	if !joins(args) {
		return j, args, nil
	}
	source := hostVariable
	rest := args[:1:1]
	for i := 1; i < len(args); i++ {
		value, given := strings.CutPrefix(args[i], "--host=")
		switch {
		case args[i] == "--":
			rest = append(rest, args[i:]...)
			i = len(args)
		case given:
			j.address, source = value, "--host"
		case args[i] == "--backend":
			if i++; i == len(args) {
				return j, rest, errors.New("--backend needs the name of a back end")
			}
			j.backend = args[i]
		case strings.HasPrefix(args[i], "--backend="):
			j.backend = strings.TrimPrefix(args[i], "--backend=")
		case args[i] == "--host":
			j.address, source = joinAuto, "--host"
			if i+1 < len(args) && isAddress(args[i+1]) {
				i++
				j.address = args[i]
			}
		default:
			rest = append(rest, args[i])
		}
	}
	j.args = rest[1:]
	switch {
	case !isAddress(j.address):
		return j, rest, fmt.Errorf("%s %q is none of auto, unix:PATH, ws://HOST:PORT, wss://HOST:PORT and off", source, j.address)
	case isRemote(j.address):
		if _, err := web.ParseAddress(j.address); err != nil {
			return j, rest, fmt.Errorf("%s: %w", source, err)
		}
	}
	return j, rest, nil
}

// joins reports whether a command line can join a host.
func joins(args []string) bool {
	if len(args) == 0 || !slices.Contains(joiners.Get(), args[0]) {
		return false
	}
	return args[0] != "codex" || len(args) > 1 && args[1] == codexServes
}

// isAddress reports whether a word can be the value of --host.
func isAddress(word string) bool {
	path, local := strings.CutPrefix(word, "unix:") // without a path, a variable in it was empty
	return word == joinAuto || word == joinOff || local && path != "" || isRemote(word)
}

// isRemote reports whether an address is one of the network.
func isRemote(address string) bool {
	return strings.HasPrefix(address, "ws://") || strings.HasPrefix(address, "wss://")
}

// run serves the client of this process, or connects it to a host.
func (j Joining) run(s service) error {
	s.backend = j.backend
	if s.local {
		return serveAlone(thisProcess.getenv, s)
	}
	if isRemote(j.address) {
		if err := j.checkHosted(s); err != nil {
			return err
		}
		return relayRemote(j.address, s.dialect, j.args)
	}
	socket, err := j.socket()
	if err != nil {
		return cli.Failed(err)
	}
	if socket == "" {
		return serveAlone(thisProcess.getenv, s)
	}
	if err := j.checkHosted(s); err != nil {
		return err
	}
	return relay(socket, s.dialect, j.args)
}

// checkHosted returns an error for flags that a host has of its own.
func (j Joining) checkHosted(s service) error {
	if j.backend != "" {
		return errHostBackend
	}
	if s.store.Changed() {
		return errHostStore
	}
	return nil
}

var (
	// errHostBackend is of a back end that is chosen for a session of a host.
	errHostBackend = errors.New("--backend: a host serves this client; its own configuration has the back end of new sessions")
	errHostStore   = errors.New("--store: a host serves this client; it has a store of its own")
)

// socket returns where the host listens that is to be joined; "": none is.
func (j Joining) socket() (string, error) {
	if path, ok := strings.CutPrefix(j.address, "unix:"); ok {
		return path, nil
	}
	if j.address != joinAuto {
		return "", nil
	}
	settings, err := config.Load(os.Getenv)
	if err != nil {
		return "", err
	}
	path := host.SocketPath(settings.Home)
	if !host.Listens(path) {
		return "", nil
	}
	return path, nil
}

// travelling are the environment variables that are sent to a host: those that the dialects document and that hold no keys.
var travelling = []string{"PARLEY_MODEL", "LOAF_RPC_EVENTS", "PI_CONFIG_DIR", "PI_CODING_AGENT_DIR", "PARLEY_RPC_ERROR_IDS", "PARLEY_ACP_UNSTABLE", "PARLEY_ACP_V2"}

// relay connects the client of this process to a host, and ends as the host says.
func relay(socket, dialect string, args []string) error {
	dir, err := os.Getwd()
	if err != nil {
		return cli.Failed(err)
	}
	env := map[string]string{}
	for _, name := range travelling {
		if value, set := os.LookupEnv(name); set {
			env[name] = value
		}
	}
	stop := cli.NotifyStop()
	code, err := host.Relay(socket, host.Preamble{
		Parley: 1, Dialect: dialect, Args: args, Cwd: dir, Env: env, Client: fmt.Sprintf("pid %d", os.Getppid()),
	}, os.Stdin, os.Stdout, stop.Asked, stop.Signal)
	return relayed(code, err)
}

// tokenVariable is the environment variable with the token for a host of the network. It stays in this process.
const tokenVariable = "PARLEY_TOKEN"

var errNoToken = errors.New(tokenVariable + " is not set: a host of the network needs a token")

// relayRemote connects the client of this process to a host of the network, and ends as the host says.
func relayRemote(address, dialect string, args []string) error {
	token := os.Getenv(tokenVariable)
	if token == "" {
		return cli.Failed(errNoToken)
	}
	dir, err := os.Getwd()
	if err != nil {
		return cli.Failed(err)
	}
	out, err := wire.ProtectStdout()
	if err != nil {
		return cli.Failed(err)
	}
	ctx, clientGone := context.WithCancel(context.Background())
	defer clientGone()
	defer wire.NotifyReaderClosed(out, clientGone)()
	stop := cli.NotifyStop()
	return relayed(web.Relay{
		Address: address, Token: token, Preamble: host.Preamble{Dialect: dialect, Args: args, Cwd: dir},
		In: os.Stdin, Out: out, Stop: stop.Asked, Signal: stop.Signal,
	}.Run(ctx))
}

// relayed returns how the command of a relay ends.
func relayed(code int, err error) error {
	switch refused, ok := errors.AsType[*host.RefusedError](err); {
	case ok && refused.Full:
		return cli.Failed(refused)
	case ok:
		return &cli.ExitError{Code: cli.ExitUsage, Err: refused}
	case err != nil && code == cli.ExitOK:
		return cli.Failed(err)
	case err != nil:
		return &cli.ExitError{Code: code, Err: err}
	case code != cli.ExitOK:
		return &cli.ExitError{Code: code}
	}
	return nil
}
