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

// This file is the writers' side of the index: they append what changed to recent.jsonl,
// one line in one write, and never wait for the readers, which take it into the index
// (ingest.go). Nothing is lost if a line is: the journals know better.

// A change is a line of recent.jsonl: the latest Summary of a session, or its end.
type change struct {
	journal.Summary `json:",embed"`
	Removed         bool `json:"removed,omitzero"`
}

// note tells the index what the session looks like now. Under l.mu, or before others know l.
func (l *lease) note() {
	if !sameFile(l.file, l.path()) {
		return // deleted behind our back; a list should not show it
	}
	// A failure is no reason to fail the writer; the next note makes up for it.
	l.noted = l.store.appendRecent(change{Summary: l.summary}) == nil
}

// noteRemoved tells the index that a session is gone.
func (s *Store) noteRemoved(id event.SessionID) error {
	return s.appendRecent(change{Summary: journal.Summary{ID: id}, Removed: true})
}

func (s *Store) appendRecent(c change) error {
	line, err := json.Marshal(c, json.Deterministic(true))
	if err != nil {
		return err
	}
	// The line feed before it sets it apart from a line that a crash left torn.
	line = append(append([]byte{'\n'}, line...), '\n')
	for {
		stands, err := appendOnce(filepath.Join(s.root, recentName), line)
		if err != nil || stands {
			return err
		}
	}
}

// appendOnce appends line to the file. If the file was retired meanwhile, its reader may
// have come too early for the line: then it does not stand.
func appendOnce(path string, line []byte) (stands bool, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, fileMode)
	if err != nil {
		return false, err
	}
	_, err = f.Write(line)
	stands = sameFile(f, path)
	return stands, errors.Join(err, f.Close())
}

// sizeOf is the size of a file in bytes; 0 if it is not there.
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
