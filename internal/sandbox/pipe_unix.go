//go:build unix

package sandbox

import (
	"os"
	"syscall"
)

// outputPipe returns a pipe whose reading end has deadlines.
func outputPipe() (from, end *os.File, err error) { return os.Pipe() }

// readAvailable reads what is in a pipe, and does not wait; 0 if there is nothing, or an error.
func readAvailable(from *os.File, buffer []byte) (n int) {
	raw, err := from.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Read(func(fd uintptr) bool {
		n, err = syscall.Read(int(fd), buffer)
		return true
	})
	return max(n, 0)
}
