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
	"parley.dev/parley/internal/journal"
)

// removedPrefix is the beginning of the name that a removed session's folder has in the store's
// root until all of it is deleted.
const removedPrefix = ".removed-"

// Remove deletes a session that is not leased. It deletes also what is left of one whose creation was interrupted, which no list has.
func (s *Store) Remove(ctx context.Context, id event.SessionID) error {
	if err := s.checkUsable(ctx); err != nil {
		return err
	}
	folder, err := s.removableFolder(id)
	if err != nil {
		return err
	}
	held, err := s.acquireLock(folder, id)
	if err != nil {
		return asNotFound(id, err)
	}
	if _, err = s.removableFolder(id); err == nil { // it may have been removed before the lock was acquired
		err = s.remove(id, folder)
	}
	s.notifier.notify(id)
	return errors.Join(err, held.release())
}

// removableFolder returns the folder of a session, or one with nothing but what Create makes before the journal; else ErrNotFound.
func (s *Store) removableFolder(id event.SessionID) (string, error) {
	folder, err := s.existingFolder(id)
	if !errors.Is(err, journal.ErrNotFound) || !journal.ValidID(id) {
		return folder, err
	}
	entries, readErr := os.ReadDir(s.folder(id))
	if readErr != nil {
		return "", asNotFound(id, readErr)
	}
	for _, entry := range entries {
		if name := entry.Name(); name != lockName && name != tempName {
			return "", err
		}
	}
	return s.folder(id), nil
}

// Remove deletes the session, and closes the journal.
func (l *lease) Remove(context.Context) error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	if err := l.checkUsable(); err != nil {
		return err
	}
	if err := l.store.remove(l.id, l.folder); err != nil {
		return err
	}
	l.mu.Lock()
	l.closed, l.torn = true, false
	l.indexed = true // the index has the removal, and nothing comes after it
	l.mu.Unlock()
	err := l.giveUpLock()
	l.store.notifier.notify(l.id)
	return err
}

// remove renames the folder, so that its id can be used again at once, and then deletes it.
func (s *Store) remove(id event.SessionID, folder string) error {
	// In one step, without creating a target first: other processes delete folders of such names.
	err := os.Rename(folder, filepath.Join(s.root, removedPrefix+rand.Text()))
	if err == nil {
		err = syncFolder(s.sessions())
		recorded := s.recordRemoval(id)
		err = errors.Join(err, s.deleteRemoved())
		if recorded != nil { // the disk was full, and may have room now
			_ = s.recordRemoval(id) // lists skip a session without a journal
		}
	}
	if err != nil {
		return fmt.Errorf("remove session %s: %w", id, err)
	}
	return nil
}

// deleteRemoved deletes removed folders, including those that a killed process left.
func (s *Store) deleteRemoved() error {
	entries, err := os.ReadDir(s.root)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), removedPrefix) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(s.root, entry.Name())))
		}
	}
	return err
}
