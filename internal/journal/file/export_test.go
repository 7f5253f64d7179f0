package file

import "parley.dev/parley/internal/event"

// FirstLine returns the first line of a journal, with its line feed.
func FirstLine(rec event.Record) ([]byte, error) {
	line, _, err := new(chain).appendLine(nil, rec, position{})
	return line, err
}

// StopWatching makes followers of s use polling only.
func StopWatching(s *Store) error { return s.notifier.watcher.close() }
