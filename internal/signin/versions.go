package signin

import (
	"context"
	"time"
)

// This file contains the part of a Store for secrets that are renewed: several processes may do that
// at once, and the user may sign out meanwhile.

// Lookup returns the secret called name and its version, which changes with every Set; the
// error is ErrNoSecret if there is none.
func (s *Store) Lookup(name string) (value, version string, err error) { return s.get(name) }

// Version returns the version of the secret called name, and "" if there is none. It reads no keyring.
func (s *Store) Version(name string) (string, error) {
	shelf, err := s.read()
	return shelf.Secrets[name].Version, err
}

// Replace stores a secret in the place of that version, and reports false if the secret has
// changed or was deleted meanwhile.
func (s *Store) Replace(name, value, version string) (bool, error) {
	return s.put(name, value, version)
}

// Remove deletes that version of a secret, and reports false if the secret has changed.
func (s *Store) Remove(name, version string) (bool, error) { return s.drop(name, version) }

// Lock holds a lock for the secret called name, against goroutines and processes, until unlock is
// called. It waits at most limit.
func (s *Store) Lock(ctx context.Context, name string, limit time.Duration) (unlock func(), err error) {
	if err := checkSecret(name, "-"); err != nil {
		return nil, err
	}
	return s.lock(ctx, name+".lock", limit)
}
