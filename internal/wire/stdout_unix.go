//go:build unix

package wire

import (
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// ProtectStdout reserves stdout for the protocol and returns it, as the only file that writes
// there. Fd 1 and os.Stdout become stderr, so that no stray print of a library or child can
// break a line; the returned file is closed in children.
//
// When the reader has closed the pipe, writes fail with EPIPE instead of killing the process with
// SIGPIPE. The signal is caught rather than ignored, since children would inherit an ignored
// signal, and a shell pipe such as "yes | head" needs it.
func ProtectStdout() (*os.File, error) {
	fd, err := unix.FcntlInt(uintptr(unix.Stdout), unix.F_DUPFD_CLOEXEC, unix.Stderr+1)
	if err != nil {
		return nil, fmt.Errorf("duplicate stdout: %w", err)
	}
	if err := replaceFD(unix.Stderr, unix.Stdout); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("point stdout at stderr: %w", err)
	}
	os.Stdout = os.Stderr
	signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE)
	return os.NewFile(uintptr(fd), "stdout"), nil
}
