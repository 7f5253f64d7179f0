package signin

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const maxSecret = 64 << 10 // bytes

// StoreOptions say where secrets lie.
type StoreOptions struct {
	Folder  string        // needed: below the state folder; made when something is first stored
	File    bool          // keep secrets in the file even where there is a keyring
	Keyring Keyring       // nil: the one of the system
	Limit   time.Duration // 0: 5 s; how long the keyring may take
	Environ []string      // nil: os.Environ; reports whether there is a keyring at all
}

// A Store keeps secrets by name: in the keyring of the system or, without one that answers,
// in its file. The file is also the index of what lies in the keyring, so that the user
// is not asked to unlock a keyring that has nothing of ours. It is safe for concurrent use, also by
// several processes.
type Store struct {
	folder string
	ring   *ring

	mu    sync.Mutex
	known map[string]known // what was read from the keyring
}

type known struct{ version, value string }

// NewStore opens nothing yet.
func NewStore(o StoreOptions) *Store {
	return &Store{folder: o.Folder, ring: newRing(o), known: map[string]known{}}
}

// Get returns the secret called name; ErrNoSecret if there is none.
func (s *Store) Get(name string) (string, error) {
	value, _, err := s.get(name)
	return value, err
}

// Set stores a secret; what had the name is gone then. Another process sees the old one or
// the new one.
func (s *Store) Set(name, value string) error {
	_, err := s.put(name, value, "")
	return err
}

// Delete forgets a secret. It is no error if there was none.
func (s *Store) Delete(name string) error {
	_, err := s.drop(name, "")
	return err
}

// Names returns what there is, sorted.
func (s *Store) Names() ([]string, error) {
	shelf, err := s.read()
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(shelf.Secrets)), nil
}

// A Place says where new secrets go.
type Place struct {
	Keyring bool   // else into the file
	File    string // secrets, or the index of those in the keyring
	Reason  string // why not into the keyring; "" if Keyring
}

// Where asks the keyring, once, whether it answers.
func (s *Store) Where() Place {
	reason := s.ring.probe()
	return Place{Keyring: reason == "", File: s.path(), Reason: reason}
}

// get returns a secret and its version, which changes with every Set.
func (s *Store) get(name string) (value, version string, err error) {
	for last := ""; ; {
		shelf, err := s.read()
		if err != nil {
			return "", "", err
		}
		e, ok := shelf.Secrets[name]
		switch {
		case !ok:
			return "", "", ErrNoSecret
		case e.Items <= 0:
			return e.Value, e.Version, nil
		}
		if value, ok := s.remembered(name, e.Version); ok {
			return value, e.Version, nil
		}
		value, err := s.ring.get(e.item(name), e.Items)
		switch {
		case err == nil:
			s.remember(name, known{e.Version, value})
			return value, e.Version, nil
		case !errors.Is(err, ErrNoSecret):
			return "", "", fmt.Errorf("the secret %s lies in the keyring of the system, which cannot be read: %w", name, err)
		case e.Version == last:
			return "", "", ErrNoSecret // another program removed it from the keyring
		}
		last = e.Version // or another process changed it just now: look again
	}
}

// put stores a secret; if replacing is not "", only over that version, else it returns false.
func (s *Store) put(name, value, replacing string) (bool, error) {
	if err := checkSecret(name, value); err != nil {
		return false, err
	}
	fresh := entry{Version: rand.Text(), Items: parts(value)}
	if s.ring.set(fresh.item(name), value) != nil { // it remembers why, see Where
		fresh.Items, fresh.Value = 0, value
	}
	old, done, err := s.swap(name, &fresh, replacing)
	switch {
	case err != nil || !done:
		s.discard(name, fresh)
		return false, err
	case fresh.Items > 0:
		s.remember(name, known{fresh.Version, value})
	}
	s.discard(name, old)
	return true, nil
}

// drop removes a secret; if version is not "", only that one.
func (s *Store) drop(name, version string) (bool, error) {
	old, done, err := s.swap(name, nil, version)
	if err != nil || !done {
		return false, err
	}
	s.discard(name, old)
	return true, nil
}

// discard removes from the keyring what no index names any more. A keyring that does not
// answer keeps it.
func (s *Store) discard(name string, e entry) {
	if e.Items > 0 {
		_ = s.ring.delete(e.item(name), e.Items)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[name].version == e.Version {
		delete(s.known, name)
	}
}

func (s *Store) remember(name string, k known) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[name] = k
}

func (s *Store) remembered(name, version string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.known[name]
	return k.value, ok && k.version == version
}

func (s *Store) path() string { return filepath.Join(s.folder, "secrets.json") }

// Format shows no secret, whatever the verb.
func (s *Store) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "secrets in "+s.folder) }

// checkSecret's errors contain neither: if a caller confuses them, the error would contain a secret.
func checkSecret(name, value string) error {
	good := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune(".-_", r)
	}
	switch {
	case name == "" || len(name) > 64 || strings.ContainsFunc(name, func(r rune) bool { return !good(r) }):
		return errors.New("a secret's name has 1 to 64 small letters, digits and . - _")
	case value == "" || len(value) > maxSecret:
		return fmt.Errorf("a secret has 1 to %d bytes", maxSecret)
	}
	return nil
}
