package host

import (
	"errors"
	"net"
	"os"
)

// errNoSocket reports that a host cannot have a socket: its clients pass their open files over it, which sockets of Windows cannot do.
var errNoSocket = errors.New("on Windows a host has no socket for other processes of Parley: each of them has its own sessions")

func listen(string) (net.Listener, error) { return nil, errNoSocket }

func filesSpace(int) int { return 0 }

func filesMessage(...*os.File) []byte { return nil }

func receivedFiles([]byte) ([]*os.File, error) { return nil, nil }

func closeReceived(f *os.File) { f.Close() }

// peerUID returns the user of the other end of a connection, which is not known on Windows.
func peerUID(net.Conn) (uid int, known bool) { return 0, false }

// peerPID returns 0: the process at the other end of a connection is not known on Windows.
func peerPID(net.Conn) (pid int) { return 0 }
