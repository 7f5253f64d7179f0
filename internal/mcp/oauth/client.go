package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"parley.dev/parley/internal/tool"
)

const (
	requestLimit = 30 * time.Second
	maxHops      = 5
)

// client returns the HTTP client for requests to u, and to the authorization server that u names.
//
// The configured server itself may be anywhere. Others must be on the open Internet, unless the server is
// not: else a server could make this program send requests into the user's network. Redirects are followed
// for metadata on the same host only: codes, secrets and tokens go nowhere else.
func (m *Manager) client(ctx context.Context, u *url.URL) *http.Client {
	direct := tool.Transport(m.o.Private || m.isPrivate(ctx, u.Hostname()))
	direct.DisableKeepAlives = true
	return &http.Client{
		Timeout: requestLimit,
		Transport: &guard{
			own:     u.Host,
			direct:  direct,
			trusted: &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, DisableKeepAlives: true, MaxResponseHeaderBytes: 1 << 20},
		},
		CheckRedirect: follow,
	}
}

// isPrivate reports whether a host has an address in a private network. A name that cannot be resolved
// has none.
func (m *Manager) isPrivate(ctx context.Context, host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return !tool.IsPublic(addr)
	}
	addrs, err := m.o.Resolve(ctx, host)
	return err == nil && slices.ContainsFunc(addrs, func(addr netip.Addr) bool { return !tool.IsPublic(addr) })
}

// follow allows redirects of requests that read.
func follow(r *http.Request, via []*http.Request) error {
	if via[0].Method != http.MethodGet {
		return http.ErrUseLastResponse
	}
	return followOnHost(r, via)
}

// followOnHost allows redirects on the same host.
func followOnHost(r *http.Request, via []*http.Request) error {
	switch {
	case len(via) >= maxHops:
		return errors.New("it redirects without end")
	case hostPort(r.URL) != hostPort(via[0].URL):
		return fmt.Errorf("it redirects to the host %s, which is not followed", r.URL.Host)
	}
	return nil
}

// A guard is the transport of a client.
type guard struct {
	own     string            // the host that the user configured
	direct  http.RoundTripper // connects to allowed addresses only
	trusted http.RoundTripper // connects to all, or to a proxy
}

func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if !isSafe(r.URL) {
		return nil, fmt.Errorf("%s://%s is neither an https address nor one of this machine", r.URL.Scheme, r.URL.Host)
	}
	if r.URL.Host == g.own {
		return g.trusted.RoundTrip(r)
	}
	if proxy, err := http.ProxyFromEnvironment(r); err == nil && proxy != nil {
		return g.trusted.RoundTrip(r)
	}
	return g.direct.RoundTrip(r)
}
