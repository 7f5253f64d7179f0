package web

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"parley.dev/parley/internal/host/token"
	"parley.dev/parley/internal/lock"
)

// ours reports whether a request names this server as its host. A page whose name was made to lead here (DNS rebinding)
// has another.
func (s *Server) ours(r *http.Request) bool {
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if name == "" {
		return false
	}
	local := addressOf(r.Context().Value(http.LocalAddrContextKey))
	if ip, err := netip.ParseAddr(name); err == nil && (ip.Unmap() == local || ip.IsLoopback() && local.IsLoopback()) {
		return true
	}
	return strings.EqualFold(name, "localhost") && local.IsLoopback() || s.o.Certificate != nil && s.o.Certificate.names(name)
}

// addressOf returns the address of a net.Addr without its port.
func addressOf(addr any) netip.Addr {
	if tcp, ok := addr.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}

// sameOrigin reports whether a request comes from a page of this server, or from no page.
func (s *Server) sameOrigin(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	origin, err := url.Parse(origins[0])
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return len(origins) == 1 && err == nil && origin.Scheme == scheme && strings.EqualFold(origin.Host, r.Host)
}

// A bearer is the token of a request.
type bearer struct {
	token.Info
	ended <-chan struct{} // closed when the token is revoked or expires
}

// authenticate returns the token of a request. Without a valid one the request is answered.
func (s *Server) authenticate(w http.ResponseWriter, r *http.Request) (bearer, bool) {
	headers := r.Header.Values("Authorization")
	if len(headers) == 1 {
		scheme, secret, _ := strings.Cut(headers[0], " ")
		if info, ended, ok := s.o.Tokens.Check(strings.TrimSpace(secret)); ok && strings.EqualFold(scheme, "Bearer") {
			return bearer{info, ended}, true
		}
	}
	if !s.failures.allow(r.RemoteAddr) {
		s.metrics.slowed.Add(1)
		w.Header().Set("Retry-After", "60")
		refuse(w, http.StatusTooManyRequests, "too many requests without a valid token; wait a minute")
		return bearer{}, false
	}
	s.metrics.unauthorized.Add(1)
	s.audit(r, bearer{}, "refused", "", "no valid token")
	w.Header().Set("WWW-Authenticate", `Bearer realm="parley"`)
	refuse(w, http.StatusUnauthorized, "a valid token is required: Authorization: Bearer TOKEN")
	return bearer{}, false
}

const (
	failuresPerMinute = 5
	maxAddresses      = 4096 // that are counted separately
)

// failures counts the failed authentications of addresses.
type failures struct {
	mu        lock.Mutex
	addresses map[string]*failing
	others    *rate.Limiter // of all addresses, when there are too many
	cleared   time.Time     // when addresses were removed that have not failed for a minute
}

// A failing address.
type failing struct {
	limit *rate.Limiter
	last  time.Time
}

func newFailures() *failures {
	return &failures{addresses: map[string]*failing{}, others: newLimiter()}
}

func newLimiter() *rate.Limiter {
	return rate.NewLimiter(failuresPerMinute/rate.Limit(60), failuresPerMinute)
}

// allow counts a failure of an address, and reports whether it is one of those that are answered.
func (f *failures) allow(remote string) bool {
	key := addressKey(remote)
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	a := f.addresses[key]
	if a == nil && len(f.addresses) >= maxAddresses && now.Sub(f.cleared) >= time.Second {
		f.cleared = now // a flood must not cost this each time
		for key, old := range f.addresses {
			if now.Sub(old.last) >= time.Minute {
				delete(f.addresses, key)
			}
		}
	}
	if a == nil {
		if len(f.addresses) >= maxAddresses {
			return f.others.AllowN(now, 1)
		}
		a = &failing{limit: newLimiter()}
		f.addresses[key] = a
	}
	a.last = now
	return a.limit.AllowN(now, 1)
}

// addressKey returns what is counted as one address: of IPv6, the network that one customer has.
func addressKey(remote string) string {
	addr, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	ip := addr.Addr().Unmap()
	if ip.Is6() {
		if prefix, err := ip.WithZone("").Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return ip.String()
}
