package socket

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"parley.dev/parley/internal/host"
)

// ErrNeedsToken reports an address that other machines can reach, where clients need no token.
var ErrNeedsToken = errors.New("other machines can reach this address: clients need a token there (--ws-auth)")

// Listen listens at an address: unix://PATH, where "" is the given path, or ws://IP:PORT. Only a loopback address may be
// listened on where clients need no token. The second result is the address as clients have it.
func Listen(address, path string, tokens bool) (net.Listener, string, error) {
	if at, ok := strings.CutPrefix(address, "unix://"); ok {
		if at == "" {
			at = path
		}
		listener, err := host.Listen(at)
		return listener, "unix://" + at, err
	}
	at, ok := strings.CutPrefix(address, "ws://")
	if !ok {
		return nil, "", fmt.Errorf("the address %q is none of unix://PATH and ws://IP:PORT", address)
	}
	ip, err := netip.ParseAddrPort(at)
	if err != nil {
		return nil, "", fmt.Errorf("the address %q is not ws://IP:PORT", address)
	}
	if !ip.Addr().IsLoopback() && !tokens {
		return nil, "", ErrNeedsToken
	}
	listener, err := net.Listen("tcp", at)
	if err != nil {
		return nil, "", err
	}
	if !tokens {
		listener = ownListener{listener}
	}
	return listener, "ws://" + listener.Addr().String(), nil
}
