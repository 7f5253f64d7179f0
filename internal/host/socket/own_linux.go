package socket

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"io"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// knowsUsers is whether the user of a client on this machine can be determined.
const knowsUsers = true

// OpenWarning is shown at the start of a server whose clients need no token.
const OpenWarning = "warning: clients need no token here: each process of this user can run commands through this server (--ws-auth)"

// peerUID returns the user of the socket at the other end of a connection within this machine.
func peerUID(client, server netip.AddrPort) (uid int, known bool) {
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		file, err := os.Open(name)
		if err != nil {
			continue
		}
		uid, known = findUID(file, client, server)
		file.Close()
		if known {
			return uid, true
		}
	}
	return 0, false
}

// established is the state of a socket whose process has it open. One that was closed has another, and belongs to no user.
const established = "01"

// findUID returns the user of a socket in a list of the system: a line has its number, local address, remote address, state, four
// columns about queues, and the user.
func findUID(list io.Reader, local, remote netip.AddrPort) (uid int, known bool) {
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 10 || fields[3] != established || !isAddress(fields[1], local) || !isAddress(fields[2], remote) {
			continue
		}
		uid, err := strconv.Atoi(fields[7])
		return uid, err == nil && fields[9] != "0" // the number of its inode
	}
	return 0, false
}

// isAddress reports whether a text of the system is an address: words of 32 bits as this machine has them, and the port.
func isAddress(text string, want netip.AddrPort) bool {
	address, port, ok := strings.Cut(text, ":")
	if !ok {
		return false
	}
	data, err := hex.DecodeString(address)
	n, portErr := strconv.ParseUint(port, 16, 16)
	if err != nil || portErr != nil || len(data)%4 != 0 {
		return false
	}
	for i := 0; i < len(data); i += 4 {
		binary.NativeEndian.PutUint32(data[i:], binary.BigEndian.Uint32(data[i:]))
	}
	got, ok := netip.AddrFromSlice(data)
	return ok && uint16(n) == want.Port() && got.Unmap() == want.Addr().Unmap()
}
