//go:build unix

package wire

import (
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// ProtectStdout keeps stdout for the protocol and returns it: the only way left to write
// there. Fd 1 and os.Stdout become stderr, so that no stray print, library or child can
// break a line; the file returned is closed in children.
//
// A reader that has gone gives EPIPE instead of death by SIGPIPE. The signal is caught
// rather than ignored, since children would inherit that and a shell pipe such as
// "yes | head" needs the signal.
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
