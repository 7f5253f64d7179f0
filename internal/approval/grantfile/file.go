package grantfile

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofrs/flock"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/atomicfile"
	"parley.dev/parley/internal/regular"
)

const (
	fileMode   = 0o600
	folderMode = 0o700
	others     = 0o022 // write permission of group and others

	fileVersion = 1
	maxFile     = 8 << 20 // bytes

	lockLimit = 10 * time.Second // other processes hold the lock for milliseconds
	lockPause = 5 * time.Millisecond
)

// A ledger is the content of the file.
type ledger struct {
	Version    int                         `json:"version"`
	Workspaces map[string][]approval.Grant `json:"workspaces"`
}

func (s *Store) path() string { return filepath.Join(s.folder, "grants.json") }

// read reads the file. It needs no lock, since the file is only replaced as a whole. The error is
// ErrDamaged if the file cannot be trusted, or if one grant in it is not valid: it could be for less
// than it seems.
func (s *Store) read() (snapshot, error) {
	info, err := os.Lstat(s.path())
	if err != nil {
		return snapshot{}, fmt.Errorf("the stored grants cannot be read: %w", err)
	}
	if !info.Mode().IsRegular() {
		return snapshot{}, fmt.Errorf("%w: they are not in a file", ErrDamaged)
	}
	f, err := regular.Open(s.path())
	if err != nil {
		return snapshot{}, fmt.Errorf("the stored grants cannot be read: %w", err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return snapshot{}, fmt.Errorf("the stored grants cannot be read: %w", err)
	}
	if info.Mode().Perm()&others != 0 {
		return snapshot{}, fmt.Errorf("%w: others could have written them", ErrDamaged)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return snapshot{}, fmt.Errorf("the stored grants cannot be read: %w", err)
	}
	all, err := s.parse(data)
	return snapshot{info: info, grants: all, trusted: err == nil}, err
}

func (s *Store) parse(data []byte) (map[string][]approval.Grant, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("%w: there are more than %d bytes", ErrDamaged, maxFile)
	}
	var head struct {
		Version int            `json:"version"`
		Rest    jsontext.Value `json:",unknown"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if head.Version > fileVersion {
		return nil, fmt.Errorf("the stored grants in %s are of a later version of the program: nothing is granted", s.path())
	}
	var found ledger
	if err := json.Unmarshal(data, &found, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if found.Version != fileVersion {
		return nil, fmt.Errorf("%w: the version is not known", ErrDamaged)
	}
	for workspace, list := range found.Workspaces {
		if err := checkWorkspace(workspace); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		for i, g := range list {
			if err := g.Validate(); err != nil {
				return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
			}
			if g.Scope != approval.Always {
				return nil, fmt.Errorf("%w: one is for %q", ErrDamaged, g.Scope)
			}
			list[i] = g.Named()
		}
	}
	return found.Workspaces, nil
}

func (s *Store) write(all map[string][]approval.Grant) error {
	data, err := json.Marshal(ledger{fileVersion, all}, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("the grants make no JSON: %w", err)
	}
	if len(data) >= maxFile {
		return fmt.Errorf("the grants would be more than %d bytes: revoke some", maxFile)
	}
	err = atomicfile.WriteFile(s.path(), append(data, '\n'), fileMode)
	if err != nil {
		return fmt.Errorf("the grants cannot be stored: %w", err)
	}
	return syncFolder(s.folder)
}

// syncFolder makes a rename durable: a revoked grant must not come back after a power failure.
func syncFolder(folder string) error {
	if err := atomicfile.SyncFolder(folder); err != nil {
		return fmt.Errorf("the grants may not last: %w", err)
	}
	return nil
}

// backUp renames the file, under the lock, and returns the new name.
func (s *Store) backUp() (string, error) {
	for n := 1; ; n++ {
		backup := filepath.Join(s.folder, fmt.Sprintf("grants.damaged-%d.json", n))
		if _, err := os.Lstat(backup); err == nil {
			continue
		}
		if err := os.Rename(s.path(), backup); err != nil {
			return "", fmt.Errorf("they cannot be put aside, and nothing is granted: %w", err)
		}
		return backup, nil
	}
}

// lock locks the folder against other goroutines and processes. It never removes the lock file:
// otherwise two processes could each lock their own.
func (s *Store) lock() (unlock func(), err error) {
	if err := os.MkdirAll(s.folder, folderMode); err != nil {
		return nil, fmt.Errorf("the folder of the grants cannot be made: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockLimit)
	defer cancel()
	l := flock.New(filepath.Join(s.folder, "grants.lock"), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(fileMode))
	if ok, err := l.TryLockContext(ctx, lockPause); !ok {
		return nil, fmt.Errorf("the stored grants cannot be locked: %w", err)
	}
	return func() { _ = l.Close() }, nil
}
