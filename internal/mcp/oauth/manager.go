package oauth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"parley.dev/parley/internal/signin"
)

const (
	loginLimit = 15 * time.Minute // how long the user may take
	renewLimit = 40 * time.Second
)

// Options configure a Manager.
type Options struct {
	Store   *signin.Store // where tokens are stored; required
	Version string        // of this program
	Private bool          // authorization servers of any tool server may be in private networks

	Limit   time.Duration                                             // of a sign-in; 0: 15 minutes
	Now     func() time.Time                                          // nil: time.Now
	Resolve func(context.Context, string) ([]netip.Addr, error)       // nil: the resolver of the system
	Listen  func(ctx context.Context, port int) (net.Listener, error) // nil: on 127.0.0.1
}

// A Manager signs in to any number of tool servers. It is safe for concurrent use, also beside
// other processes with the same store.
type Manager struct {
	o     Options
	store *signin.Store

	life     context.Context // until Close
	end      context.CancelFunc
	renewals singleflight.Group
	work     sync.WaitGroup // renewals
	mu       sync.Mutex     // orders work.Add before the wait of Close
}

// New returns a Manager, which the caller must Close.
func New(o Options) *Manager {
	o.Limit = cmp.Or(o.Limit, loginLimit)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Resolve == nil {
		o.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if o.Listen == nil {
		o.Listen = func(ctx context.Context, port int) (net.Listener, error) {
			var lc net.ListenConfig
			return lc.Listen(ctx, "tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		}
	}
	life, end := context.WithCancel(context.Background())
	return &Manager{o: o, store: o.Store, life: life, end: end}
}

// Close cancels the renewals that run and waits for their end.
func (m *Manager) Close() {
	m.mu.Lock()
	m.end()
	m.mu.Unlock()
	m.work.Wait()
}

// Format shows no secret, whatever the verb.
func (m *Manager) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "sign-ins to tool servers") }

// A Server is a tool server as it is configured.
type Server struct {
	URL          string
	Headers      map[string]string // sent with the first request, except Authorization
	ClientID     string            // of this program; "": it is registered with the authorization server
	ClientSecret string            // that belongs to ClientID; "": none
	Scopes       []string          // to request; nil: those that the server names
	CallbackPort int               // where the browser comes back to; 0: any free port
}

// address returns the URL of the server without a user and a fragment. Tokens must not be sent
// in the clear, except on this machine.
func (s Server) address() (*url.URL, error) {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" {
		return nil, errors.New("the server has no valid address")
	}
	u.User, u.Fragment = nil, ""
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if !isSafe(u) {
		return nil, fmt.Errorf("%s is neither an https address nor one of this machine: a token would be sent in the clear", u.Host)
	}
	return u, nil
}

// identity returns the address that tokens are stored by. It has no query: that is no part of a resource, and
// the address that messages name the server by has none either.
func identity(u *url.URL) string {
	plain := *u
	plain.RawQuery = ""
	return plain.String()
}

// slot returns the name of the server's secret. No two addresses share one.
func slot(u *url.URL) string {
	sum := sha256.Sum256([]byte(identity(u)))
	return "mcp." + hex.EncodeToString(sum[:])[:48]
}

// isSafe reports whether requests to u cannot be read on the way.
func isSafe(u *url.URL) bool {
	return u.Scheme == "https" && u.Host != "" || u.Scheme == "http" && isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.Unmap().IsLoopback()
}
