package approval

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"parley.dev/parley/internal/lazy"
)

// A host is the destination of a URL.
type host struct {
	name, port string
	usual      bool // port is the default one of the scheme
}

var usualPorts = lazy.Value[map[string]string]{New: func() map[string]string { return map[string]string{"http": "80", "https": "443"} }}

// hostOf parses an address as the fetching code does. It returns false if the destination is not
// certain: a name that has to be translated (IDN), a user part, another scheme.
func hostOf(address string) (host, bool) {
	u, err := url.Parse(address)
	if err != nil || usualPorts.Get()[u.Scheme] == "" || u.User != nil || u.Opaque != "" {
		return host{}, false
	}
	h := host{name: strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")), port: u.Port()}
	if h.port == "" {
		h.port = usualPorts.Get()[u.Scheme]
	}
	h.usual = h.port == usualPorts.Get()[u.Scheme]
	return h, plainHost(h.name)
}

// coversHost reports whether a domain pattern covers h. Case is ignored, as in DNS.
func coversHost(pattern string, h host) bool {
	if pattern == "*" {
		return true
	}
	name, port := splitHost(pattern)
	name = strings.ToLower(name)
	if port == "" && !h.usual || port != "" && port != h.port {
		return false
	}
	if parent, below := strings.CutPrefix(name, "*."); below {
		return h.name == parent || strings.HasSuffix(h.name, "."+parent)
	}
	return h.name == name
}

// splitHost splits a pattern into name and port. An IPv6 address with a port is in brackets.
func splitHost(pattern string) (name, port string) {
	if inner, found := strings.CutPrefix(pattern, "["); found {
		name, port, _ = strings.Cut(inner, "]:")
		return strings.TrimSuffix(name, "]"), port
	}
	if strings.Count(pattern, ":") == 1 {
		name, port, _ = strings.Cut(pattern, ":")
		return name, port
	}
	return pattern, ""
}

// plainHost reports whether a lower-case name is a host name or an IP address.
func plainHost(name string) bool {
	if strings.Contains(name, ":") {
		address, err := netip.ParseAddr(name)
		return err == nil && address.Zone() == ""
	}
	return hostName.Get().MatchString(name) && !strings.Contains(name, "..")
}

var hostName = lazy.Regexp{Expr: `^[a-z0-9_-]([a-z0-9._-]*[a-z0-9_-])?$`}

func checkDomain(pattern string) error {
	name, port := splitHost(pattern)
	written := name // the only accepted spelling
	if strings.Contains(name, ":") && name != pattern {
		written = "[" + name + "]"
	}
	if digits.Get().MatchString(port) {
		written += ":" + port
	}
	if pattern == "*" || pattern == written && plainHost(strings.ToLower(strings.TrimPrefix(name, "*."))) {
		return nil
	}
	return fmt.Errorf(`a grant for a domain is a host name in ASCII, "*." before one, or "*", and perhaps a port: %q`, pattern)
}
