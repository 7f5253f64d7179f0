package address

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"parley.dev/parley/internal/lazy"
)

// An Address is the servers of a store and its namespace there.
type Address struct {
	Servers   []string // with scheme and port, such as nats://127.0.0.1:4222
	Namespace string
}

var namespacePattern = lazy.Regexp{Expr: `^[a-z0-9_]{1,32}$`}

// defaultPort is the port of a server whose address has none.
const defaultPort = "4222"

// ErrPassword is the error of an address that has a user or a password, which commands would show to other users.
var ErrPassword = errors.New("the address of a store must not contain a user or a password; credentials are in a file")

// Parse parses nats://HOST[:PORT],…[/NAMESPACE], or tls://…. Each server can have the scheme, as other clients of NATS write
// it. The default namespace is parley. Errors do not repeat what could be a password.
func Parse(text string) (Address, error) {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || scheme != "nats" && scheme != "tls" {
		return Address{}, fmt.Errorf("the address of a store is nats://HOST:PORT or tls://HOST:PORT")
	}
	switch {
	case strings.Contains(rest, "@"):
		return Address{}, ErrPassword
	case strings.ContainsAny(rest, "?#%"):
		return Address{}, fmt.Errorf("the address of a store must not contain ?, # or %%")
	}
	rest = strings.ReplaceAll(rest, ","+scheme+"://", ",")
	if strings.Contains(rest, "://") {
		return Address{}, fmt.Errorf("%s: all servers have one scheme: %s://HOST:PORT,HOST:PORT/NAMESPACE", text, scheme)
	}
	servers, name, _ := strings.Cut(rest, "/")
	if name == "" {
		name = "parley"
	}
	if !namespacePattern.Get().MatchString(name) {
		return Address{}, fmt.Errorf("%s: the namespace %q is not 1 to 32 of a–z, 0–9 and _; the form is %s://HOST:PORT,HOST:PORT/NAMESPACE", text, name, scheme)
	}
	a := Address{Namespace: name}
	for server := range strings.SplitSeq(servers, ",") {
		u, err := url.Parse(scheme + "://" + server)
		if err != nil || !isName(u.Hostname()) || strings.Contains(u.String(), "%") { // what a URL escapes is in no name of a server
			return Address{}, fmt.Errorf("%s: %q is not the address of a server", text, server)
		}
		if u.Port() == "" {
			u.Host = net.JoinHostPort(u.Hostname(), defaultPort)
		}
		a.Servers = append(a.Servers, u.String())
	}
	return a, nil
}

// isName reports whether a text can be the name or the IP address of a server.
func isName(host string) bool {
	return host != "" && (!strings.Contains(host, ":") || net.ParseIP(host) != nil)
}

func (a Address) String() string {
	return strings.Join(a.Servers, ",") + "/" + a.Namespace
}

// OnLoopback reports whether all servers are on this machine.
func (a Address) OnLoopback() bool {
	for _, server := range a.Servers {
		u, err := url.Parse(server)
		if err != nil || !IsLoopback(u.Hostname()) {
			return false
		}
	}
	return true
}

// UsesTLS reports whether the scheme of the address is tls.
func (a Address) UsesTLS() bool {
	return slices.ContainsFunc(a.Servers, func(server string) bool { return strings.HasPrefix(server, "tls://") })
}

// IsLoopback reports whether a host name or an IP address is one of this machine's own.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
