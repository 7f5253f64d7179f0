package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// Writers do not use the index: they append changes to recent.jsonl, one line in one write, and
// never wait for the readers, which ingest them (ingest.go). A lost line loses nothing but time:
// the journals have all data.

// A change is a line of recent.jsonl: the latest Summary of a session, or its removal.
type change struct {
	journal.Summary `json:",embed"`
	Removed         bool `json:"removed,omitzero"`
}

// recordChange writes the session's summary to recent.jsonl. The caller holds l.mu, or l is not
// shared yet.
func (l *lease) recordChange() {
	if !sameFile(l.file, l.path()) {
		return // another program deleted it; it should not be listed
	}
	// A failure must not fail the writer; the next change repeats the summary.
	l.indexed = l.store.appendRecent(change{Summary: l.summary}) == nil
}

// recordRemoval writes to recent.jsonl that a session was removed.
func (s *Store) recordRemoval(id event.SessionID) error {
	return s.appendRecent(change{Summary: journal.Summary{ID: id}, Removed: true})
}

func (s *Store) appendRecent(c change) error {
	line, err := json.Marshal(c, json.Deterministic(true))
	if err != nil {
		return err
	}
	// The line feed before it separates it from an incomplete line that a crash left.
	line = append(append([]byte{'\n'}, line...), '\n')
	for {
		appended, err := appendOnce(filepath.Join(s.root, recentName), line)
		if err != nil || appended {
			return err
		}
	}
}

// appendOnce appends line to the file. If the file was retired meanwhile, its last reader may have
// missed the line: then it returns false.
func appendOnce(path string, line []byte) (appended bool, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, fileMode)
	if err != nil {
		return false, err
	}
	_, err = f.Write(line)
	appended = sameFile(f, path)
	return appended, errors.Join(err, f.Close())
}

// sizeOf returns the size of a file in bytes; 0 if it does not exist.
func sizeOf(path string) (int64, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
