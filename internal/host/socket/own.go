package socket

import (
	"net"
	"net/netip"
	"os"
	"time"
)

// An ownListener accepts connections of this user's processes only, or of the superuser's, since no token is needed.
type ownListener struct{ net.Listener }

// refusal is what other clients are answered.
const refusal = "HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n" +
	"this server takes clients of the user that has started it; others need a token (--ws-auth)\n"

// Accept implements net.Listener.
func (l ownListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil || ownPeer(conn) {
			return conn, err
		}
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second)) // it is refused in any case
		_, _ = conn.Write([]byte(refusal))
		conn.Close()
	}
}

// ownPeer reports whether the client of a connection is a process of this user. Where the system does not say, it is taken for one.
func ownPeer(conn net.Conn) bool {
	client, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return false
	}
	server, err := netip.ParseAddrPort(conn.LocalAddr().String())
	if err != nil {
		return false
	}
	uid, known := peerUID(client, server)
	return !knowsUsers || known && (uid == os.Getuid() || uid == 0)
}
