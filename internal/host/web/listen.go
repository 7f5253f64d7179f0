package web

import (
	"errors"
	"fmt"
	"net"
)

// ErrNeedsTLS reports an address that other machines can reach, without TLS.
var ErrNeedsTLS = errors.New("other machines can reach this address: it needs --tls-cert and --tls-key")

// CheckAddress reports whether addr, of the form host:port, may be listened on: only a loopback address may without TLS.
func CheckAddress(addr string, tls bool) error {
	_, err := resolve(addr, tls)
	return err
}

// resolve returns the address that may be listened on.
func resolve(addr string, tls bool) (*net.TCPAddr, error) {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return nil, fmt.Errorf("%q is not an address of the form HOST:PORT, such as 127.0.0.1:4100", addr)
	}
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w", addr, err)
	}
	return tcp, check(tcp, tls)
}

func check(addr net.Addr, tls bool) error {
	if tcp, ok := addr.(*net.TCPAddr); !tls && (!ok || !tcp.IP.IsLoopback()) {
		return fmt.Errorf("address %s: %w", addr, ErrNeedsTLS)
	}
	return nil
}

// Listen listens on addr, which [CheckAddress] accepts.
func Listen(addr string, tls bool) (net.Listener, error) {
	tcp, err := resolve(addr, tls)
	if err != nil {
		return nil, err
	}
	listener, err := net.ListenTCP("tcp", tcp) // what was checked, not what the name means now
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return listener, nil
}

// URL returns where the server of a listener is found.
func URL(listener net.Listener, tls bool) string {
	scheme := "http"
	if tls {
		scheme = "https"
	}
	return scheme + "://" + listener.Addr().String()
}
