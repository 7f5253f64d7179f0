package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/native"
	"parley.dev/parley/internal/dialect/scaiflux"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/host"
	"parley.dev/parley/internal/host/audit"
	"parley.dev/parley/internal/host/token"
	"parley.dev/parley/internal/lazy"
)

// hostFlags is the command line of serve.
type hostFlags struct {
	socket     string
	whenLeft   string
	idle       time.Duration
	drain      time.Duration
	maxClients int
	maxRate    int
	maxOpen    int
	asJSON     bool
	network    networkFlags
	labels     []string
	roots      []string
}

// whenLeft are the words of --when-left.
var whenLeft = lazy.Value[map[string]engine.WhenLeft]{New: func() map[string]engine.WhenLeft {
	return map[string]engine.WhenLeft{"wait": engine.WaitWhenLeft, "deny": engine.EndWhenLeft, "finish": engine.FinishWhenLeft}
}}

// Host returns the command that serves several clients at once.
func Host() *cobra.Command {
	var f hostFlags
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve several clients at once, who share sessions", Args: cli.ExactArgs(),
		Long: `Serve clients on a socket that only the user can connect to: those of Parley's own protocol, and those of every
other one whose command was started with --host. Clients share sessions: what one prompts another can follow,
steer and approve, and a session goes on when its client has left. There is one host for each state folder.

With --listen there is HTTP, too: WebSocket connections at /v1/native, /healthz, /readyz and /metrics.
With --web the web console as well. The link that is printed signs one browser in, within a minute.
Clients of the network need a token. Addresses that other machines can reach need TLS.

SIGTERM and SIGINT end the host: running turns have --drain to end before they are interrupted. A second
signal ends it at once. SIGHUP reads tokens and certificates again.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return cli.Failed(serveHost(cmd.OutOrStdout(), f, cli.StoreFlagsOf(cmd)))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.socket, "socket", "", "path of the socket (default: run/host.sock in the state folder)")
	flags.StringVar(&f.whenLeft, "when-left", "wait", "what happens to a session that its last client has left: wait (approvals wait for a client), finish (they are denied) or deny (it is interrupted)")
	flags.DurationVar(&f.idle, "idle", 10*time.Minute, "how long a session without clients and work stays open")
	flags.DurationVar(&f.drain, "drain", 30*time.Second, "how long running turns may take when the host is stopped")
	flags.IntVar(&f.maxClients, "max-clients", 1000, "how many clients may be connected")
	flags.IntVar(&f.maxOpen, "max-sessions", 10_000, "how many sessions may be open")
	flags.IntVar(&f.maxRate, "max-rate", 64<<20, "how many bytes a second are read from one client (0: no limit)")
	flags.BoolVar(&f.asJSON, "json", false, "print one line of JSON when clients can connect")
	flags.StringArrayVar(&f.labels, "label", nil, "what the host is, KEY=VALUE, for the placement of sessions (repeatable)")
	flags.StringArrayVar(&f.roots, "shared-root", nil, "folder that is the same on every host of the store (repeatable)")
	f.network.add(flags)
	cli.AddStoreFlags(flags)
	cli.SetChoices(flags, "when-left", "wait", "finish", "deny")
	return cmd
}

// check reports what is wrong with the flags.
func (f *hostFlags) check() error {
	switch _, ok := whenLeft.Get()[f.whenLeft]; {
	case !ok:
		return fmt.Errorf("--when-left %q is none of wait, deny and finish", f.whenLeft)
	case f.maxClients < 1:
		return fmt.Errorf("--max-clients %d is less than 1", f.maxClients)
	case f.maxOpen < 1:
		return fmt.Errorf("--max-sessions %d is less than 1", f.maxOpen)
	case f.maxRate < 0:
		return fmt.Errorf("--max-rate %d is less than 0", f.maxRate)
	}
	if _, err := labelsOf(f.labels); err != nil {
		return fmt.Errorf("--label: %w", err)
	}
	for _, root := range f.roots {
		if !filepath.IsAbs(root) {
			return fmt.Errorf("--shared-root %s is not an absolute path", root)
		}
	}
	return f.network.check()
}

// serveHost serves until a signal asks it to end.
func serveHost(out io.Writer, f hostFlags, store cli.StoreFlags) error {
	settings, err := config.Load(os.Getenv)
	if err != nil {
		return err
	}
	if err := store.Apply(&settings.Settings); err != nil {
		return err
	}
	if f.network.tls() {
		settings.KeyFiles = []string{f.network.tlsKey}
	}
	wait, err := settings.Host.WaitTime()
	if err != nil {
		return err
	}
	var h *host.Host
	defer func() {
		if h != nil {
			_ = h.Release() // the end of the process does the same
		}
	}()
	settings.Grace = time.Second // as the dialects have it whose clients count on an interrupt to be over soon
	a, err := cli.AssembleShared(settings, &engine.Sharing{Left: whenLeft.Get()[f.whenLeft], Wait: wait, Idle: f.idle, MaxOpen: f.maxOpen})
	if err != nil {
		return err
	}
	defer a.Close()
	a.Sweep(context.Background())
	credentials, credentialsErr := scaiflux.ReadCredentials(config.HomeDir(os.Getenv), os.Getenv)
	adaptToScaiflux(a, credentials, credentialsErr)
	stop := cli.NotifyStopOn(syscall.SIGINT, syscall.SIGTERM)
	info := hostInfo()
	tokens, err := token.Open(token.Path(a.Settings.Home))
	if err != nil {
		return err
	}
	defer tokens.Close()
	log, err := audit.Open(audit.Path(a.Settings.Home))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // each entry was written when it was added
	peers, draining := newPeers(a, f.roots), &atomic.Bool{}
	replaced := make(chan struct{})
	if peers != nil {
		info.ID, _, _ = strings.Cut(a.Member.Owner(), ".")
		a.Member.OnReplaced(func() { close(replaced) })
	}
	h, err = host.Open(host.Options{
		Home: a.Settings.Home, MaxClients: f.maxClients, BytesPerSecond: f.maxRate, Drain: f.drain, Log: a.Log, Audit: log, Wait: a.Host.WaitIdle, End: a.Host.Close,
		Dialects: speakers(a, hosting{info: info, tokens: tokens, audit: log, drain: f.drain, clients: func() int { return h.Clients() }, peers: peers, draining: draining}),
	})
	if err != nil {
		return err
	}
	if peers != nil {
		labels, _ := labelsOf(f.labels) // they are checked
		station := &station{peers: peers, app: a, host: h, audit: log, log: a.Log, labels: labels, draining: draining}
		station.open()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		go station.announce(ctx)
	}
	if err := a.Join(context.Background()); err != nil { // the lock of the state folder is held: no other process has its host id
		return errors.Join(err, h.Close())
	}
	n, err := openNetwork(a, h, tokens, log, f, info)
	if err != nil {
		return err
	}
	defer n.close()
	if err := announce(out, f, n.ready(info, storeInfo(a))); err != nil {
		return err
	}
	select {
	case <-stop.Asked:
	case <-replaced:
		err = errReplaced
	}
	return errors.Join(err, h.Close(n.sockets...), a.Host.Close(context.Background()))
}

// errReplaced is the error of a host that another one has replaced: its sessions are lost.
var errReplaced = errors.New("another host uses the id of this one: its state folder may be a copy; remove the file host-id from one of them")

// A hostReady is the line that says that clients can connect.
type hostReady struct {
	Ready     bool     `json:"ready"`
	PID       int      `json:"pid"`
	Host      string   `json:"host"`
	Socket    string   `json:"socket"`
	URLs      []string `json:"urls,omitzero"`
	TokenFile string   `json:"token_file,omitzero"`
	Web       string   `json:"web,omitzero"` // signs a browser in, once, within a minute

	Store native.StoreInfo `json:"store"`
}

// announce prints where clients connect.
func announce(out io.Writer, f hostFlags, r hostReady) error {
	if !f.asJSON {
		_, err := fmt.Fprintf(out, "Parley %s serves clients at %s (process %d, host %s)\n", cli.Version, r.Socket, r.PID, r.Host)
		for _, url := range r.URLs {
			if err == nil {
				_, err = fmt.Fprintf(out, "and at %s (token of the owner in %s)\n", url, r.TokenFile)
			}
		}
		if err == nil && r.Web != "" {
			_, err = fmt.Fprintf(out, "Web console: open %s within a minute; `parley host link` prints another link\n", r.Web)
		}
		return err
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", line)
	return err
}
