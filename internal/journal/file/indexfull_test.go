//go:build linux

package file_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/file"
)

// mount makes a file system of 1 MiB in a new folder. Only root can.
func mount(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	if err := unix.Mount("tmpfs", root, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("no small file system here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(root, unix.MNT_DETACH) })
	return root
}

// TestListUnwritten: where the index cannot be written, lists are right all the same, and journals are read once for all of them.
func TestListUnwritten(t *testing.T) {
	full := func(t *testing.T, root string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, "filler"), make([]byte, 2<<20), 0o600); !errors.Is(err, unix.ENOSPC) {
			t.Fatalf("the disk is not full: %v", err)
		}
	}
	readOnly := func(t *testing.T, root string) {
		t.Helper()
		if err := unix.Mount("tmpfs", root, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
			t.Fatal(err)
		}
	}
	nothing := func(string) error { return nil }
	for name, test := range map[string]struct {
		before func(root string) error
		spoil  func(t *testing.T, root string)
		full   bool
	}{
		"full, no index":              {nothing, full, true},
		"full, damaged index":         {func(root string) error { return os.WriteFile(indexOf(root), []byte("x\n"), 0o600) }, full, true},
		"full, index not up to date":  {changedAfterList, full, true},
		"full, retired changes":       {retiredAfterList, full, true},
		"full, earlier version":       {earlier, full, true},
		"read-only, no index":         {nothing, readOnly, false},
		"read-only, damaged index":    {func(root string) error { return os.WriteFile(indexOf(root), []byte("x\n"), 0o600) }, readOnly, false},
		"read-only, not up to date":   {changedAfterList, readOnly, false},
		"read-only, retired changes":  {retiredAfterList, readOnly, false},
		"read-only, earlier version":  {earlier, readOnly, false},
		"read-only, no recent":        {func(root string) error { return os.Remove(filepath.Join(root, "recent.jsonl")) }, readOnly, false},
		"folder in place of the lock": {func(root string) error { return os.Mkdir(indexOf(root)+".lock", 0o700) }, func(*testing.T, string) {}, false},
		"folder in place of the index": {
			func(root string) error { return os.MkdirAll(filepath.Join(indexOf(root), "x"), 0o700) }, func(*testing.T, string) {}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := mount(t)
			s := openStore(t, root)
			for i, id := range []event.SessionID{"a", "b", "c"} {
				j := createIn(t, s, id)
				if err := errors.Join(j.Append(1, changed(i, "name of "+string(id))), j.Close()); err != nil {
					t.Fatal(err)
				}
			}
			if err := test.before(root); err != nil {
				t.Fatal(err)
			}
			test.spoil(t, root)
			rebuilt := 0
			s, err := file.Open(root, file.Options{Rebuilding: func(done, total int) {
				if done == total {
					rebuilt++
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			for range 3 {
				var names []string
				for _, sum := range listAll(t, s) {
					names = append(names, sum.Name)
				}
				if diff := cmp.Diff([]string{"name of c", "name of b", "name of a"}, names); diff != "" {
					t.Errorf("List (-want +got):\n%s", diff)
				}
				first, err := s.List(t.Context(), journal.Query{Limit: 1})
				if err != nil {
					t.Fatal(err)
				}
				if second, err := s.List(t.Context(), journal.Query{Limit: 1, Cursor: first.Next}); err != nil || second.Sessions[0].ID != "b" {
					t.Errorf("the second page is %+v, %v", second, err)
				}
			}
			if rebuilt > 1 {
				t.Errorf("the index was rebuilt %d times", rebuilt)
			}
			if err := s.Rebuild(t.Context()); err == nil && !strings.Contains(name, "full") {
				t.Error("Rebuild reports no error")
			}
			if !test.full {
				return
			}
			if err := s.Remove(t.Context(), "a"); err != nil {
				t.Errorf("Remove: %v", err)
			}
			if found := listAll(t, s); len(found) != 2 {
				t.Errorf("List = %+v after one was removed", found)
			}
			if err := os.Remove(filepath.Join(root, "filler")); err != nil {
				t.Fatal(err)
			}
			other := openStore(t, root)
			if found := listAll(t, other); len(found) != 2 {
				t.Errorf("List = %+v with room on the disk", found)
			}
			listAll(t, s)      // all is written
			for n := range 4 { // s does not try to write yet
				name := fmt.Sprint("name ", n)
				j, err := other.Lease(t.Context(), "b")
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(j.Append(j.Head(), changed(10+n, name)), j.Close()); err != nil {
					t.Fatal(err)
				}
				for _, s := range []*file.Store{s, other}[:1+n%2] {
					if found := listAll(t, s); found[0].Name != name {
						t.Errorf("List = %+v, want %s first", found, name)
					}
				}
			}
			if err := file.CheckIndex(t.Context(), root); err != nil {
				t.Error(err)
			}
		})
	}
}

// changedAfterList leaves an index without the last change.
func changedAfterList(root string) error { return changeAfterList(root, "name of c") }

// changeAfterList changes the name of c, lists, and changes it again.
func changeAfterList(root, name string) error {
	s, err := file.Open(root, file.Options{})
	if err != nil {
		return err
	}
	for _, name := range []string{"old name", name} {
		j, err := s.Lease(context.Background(), "c")
		if err != nil {
			return err
		}
		if err := errors.Join(j.Append(j.Head(), changed(2, name)), j.Close()); err != nil {
			return err
		}
		if name == "old name" {
			if _, err := s.List(context.Background(), journal.Query{}); err != nil {
				return err
			}
		}
	}
	return s.Close()
}

// retiredAfterList is changedAfterList with a process that was killed while it replaced recent.jsonl.
func retiredAfterList(root string) error {
	if err := changedAfterList(root); err != nil {
		return err
	}
	return os.Rename(filepath.Join(root, "recent.jsonl"), filepath.Join(root, "recent.retired.jsonl"))
}

// earlier leaves the index of an earlier version.
func earlier(root string) error {
	return errors.Join(changedAfterList(root), os.WriteFile(filepath.Join(root, "index.db"), []byte("SQLite"), 0o600))
}

// TestIndexIsReplaced: what is no file at the name of the index, or of the file that replaces it, is not followed, opened or kept.
func TestIndexIsReplaced(t *testing.T) {
	for name, spoil := range map[string]func(target, path string) error{
		"link":        os.Symlink,
		"broken link": func(target, path string) error { return os.Symlink(target+"-missing", path) },
		"hard link":   os.Link,
		"pipe":        func(_, path string) error { return unix.Mkfifo(path, 0o644) },
		"open file":   func(_, path string) error { return os.WriteFile(path, []byte("for all\n"), 0o644) },
		"no right":    func(_, path string) error { return os.WriteFile(path, []byte("for none\n"), 0) },
	} {
		for _, place := range []string{"", ".new"} {
			t.Run(name+place, func(t *testing.T) {
				root, want := indexed(t)
				target := filepath.Join(t.TempDir(), "target")
				if err := os.WriteFile(target, []byte("mine\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				if err := os.Remove(indexOf(root)); err != nil {
					t.Fatal(err)
				}
				if err := spoil(target, indexOf(root)+place); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					if diff := cmp.Diff(want, listAll(t, openStore(t, root))); diff != "" {
						t.Errorf("List (-want +got):\n%s", diff)
					}
				}
				if info, err := os.Lstat(indexOf(root)); err != nil || info.Mode() != 0o600 {
					t.Errorf("the index is %v, %v", info.Mode(), err)
				}
				if text, err := os.ReadFile(target); err != nil || string(text) != "mine\n" {
					t.Errorf("the other file has %q, %v", text, err)
				}
				if _, err := os.Lstat(indexOf(root) + ".new"); err == nil {
					t.Error("a temporary file is left")
				}
			})
		}
	}
}
