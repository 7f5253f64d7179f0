package file

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley.dev/parley/internal/event"
)

// removedName is the beginning of the name of a removed session's folder, which lies in the
// store's root until all of it is deleted.
const removedName = ".removed-"

// Remove deletes a session that nobody has leased.
func (s *Store) Remove(ctx context.Context, id event.SessionID) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	folder, err := s.find(id)
	if err != nil {
		return err
	}
	held, err := hold(folder, id)
	if err != nil {
		return missing(id, err)
	}
	if _, err = s.find(id); err == nil { // it may have gone before we had the lock
		err = s.remove(id, folder)
	}
	s.wakes.wake(id)
	return errors.Join(err, held.release())
}

// remove takes the folder away as a whole, for its id may be wanted again at once, and then
// deletes it.
func (s *Store) remove(id event.SessionID, folder string) error {
	// In one step, without a folder made for it first: others delete what has such a name.
	err := os.Rename(folder, filepath.Join(s.root, removedName+rand.Text()))
	if err == nil {
		err = errors.Join(syncFolder(s.sessions()), s.noteRemoved(id), s.deleteRemoved())
	}
	if err != nil {
		return fmt.Errorf("remove session %s: %w", id, err)
	}
	return nil
}

// deleteRemoved deletes removed folders, also those of processes that died over it.
func (s *Store) deleteRemoved() error {
	entries, err := os.ReadDir(s.root)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), removedName) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(s.root, entry.Name())))
		}
	}
	return err
}
