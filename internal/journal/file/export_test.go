package file

import (
	"errors"
	"testing"

	"github.com/gofrs/flock"

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

// SetTryLock replaces how files are locked, until the test ends.
func SetTryLock(t *testing.T, f func(*flock.Flock) (bool, error)) {
	before := tryLock
	tryLock = f
	t.Cleanup(func() { tryLock = before })
}

// IndexOfVersion returns an index of a version, without sessions.
func IndexOfVersion(version string) []byte {
	t := newTable()
	lines := t.appendLine(nil, func(b []byte) []byte { return append(b, string(versionMark)+version+"\tX"...) })
	return t.appendLine(lines, func(b []byte) []byte { return appendProgress(b, ingestProgress{}) })
}
