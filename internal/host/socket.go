package host

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"
)

// SocketPath returns where the socket of a state folder is.
func SocketPath(home string) string { return filepath.Join(home, "run", "host.sock") }

// longestPath is how long the path of a socket may be, in bytes: what every system allows, with its end.
const longestPath = 103

// Listen makes the socket at path, which only the user can connect to. A socket where no process listens is replaced;
// one where a process does, and whatever is no socket, is an error.
func Listen(path string) (net.Listener, error) {
	if len(path) > longestPath {
		return nil, fmt.Errorf("the path of the socket has %d bytes, and %d are possible: choose a shorter one with --socket or PARLEY_HOME: %s",
			len(path), longestPath, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("folder of the socket: %w", err)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("socket: %w", err)
	case info.Mode().Type() != fs.ModeSocket:
		return nil, fmt.Errorf("%s is there and is no socket", path)
	default:
		if conn, err := net.DialTimeout("unix", path, time.Second); err == nil {
			pid := peerPID(conn)
			conn.Close()
			return nil, fmt.Errorf("a host listens already at %s (process %d)", path, pid)
		}
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("socket of a host that has ended: %w", err)
		}
	}
	listener, err := listen(path)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return listener, nil
}

// ours reports whether the client of a connection is a process of this user, or of the superuser.
func ours(conn net.Conn) bool {
	uid, known := peerUID(conn)
	return known && (uid == os.Getuid() || uid == 0)
}
