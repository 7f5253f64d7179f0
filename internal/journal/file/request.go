package file

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/regular"
)

// This file contains the requests for leases. A request is the file lease.wanted in the folder of the
// session, whose content is for users only. The process that acquires the lease removes it, so that a
// holder that finds it knows that it was requested since. A process that still waits writes it again.

// slowPollInterval is the interval at which a holder checks for a request where the system has promised
// to report changes: some file systems promise it and report nothing. A process that requests a lease
// waits longer.
const slowPollInterval = time.Second

// RequestLease writes lease.wanted, unless it is there.
func (s *Store) RequestLease(id event.SessionID) (withdraw func(), err error) {
	folder, err := s.existingFolder(id)
	if err != nil {
		return nil, err
	}
	withdraw = func() { endRequest(folder) }
	path := filepath.Join(folder, wantedName)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, fileMode)
	if errors.Is(err, fs.ErrExist) {
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			return nil, &fs.PathError{Op: "request the lease", Path: path, Err: regular.ErrNotRegular}
		}
		return withdraw, nil // another process requests it, or did just now
	}
	if err != nil {
		return nil, err
	}
	_, err = f.WriteString(strconv.Itoa(os.Getpid()) + "\n")
	return withdraw, errors.Join(err, f.Close())
}

// LeaseRequested reports whether there is lease.wanted.
func (s *Store) LeaseRequested(id event.SessionID) bool {
	return journal.ValidID(id) && requested(s.folder(id))
}

// AwaitRequest waits until there is lease.wanted.
func (s *Store) AwaitRequest(ctx context.Context, id event.SessionID) error {
	folder, err := s.existingFolder(id)
	if err != nil {
		return err
	}
	topic := s.requests.subscribe(id, folder)
	defer s.requests.unsubscribe(topic)
	for {
		woken := s.requests.changed(topic) // first, or a request could slip through
		interval := pollInterval
		if s.requests.watch(topic) {
			interval = slowPollInterval
		}
		if err := s.checkUsable(ctx); err != nil {
			return err
		}
		if requested(folder) {
			return nil
		}
		select {
		case <-woken:
		case <-time.After(interval):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// requested reports whether the lease of the session in folder is requested. A link, a pipe or a folder
// of that name is no request.
func requested(folder string) bool {
	info, err := os.Lstat(filepath.Join(folder, wantedName))
	return err == nil && info.Mode().IsRegular()
}

// endRequest removes lease.wanted, unless it is something else than a request.
func endRequest(folder string) {
	if requested(folder) {
		_ = os.Remove(filepath.Join(folder, wantedName)) // one that stays costs its holder the lease once more
	}
}
