package file_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/regular"
)

// wanted creates a session and returns its store and journal, and the path of requests for its lease.
func wanted(t *testing.T) (s *file.Store, j journal.Journal, path string) {
	t.Helper()
	s, err := file.Open(t.TempDir(), file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	j, err = s.Create(t.Context(), "a", []event.Record{{Event: event.SessionCreated{Version: event.Version, ID: "a"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(j.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	})
	return s, j, filepath.Join(s.Location("a"), "lease.wanted")
}

// TestRequestFile: a request is a file that only the user can read, with the id of the process.
func TestRequestFile(t *testing.T) {
	s, _, path := wanted(t)
	withdraw, err := s.RequestLease("a")
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if data, err := os.ReadFile(path); string(data) != strconv.Itoa(os.Getpid())+"\n" {
		t.Errorf("it contains %q, %v", data, err)
	}
	withdraw()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after it was withdrawn: %v", err)
	}
}

// TestRequestIsNoFile: what is no regular file is no request, and stays as it is.
func TestRequestIsNoFile(t *testing.T) {
	for name, create := range map[string]func(path, target string) error{
		"folder":        func(path, _ string) error { return os.Mkdir(path, 0o700) },
		"pipe":          func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
		"link":          func(path, target string) error { return os.Symlink(target, path) },
		"dangling link": func(path, target string) error { return os.Symlink(target+"2", path) },
	} {
		t.Run(name, func(t *testing.T) {
			s, j, path := wanted(t)
			target := filepath.Join(t.TempDir(), "target")
			if err := errors.Join(os.WriteFile(target, []byte("theirs"), 0o600), create(path, target)); err != nil {
				t.Fatal(err)
			}
			before, err := os.Lstat(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.RequestLease("a"); !errors.Is(err, regular.ErrNotRegular) {
				t.Errorf("RequestLease: %v", err)
			}
			if s.LeaseRequested("a") {
				t.Error("it counts as a request")
			}
			if err := errors.Join(j.Release(), j.Acquire(t.Context(), nil)); err != nil {
				t.Error(err)
			}
			if after, err := os.Lstat(path); err != nil || !os.SameFile(before, after) {
				t.Errorf("it was replaced: %v", err)
			}
			if data, err := os.ReadFile(target); string(data) != "theirs" {
				t.Errorf("its target contains %q, %v", data, err)
			}
			if _, err := os.Lstat(target + "2"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a link was followed: %v", err)
			}
		})
	}
}

// TestRequestWithoutWatching: a request is found where the system reports no changes of files.
func TestRequestWithoutWatching(t *testing.T) {
	s, _, _ := wanted(t)
	if err := file.StopWatching(s); err != nil {
		t.Fatal(err)
	}
	awaited := make(chan error, 1)
	go func() { awaited <- s.AwaitRequest(context.Background(), "a") }()
	if _, err := s.RequestLease("a"); err != nil {
		t.Fatal(err)
	}
	if err := <-awaited; err != nil {
		t.Error(err)
	}
}
