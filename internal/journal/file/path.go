package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"parley.dev/parley/internal/atomicfile"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// Only the owner can read the folders and files of a store.
const (
	folderMode fs.FileMode = 0o700
	fileMode   fs.FileMode = 0o600

	sessionsName = "sessions"
	journalName  = "journal.jsonl"
	lockName     = "lock"
	wantedName   = "lease.wanted"
	blobsName    = "blobs"
	recentName   = "recent.jsonl"
	retiredName  = "recent.retired.jsonl"
	indexName    = "sessions.index"

	indexLockName = "sessions.index.lock"
)

// IDFromPath returns the session at path, which is a session's folder or the journal in it, and the
// root of its store. It returns ErrNotFound, or an error that says why path is neither.
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
	if filepath.Base(sessions) != sessionsName || !journal.ValidID(event.SessionID(name)) {
		return "", "", fmt.Errorf("%s is not in a folder of sessions", path)
	}
	return filepath.Dir(filepath.Clean(sessions)), event.SessionID(name), nil
}

func (s *Store) sessions() string { return filepath.Join(s.root, sessionsName) }

func (s *Store) folder(id event.SessionID) string { return filepath.Join(s.sessions(), string(id)) }

// existingFolder returns the folder of a session, or ErrNotFound if the session does not exist.
func (s *Store) existingFolder(id event.SessionID) (string, error) {
	if !journal.ValidID(id) {
		return "", notFound(id)
	}
	folder := s.folder(id)
	if _, err := os.Stat(filepath.Join(folder, journalName)); err != nil {
		return "", asNotFound(id, err)
	}
	return folder, nil
}

// asNotFound returns ErrNotFound for the session if err is fs.ErrNotExist, and else err.
func asNotFound(id event.SessionID, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return notFound(id)
	}
	return err
}

func notFound(id event.SessionID) error { return fmt.Errorf("session %q: %w", id, journal.ErrNotFound) }

// makeFolder creates a folder and its missing parents, all of them on disk when it returns.
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

// syncFolder waits until the directory entries of a folder are on disk.
func syncFolder(path string) error {
	return atomicfile.SyncFolder(path)
}

// exists reports whether there is anything at path.
func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// sameFile reports whether path still refers to the file f, which was opened from it.
func sameFile(f interface{ Stat() (fs.FileInfo, error) }, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	found, err := os.Stat(path)
	return err == nil && os.SameFile(opened, found)
}

// unusedName returns the first of path-1, path-2 … that does not exist.
func unusedName(path string) (string, error) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s-%d", path, n)
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name, nil
		} else if err != nil {
			return "", err
		}
	}
}
