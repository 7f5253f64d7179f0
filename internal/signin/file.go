package signin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofrs/flock"

	"parley.dev/parley/internal/atomicfile"
	"parley.dev/parley/internal/regular"
)

const (
	fileMode   = 0o600
	folderMode = 0o700

	fileVersion = 1
	maxFile     = 4 << 20 // bytes

	lockLimit = 10 * time.Second // others hold it for milliseconds
	lockPause = 5 * time.Millisecond
)

// A shelf is the file.
type shelf struct {
	Version int              `json:"version"`
	Secrets map[string]entry `json:"secrets"`
}

// An entry is a secret, or where in the keyring it is.
type entry struct {
	Version string `json:"version"`        // another one with every change
	Value   string `json:"value,omitzero"` // absent if it is in the keyring
	Items   int    `json:"items,omitzero"` // how many items of the keyring hold it; absent if none
}

// item returns what the items of the keyring are called. No two versions share one, so that a
// change that fails halfway has changed nothing.
func (e entry) item(name string) string { return name + "." + e.Version }

// read returns the file as it is; an empty shelf if there is none. It needs no lock: the file is
// only ever replaced as a whole. No error contains what is in it.
func (s *Store) read() (shelf, error) {
	empty := shelf{Version: fileVersion, Secrets: map[string]entry{}}
	f, err := regular.Open(s.path())
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return shelf{}, fmt.Errorf("the stored secrets cannot be read: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Mode().Perm()&^fileMode != 0 {
		_ = f.Chmod(fileMode) // it was copied or restored with other permissions
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return shelf{}, fmt.Errorf("the stored secrets cannot be read: %w", err)
	}
	var found shelf
	if len(data) > maxFile || json.Unmarshal(data, &found) != nil || found.Version != fileVersion {
		return shelf{}, fmt.Errorf("the stored secrets in %s are damaged, or of a later version: remove the file and sign in again", s.path())
	}
	if found.Secrets == nil {
		found.Secrets = empty.Secrets
	}
	return found, nil
}

// swap puts an entry, or nothing if it is nil, where another was. If version is not "", only
// in the place of that one, else it returns false.
func (s *Store) swap(name string, fresh *entry, version string) (old entry, done bool, err error) {
	unlock, err := s.lock(context.Background(), "secrets.lock", lockLimit)
	if err != nil {
		return entry{}, false, err
	}
	defer unlock()
	shelf, err := s.read()
	if err != nil {
		return entry{}, false, err
	}
	old, there := shelf.Secrets[name]
	switch {
	case version != "" && old.Version != version:
		return entry{}, false, nil
	case fresh != nil:
		shelf.Secrets[name] = *fresh
	case !there:
		return entry{}, true, nil
	default:
		delete(shelf.Secrets, name)
	}
	return old, true, s.write(shelf)
}

func (s *Store) write(to shelf) error {
	data, err := json.Marshal(to, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return errors.New("the secrets make no JSON") // the cause could show them
	}
	err = atomicfile.WriteFile(s.path(), append(data, '\n'), fileMode)
	if err != nil {
		return fmt.Errorf("the secrets cannot be stored: %w", err)
	}
	return nil
}

// lock holds a lock file of the folder, against goroutines and processes, for as long as
// the caller likes. The file stays: removing it would let two in.
func (s *Store) lock(ctx context.Context, name string, limit time.Duration) (unlock func(), err error) {
	if err := s.makeFolder(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	l := flock.New(filepath.Join(s.folder, name), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(fileMode))
	if ok, err := l.TryLockContext(ctx, lockPause); !ok {
		return nil, fmt.Errorf("the stored secrets cannot be locked: %w", err)
	}
	return func() { _ = l.Close() }, nil
}

func (s *Store) makeFolder() error {
	if err := os.MkdirAll(s.folder, folderMode); err != nil {
		return fmt.Errorf("the folder of secrets cannot be made: %w", err)
	}
	info, err := os.Stat(s.folder)
	if err == nil && info.Mode().Perm()&^folderMode != 0 {
		err = os.Chmod(s.folder, folderMode)
	}
	if err != nil {
		return fmt.Errorf("the folder of secrets cannot be kept from others: %w", err)
	}
	return nil
}
