package web

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"parley.dev/parley/internal/host/token"
	"parley.dev/parley/internal/lock"
)

// ours reports whether a request names this server as its host. A page whose name was made to lead here (DNS rebinding)
// has another.
func (s *Server) ours(r *http.Request) bool {
	if _, ok := s.configured(r.Host); ok {
		return true
	}
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

// A bearer is the token of a request, or that of the link by which its browser signed in.
type bearer struct {
	token.Info
	ended     <-chan struct{} // closed when the token is revoked or expires
	signedOut <-chan struct{} // closed when the browser signs out; nil: it is none
}

// authenticate returns the token of a request. Without a valid one the request is answered.
func (s *Server) authenticate(w http.ResponseWriter, r *http.Request) (bearer, bool) {
	b, ok := s.credentials(r)
	if !ok {
		s.refuseStranger(w, r, "a valid token is required: Authorization: Bearer TOKEN, or the cookie of a browser that has signed in")
	}
	return b, ok
}

// credentials returns the token of a request. A header counts, and only without one a cookie.
func (s *Server) credentials(r *http.Request) (bearer, bool) {
	headers := r.Header.Values("Authorization")
	switch len(headers) {
	case 0:
		return s.signedIn(r)
	case 1:
		scheme, secret, _ := strings.Cut(headers[0], " ")
		info, ended, ok := s.o.Tokens.Check(strings.TrimSpace(secret))
		return bearer{Info: info, ended: ended}, ok && strings.EqualFold(scheme, "Bearer")
	}
	return bearer{}, false
}

// refuseStranger answers a request that is not authenticated. After too many of an address it has to wait.
func (s *Server) refuseStranger(w http.ResponseWriter, r *http.Request, problem string) {
	if !s.failures.allow(r.RemoteAddr) {
		s.metrics.slowed.Add(1)
		w.Header().Set("Retry-After", "60")
		refuse(w, http.StatusTooManyRequests, "too many requests without a valid token; wait a minute")
		return
	}
	s.metrics.unauthorized.Add(1)
	s.audit(r, bearer{}, "refused", "", "no valid token")
	w.Header().Set("WWW-Authenticate", `Bearer realm="parley"`)
	refuse(w, http.StatusUnauthorized, problem)
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
