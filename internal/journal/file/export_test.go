package file

import (
	"errors"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal/chain"
)

// FirstLine returns the first line of a journal, with its line feed.
func FirstLine(rec event.Record) ([]byte, error) {
	line, _, err := new(chain.Hasher).Append(nil, rec, chain.Position{})
	return line, err
}

// StopWatching makes followers of s, and holders of leases, use polling only.
func StopWatching(s *Store) error {
	return errors.Join(s.notifier.watcher.close(), s.requests.watcher.close())
}

// SetTryLock replaces how locks are probed, until the test ends.
func SetTryLock(t *testing.T, f func(folder string) error) {
	before := tryLock
	tryLock = f
	t.Cleanup(func() { tryLock = before })
}
