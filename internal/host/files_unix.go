//go:build unix

package host

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// This file passes open files from process to process over a unix socket.

// filesSpace returns the bytes that a message needs for n files.
func filesSpace(n int) int { return unix.CmsgSpace(4 * n) }

// filesMessage returns what a message needs to pass files.
func filesMessage(files ...*os.File) []byte {
	fds := make([]int, len(files))
	for i, f := range files {
		fds[i] = int(f.Fd()) //nolint:gosec // descriptors are small
	}
	return unix.UnixRights(fds...)
}

// receivedFiles returns the files of a message.
func receivedFiles(oob []byte) (files []*os.File, err error) {
	if len(oob) == 0 {
		return nil, nil
	}
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, fmt.Errorf("files of the client: %w", err)
	}
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			continue // it is of another kind
		}
		for _, fd := range fds {
			files = append(files, openReceived(fd))
		}
	}
	return files, nil
}

// closeReceived closes a file as its other users know it: such that reads wait.
func closeReceived(f *os.File) {
	if raw, err := f.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.SetNonblock(int(fd), false) })
	}
	f.Close()
}

// openReceived returns a file of a descriptor. Pipes and sockets are read and written without a thread that waits: such
// a read ends when the file is closed. Other files may be shared with processes that do not expect it.
func openReceived(fd int) *os.File {
	unix.CloseOnExec(fd)
	var stat unix.Stat_t
	if unix.Fstat(fd, &stat) == nil {
		switch stat.Mode & unix.S_IFMT {
		case unix.S_IFIFO, unix.S_IFSOCK:
			_ = unix.SetNonblock(fd, true) // it blocks then
		}
	}
	return os.NewFile(uintptr(fd), "file of the client") //nolint:gosec // descriptors are not negative
}
