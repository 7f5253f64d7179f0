package shell

import (
	"os"

	"golang.org/x/sys/unix"
)

// nameless returns a new file without a name: nothing else can open it.
func nameless() (*os.File, error) {
	fd, err := unix.Open(os.TempDir(), unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return removed() // not every file system can
	}
	return os.NewFile(uintptr(fd), "nameless"), nil
}
