package web

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
)

// ParseAddress reads the address of a host, ws://HOST:PORT or wss://HOST:PORT, if need be with a path that comes before
// /v1/. The error does not repeat the address: it may contain a secret that belongs elsewhere.
func ParseAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "ws" && u.Scheme != "wss" || u.Hostname() == "":
		return nil, errors.New("the address of a host is ws://HOST:PORT or wss://HOST:PORT")
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.Contains(address, "#"):
		return nil, errors.New("the address of a host has no user, no query and no fragment: the token is in PARLEY_TOKEN")
	}
	return u, nil
}

var errPlain = errors.New("the token would be sent to another machine unencrypted: use wss:// or https://")

// onlyLoopback is a net.Dialer.ControlContext that refuses what is not on this machine, whatever its name is.
func onlyLoopback(_ context.Context, _, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if ip, err := netip.ParseAddr(host); err != nil || !ip.Unmap().IsLoopback() {
		return errPlain
	}
	return nil
}
