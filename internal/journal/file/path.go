package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// This file is where things lie. Folders are for their owner alone, and so are files.

const (
	folderMode fs.FileMode = 0o700
	fileMode   fs.FileMode = 0o600

	sessionsName = "sessions"
	journalName  = "journal.jsonl"
	lockName     = "lock"
	blobsName    = "blobs"
	recentName   = "recent.jsonl"
	retiredName  = "recent.retired.jsonl"
	indexName    = "index.db"

	maxID = 128 // bytes
)

// IDFromPath says which session of which store lies at path, a session's folder or the
// journal in it. ErrNotFound, or an error that says why it is neither.
func IDFromPath(path string) (root string, id event.SessionID, err error) {
	folder, err := filepath.Abs(path)
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", fmt.Errorf("%s: %w", path, journal.ErrNotFound)
	}
	if err != nil {
		return "", "", err
	}
	if filepath.Base(folder) == journalName {
		folder = filepath.Dir(folder)
	}
	if _, err := os.Stat(filepath.Join(folder, journalName)); err != nil {
		return "", "", fmt.Errorf("%s: %w", path, journal.ErrNotFound)
	}
	sessions, name := filepath.Split(folder)
	if filepath.Base(sessions) != sessionsName || !valid(event.SessionID(name)) {
		return "", "", fmt.Errorf("%s is not in a folder of sessions", path)
	}
	return filepath.Dir(filepath.Clean(sessions)), event.SessionID(name), nil
}

// valid says whether an id can be the name of a folder.
func valid(id event.SessionID) bool {
	name := string(id)
	return name != "" && len(name) <= maxID && utf8.ValidString(name) &&
		strings.Trim(name, ".") != "" &&
		!strings.ContainsFunc(name, func(r rune) bool { return r == '/' || r == '\\' || unicode.IsControl(r) })
}

func (s *Store) sessions() string { return filepath.Join(s.root, sessionsName) }

func (s *Store) folder(id event.SessionID) string { return filepath.Join(s.sessions(), string(id)) }

// find is the folder of a session that exists.
func (s *Store) find(id event.SessionID) (string, error) {
	if !valid(id) {
		return "", notFound(id)
	}
	folder := s.folder(id)
	if _, err := os.Stat(filepath.Join(folder, journalName)); err != nil {
		return "", missing(id, err)
	}
	return folder, nil
}

// missing is err, as ErrNotFound if that is what it means for the session.
func missing(id event.SessionID, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return notFound(id)
	}
	return err
}

func notFound(id event.SessionID) error { return fmt.Errorf("session %q: %w", id, journal.ErrNotFound) }

// makeFolder makes a folder and its missing parents, all of them on disk when it returns.
func makeFolder(path string) error {
	err := os.Mkdir(path, folderMode)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeFolder(filepath.Dir(path)); err != nil {
			return err
		}
		err = os.Mkdir(path, folderMode)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder waits until the names in a folder are on disk.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// exists says whether there is anything at path.
func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// sameFile says whether path still leads to the file that was opened from it.
func sameFile(f interface{ Stat() (fs.FileInfo, error) }, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	found, err := os.Stat(path)
	return err == nil && os.SameFile(opened, found)
}
