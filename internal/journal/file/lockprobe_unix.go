//go:build unix

package file

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockProbe locks a new file in a folder, and removes it.
func lockProbe(folder string) error {
	f, err := os.CreateTemp(folder, "lock-*")
	if err != nil {
		return nil
	}
	err = unix.FcntlFlock(f.Fd(), unix.F_SETLK, &unix.Flock_t{Type: unix.F_WRLCK})
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}
