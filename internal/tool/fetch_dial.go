package tool

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"syscall"
	"time"
)

// privatePrefixes are the networks that the open Internet does not reach, besides those
// that netip.Addr knows, and a few addresses at which clouds tell secrets to their machines.
var privatePrefixes = sync.OnceValue(func() []netip.Prefix {
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
})

// nat64 embeds a public IPv4 address in its last 32 bits (RFC 6052).
var nat64 = netip.PrefixFrom(netip.AddrFrom16([16]byte{0, 0x64, 0xff, 0x9b}), 96)

// isPublic tells whether addr is a unicast address of the open Internet.
func isPublic(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if nat64.Contains(addr) {
		bytes := addr.As16()
		return isPublic(netip.AddrFrom4([4]byte(bytes[12:])))
	}
	if !addr.IsGlobalUnicast() || addr.IsPrivate() {
		return false
	}
	return !slices.ContainsFunc(privatePrefixes(), func(p netip.Prefix) bool { return p.Contains(addr) })
}

// fetchTransport makes connections for one fetch, to peers that are reachable; nil is all.
// It looks at the address of each at the moment of dialling: a name that is resolved once
// more to something else, or a redirect, gets no further. A proxy could be talked into
// going there, so none is used then.
func fetchTransport(reachable func(netip.Addr) bool) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	transport := &http.Transport{
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: 1 << 20,
	}
	if reachable == nil {
		transport.Proxy = http.ProxyFromEnvironment
		return transport
	}
	dialer.Control = func(_, address string, _ syscall.RawConn) error {
		peer, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		if !reachable(peer.Addr()) {
			return fmt.Errorf("%s is an address of this machine or of a private network, which may not be reached", peer.Addr())
		}
		return nil
	}
	return transport
}
