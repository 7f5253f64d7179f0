package serve

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/spf13/pflag"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/dialect/native"
	"parley.dev/parley/internal/host"
	"parley.dev/parley/internal/host/audit"
	"parley.dev/parley/internal/host/token"
	"parley.dev/parley/internal/host/web"
	"parley.dev/parley/internal/journal/file"
)

// networkFlags are the flags of serve that are about HTTP.
type networkFlags struct {
	listen  []string
	web     bool
	tlsCert string
	tlsKey  string
	origins []string
}

func (f *networkFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.listen, "listen", nil, "address to serve HTTP and WebSocket at, such as 127.0.0.1:0 (repeatable)")
	flags.BoolVar(&f.web, "web", false, "serve the web console, and print a link that signs a browser in; implies --listen 127.0.0.1:0")
	flags.StringVar(&f.tlsCert, "tls-cert", "", "file of the certificate for TLS, in PEM")
	flags.StringArrayVar(&f.origins, "origin", nil, "origin of pages that may connect, such as https://parley.example: of a server in front of the host (repeatable)")
	flags.StringVar(&f.tlsKey, "tls-key", "", "file of the key of the certificate")
}

func (f *networkFlags) tls() bool { return f.tlsCert != "" }

// check reports what is wrong with the flags.
func (f *networkFlags) check() error {
	if (f.tlsCert == "") != (f.tlsKey == "") {
		return errors.New("--tls-cert and --tls-key need each other")
	}
	if _, err := f.parseOrigins(); err != nil {
		return fmt.Errorf("--origin: %w", err)
	}
	for _, addr := range f.listen {
		if err := web.CheckAddress(addr, f.tls()); err != nil {
			return fmt.Errorf("--listen: %w", err)
		}
	}
	return nil
}

// parseOrigins returns the origins of pages that may connect.
func (f *networkFlags) parseOrigins() (origins []web.Origin, err error) {
	for _, text := range f.origins {
		origin, err := web.ParseOrigin(text)
		if err != nil {
			return nil, err
		}
		origins = append(origins, origin)
	}
	return origins, nil
}

// A network is where clients connect to the host.
type network struct {
	sockets   []net.Listener
	urls      []string
	tokenFile string
	urlFile   string
	link      string // signs a browser in to the web console; "": it is not served

	tokens *token.Store
	server *web.Server // nil: no HTTP
	reload func()
	hangup chan os.Signal
}

// openNetwork begins to accept clients: at the socket, at --listen, and where systemd listens for this process.
func openNetwork(a *app.App, h *host.Host, tokens *token.Store, log *audit.Log, f hostFlags, info native.HostInfo) (n *network, err error) {
	n = &network{tokens: tokens, hangup: make(chan os.Signal, 1)}
	defer func() {
		if err != nil {
			n.close()
		}
	}()
	inherited, err := activation.Listeners()
	if err != nil {
		return n, fmt.Errorf("sockets of systemd: %w", err)
	}
	var tcp []net.Listener
	for _, l := range inherited {
		switch l.(type) {
		case *net.UnixListener:
			n.sockets = append(n.sockets, l)
		case *net.TCPListener:
			tcp = append(tcp, l)
		default:
			return n, errors.New("sockets of systemd: one is neither a Unix socket nor one of TCP that listens")
		}
	}
	if len(n.sockets) == 0 {
		if f.socket == "" {
			f.socket = host.SocketPath(a.Settings.Home)
		}
		socket, err := host.Listen(f.socket)
		if err != nil {
			return n, err
		}
		n.sockets = append(n.sockets, socket)
	}
	if err := n.openWeb(a, h, log, f, info, tcp); err != nil {
		return n, err
	}
	if files, ok := a.Store.(*file.Store); ok {
		if path, err := filepath.Abs(n.sockets[0].Addr().String()); err == nil {
			files.SetSocket(path)
		}
	}
	for _, socket := range n.sockets {
		go h.Serve(socket)
	}
	signal.Notify(n.hangup, syscall.SIGHUP)
	go func() {
		for range n.hangup {
			n.reload()
		}
	}()
	return n, nil
}

// openWeb begins to serve HTTP, if there is an address for it.
func (n *network) openWeb(a *app.App, h *host.Host, log *audit.Log, f hostFlags, info native.HostInfo, listeners []net.Listener) error {
	report := func(err error) {
		if err != nil {
			a.Log.Error("not read again", "error", err)
		}
	}
	n.reload = func() { report(n.tokens.Reload()) }
	if len(f.network.listen)+len(listeners) == 0 {
		if !f.network.web {
			return nil
		}
		f.network.listen = []string{"127.0.0.1:0"}
	}
	var certificate *web.Certificate
	var err error
	if f.network.tls() {
		if certificate, err = web.LoadCertificate(f.network.tlsCert, f.network.tlsKey); err != nil {
			return err
		}
		n.reload = func() { report(n.tokens.Reload()); report(certificate.Reload()) }
	}
	for _, addr := range f.network.listen {
		l, err := web.Listen(addr, f.network.tls())
		if err != nil {
			return err
		}
		listeners = append(listeners, l)
	}
	origins, err := f.network.parseOrigins()
	if err != nil {
		return err
	}
	owner, err := n.writeToken(a.Settings.Home)
	if err != nil {
		return err
	}
	n.server, err = web.New(web.Options{
		Host: h, Tokens: n.tokens, Owner: owner, Browsers: web.BrowserPath(a.Settings.Home), Page: f.network.web, Certificate: certificate, Audit: log, Sessions: a.Host.OpenSessions, Version: info.Version,
		MaxClients: f.maxClients, Origins: origins, Ready: a.Ready, Metrics: a.WriteMetrics, Log: a.Log,
	})
	if err != nil {
		return err
	}
	for _, l := range listeners {
		if err := n.server.Serve(l); err != nil {
			return err
		}
		n.urls = append(n.urls, web.URL(l, f.network.tls()))
	}
	if f.network.web {
		if n.link, err = n.server.OwnerLink(n.urls[0]); err != nil {
			return err
		}
	}
	n.urlFile = urlPath(a.Settings.Home)
	return token.WriteSecret(n.urlFile, []byte(strings.Join(n.urls, "\n")+"\n"))
}

// writeToken makes the token of the owner for this start, and returns its id.
func (n *network) writeToken(home string) (string, error) {
	info, secret, err := n.tokens.CreateTemporary(token.Info{Role: string(native.Owner), Name: "start"})
	if err != nil {
		return "", err
	}
	n.tokenFile = tokenPath(home)
	return info.ID, token.WriteSecret(n.tokenFile, []byte(secret+"\n"))
}

// ready returns the line that says where clients connect.
func (n *network) ready(info native.HostInfo, store native.StoreInfo) hostReady {
	return hostReady{true, os.Getpid(), info.ID, n.sockets[0].Addr().String(), n.urls, n.tokenFile, n.link, store}
}

// close ends what the end of the host leaves.
func (n *network) close() {
	signal.Stop(n.hangup)
	close(n.hangup)
	if n.server != nil {
		_ = n.server.Close() // of listeners: they are gone in any case
	}
	for _, file := range []string{n.tokenFile, n.urlFile} {
		if file != "" {
			_ = os.Remove(file) // the token has ended, and nothing listens at the addresses
		}
	}
}
