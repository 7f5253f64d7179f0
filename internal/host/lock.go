package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// This file contains the lock of a state folder, which its host holds. The file has the id of the host's process.

func lockPath(home string) string { return filepath.Join(home, "run", "host.lock") }

// tryLock gets the lock of a state folder; false: another host has it.
func tryLock(home string) (held *flock.Flock, locked bool, err error) {
	held = flock.New(lockPath(home), flock.SetPermissions(0o600))
	if locked, err = held.TryLock(); err != nil {
		return nil, false, fmt.Errorf("lock of the host: %w", err)
	}
	return held, locked, nil
}

// writeHolder writes the id of this process into the lock.
func writeHolder(home string) error {
	if err := os.WriteFile(lockPath(home), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return fmt.Errorf("lock of the host: %w", err)
	}
	return nil
}

// lockHolder returns the process that has written its id into the lock of a state folder last; 0: it is not known.
func lockHolder(home string) (pid int) {
	text, err := os.ReadFile(lockPath(home))
	if err != nil {
		return 0
	}
	pid, _ = strconv.Atoi(strings.TrimSpace(string(text))) // an older version writes nothing
	return pid
}

// isLocked reports whether a host has a state folder.
func isLocked(home string) bool {
	held, locked, err := tryLock(home)
	if locked {
		_ = held.Unlock() // it is closed in any case
	}
	return err == nil && !locked
}
