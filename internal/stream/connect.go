package stream

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"parley.dev/parley/internal/stream/address"
)

const (
	// connectTimeout is how long a connection may take, whichever server accepts it.
	connectTimeout = 10 * time.Second
	reconnectWait  = 100 * time.Millisecond
	pingInterval   = 5 * time.Second
)

// errNoTLS is the error of a server on another machine that has no TLS.
var errNoTLS = errors.New("the server offers no TLS, which is required unless the server is on this machine; --store-insecure permits it")

// Dial connects to one of the servers of an address. Servers on other machines need TLS, unless o.Insecure is set.
func Dial(a Address, o ConnectOptions) (*Client, error) {
	timeout := connectTimeout / time.Duration(max(1, len(a.Servers))) // they are tried one after the other
	secure := o.UsesTLS() || a.UsesTLS() || !a.OnLoopback() && !o.Insecure
	d := &dialer{timeout: timeout, loopbackOnly: !secure && !o.Insecure}
	v := &violations{namespace: a.Namespace, inbox: inboxOf(cmp.Or(o.Role, RoleHost)), waiting: map[*waiter]struct{}{}}
	options := []nats.Option{
		nats.Name("parley"), nats.Timeout(timeout), nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(), nats.ReconnectWait(reconnectWait),
		nats.ReconnectBufSize(-1), // what was not sent must not be sent later
		nats.CustomInboxPrefix(v.inbox), nats.ErrorHandler(v.report), nats.ReconnectHandler(v.reset),
		nats.PingInterval(pingInterval), nats.MaxPingsOutstanding(2), nats.SetCustomDialer(d),
	}
	security, err := securityOf(o)
	if err != nil {
		return nil, err
	}
	options = append(options, security...)
	if secure {
		options = append(options, nats.Secure())
	}
	opts := nats.GetDefaultOptions()
	opts.Servers = a.Servers
	for _, option := range options {
		if err := option(&opts); err != nil {
			return nil, err
		}
	}
	conn, err := opts.Connect()
	if err != nil {
		return nil, explain(o, d.reason(err))
	}
	js, err := jetstream.New(conn, jetstream.WithPublishAsyncTimeout(AnswerTimeout))
	if err != nil {
		conn.Close()
		return nil, err
	}
	return &Client{conn: conn, js: js, violations: v, streams: map[string]jetstream.Stream{}}, nil
}

// securityOf returns the options of the client library for credentials and certificates.
func securityOf(o ConnectOptions) (options []nats.Option, err error) {
	for _, secret := range []string{o.CredentialsFile, o.KeyFile} {
		if err := checkPrivate(secret); err != nil {
			return nil, err
		}
	}
	if o.CredentialsFile != "" {
		options = append(options, nats.UserCredentials(o.CredentialsFile))
	}
	if o.CAFile != "" {
		options = append(options, nats.RootCAs(o.CAFile))
	}
	if o.CertFile != "" {
		options = append(options, nats.ClientCert(o.CertFile, o.KeyFile))
	}
	return options, nil
}

// checkPrivate returns an error for a file that is missing or that other users can read; "" is no file.
func checkPrivate(path string) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if hasModes && info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("other users can read or write %s; run `chmod 600` on it", path)
	}
	return nil
}

// A dialer makes the connections of the client library, which does not return why a server refuses one.
type dialer struct {
	timeout      time.Duration
	loopbackOnly bool // a server may name others of its cluster; those on other machines need TLS

	mu  sync.Mutex // guards the rest
	err error      // of the last connection that failed
}

// Dial implements nats.CustomDialer.
func (d *dialer) Dial(network, to string) (net.Conn, error) {
	var conn net.Conn
	host, _, err := net.SplitHostPort(to)
	switch {
	case err != nil:
	case d.loopbackOnly && !address.IsLoopback(host):
		err = fmt.Errorf("connect to %s: TLS is required", to)
	default:
		conn, err = net.DialTimeout(network, to, d.timeout)
	}
	if err != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.err = err
	}
	return conn, err
}

// reason returns the reason for an error of the client library.
func (d *dialer) reason(err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case errors.Is(err, nats.ErrSecureConnWanted):
		return errNoTLS
	case errors.Is(err, nats.ErrNoServers) && d.err != nil:
		return d.err
	}
	return err
}
