package tool

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"parley.dev/parley/internal/lazy"
)

// privatePrefixes are the networks that the open Internet does not reach, besides those
// that netip.Addr knows, and a few addresses at which clouds serve secrets to their machines.
var privatePrefixes = lazy.Value[[]netip.Prefix]{New: func() []netip.Prefix {
	var prefixes []netip.Prefix
	for _, text := range []string{
		"0.0.0.0/8",        // this network; Linux takes it for loopback
		"100.64.0.0/10",    // carrier-grade NAT
		"192.0.0.0/24",     // protocol assignments
		"192.0.2.0/24",     // documentation
		"198.18.0.0/15",    // benchmarks
		"198.51.100.0/24",  // documentation
		"203.0.113.0/24",   // documentation
		"240.0.0.0/4",      // reserved, and broadcast
		"168.63.129.16/32", // Azure's wire server
		"::/96",            // IPv4-compatible, loopback, unspecified
		"64:ff9b:1::/48",   // local NAT64
		"100::/64",         // discard
		"2001::/23",        // protocol assignments, among them Teredo
		"2001:db8::/32",    // documentation
		"2002::/16",        // 6to4, which embeds any IPv4 address
		"3fff::/20",        // documentation
		"5f00::/16",        // segment routing
		"fec0::/10",        // site-local, deprecated
	} {
		prefixes = append(prefixes, netip.MustParsePrefix(text))
	}
	return prefixes
}}

// nat64 embeds a public IPv4 address in its last 32 bits (RFC 6052).
var nat64 = netip.PrefixFrom(netip.AddrFrom16([16]byte{0, 0x64, 0xff, 0x9b}), 96)

// isPublic reports whether addr is a unicast address of the open Internet.
func isPublic(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if nat64.Contains(addr) {
		bytes := addr.As16()
		return isPublic(netip.AddrFrom4([4]byte(bytes[12:])))
	}
	if !addr.IsGlobalUnicast() || addr.IsPrivate() {
		return false
	}
	return !slices.ContainsFunc(privatePrefixes.Get(), func(p netip.Prefix) bool { return p.Contains(addr) })
}

// metadataPrefixes are the addresses at which clouds give secrets to their machines. They are
// refused where private networks may be reached, too.
var metadataPrefixes = lazy.Value[[]netip.Prefix]{New: func() []netip.Prefix {
	var prefixes []netip.Prefix
	for _, text := range []string{
		"169.254.0.0/16",     // link-local
		"fe80::/10",          // link-local
		"fd00:ec2::/32",      // AWS
		"100.100.100.200/32", // Alibaba
		"168.63.129.16/32",   // Azure's wire server
	} {
		prefixes = append(prefixes, netip.MustParsePrefix(text))
	}
	return prefixes
}}

// isNotMetadata reports whether addr is neither link-local nor one of the metadata services of clouds.
func isNotMetadata(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if nat64.Contains(addr) {
		bytes := addr.As16()
		return isNotMetadata(netip.AddrFrom4([4]byte(bytes[12:])))
	}
	return !slices.ContainsFunc(metadataPrefixes.Get(), func(p netip.Prefix) bool { return p.Contains(addr) })
}

func errPrivate(addr netip.Addr) error {
	return fmt.Errorf("%s is an address of this machine or of a private network, which may not be reached", addr)
}

// Transport returns a transport that connects to addresses of the open Internet only or, with private,
// to all but link-local ones and the metadata services of clouds. It uses no proxy.
func Transport(private bool) *http.Transport {
	if private {
		return fetchTransport(isNotMetadata, false)
	}
	return fetchTransport(isPublic, false)
}

// IsPublic reports whether addr is a unicast address of the open Internet.
func IsPublic(addr netip.Addr) bool { return isPublic(addr) }

// fetchTransport makes connections for one fetch, to peers that are reachable.
// It looks at the address of each at the moment of dialling: a name that is resolved once
// more to something else, or a redirect, gets no further. A proxy could be talked into
// going there, so none is used unless private networks may be reached.
func fetchTransport(reachable func(netip.Addr) bool, proxied bool) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	transport := &http.Transport{
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: 1 << 20,
	}
	if proxied {
		transport.Proxy = http.ProxyFromEnvironment
	}
	dialer.Control = func(_, address string, _ syscall.RawConn) error {
		peer, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		if !reachable(peer.Addr()) {
			return errPrivate(peer.Addr())
		}
		return nil
	}
	return transport
}
