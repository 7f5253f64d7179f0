package file_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/file"
)

// tree returns all paths below root with their modes.
func tree(t *testing.T, root string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		paths = append(paths, info.Mode().String()+" "+name)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return paths
}

func TestOpenTouchesNothing(t *testing.T) {
	root := filepath.Join(t.TempDir(), "state")
	s := openStore(t, root)
	if _, err := s.List(t.Context(), journal.Query{}); err != nil {
		t.Errorf("List: %v", err)
	}
	if err := s.Rebuild(t.Context()); err != nil {
		t.Errorf("Rebuild: %v", err)
	}
	for _, err := range s.Follow(t.Context(), "a", 0) {
		if !errors.Is(err, journal.ErrNotFound) {
			t.Errorf("Follow: %v", err)
		}
	}
	if got := tree(t, root); got != nil {
		t.Errorf("made %v", got)
	}
}

func TestLayout(t *testing.T) {
	root := filepath.Join(t.TempDir(), "home", "state")
	s := openStore(t, root)
	j := createIn(t, s, "a")
	address, err := j.PutBlob([]byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.List(t.Context(), journal.Query{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"drwx------ .",
		"-rw------- recent.jsonl",
		"drwx------ sessions",
		"drwx------ sessions/a",
		"drwx------ sessions/a/blobs",
		"-rw------- sessions/a/blobs/" + address,
		"-rw------- sessions/a/journal.jsonl",
		"-rw------- sessions/a/lock",
		"-rw------- sessions.index",
		"-rw------- sessions.index.lock",
	}
	if got := tree(t, root); !slices.Equal(got, want) {
		t.Errorf("store:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := s.Location("a"); got != filepath.Join(root, "sessions", "a") {
		t.Errorf("Location = %s", got)
	}
}

// TestLineFormat computes the hashes as the package comment describes.
func TestLineFormat(t *testing.T) {
	root := t.TempDir()
	j := createIn(t, openStore(t, root), "a")
	if err := j.Append(1, toolRound(1)); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(journalOf(root, "a"))
	if err != nil {
		t.Fatal(err)
	}
	before := make([]byte, 16)
	lines := bytes.SplitAfter(data, []byte{'\n'})
	for i, line := range lines[:len(lines)-1] {
		body, member, found := bytes.Cut(line, []byte(`,"hash":"`))
		body = append(bytes.Clone(body), '}')
		sum := sha256.Sum256(append(before, body...))
		before = sum[:16]
		if want := hex.EncodeToString(before) + "\"}\n"; !found || string(member) != want {
			t.Errorf("line %d ends in %q, want %q", i+1, member, want)
		}
		var rec event.Record
		if err := rec.UnmarshalJSON(line); err != nil || rec.Seq != uint64(i+1) {
			t.Errorf("line %d is record %d, %v", i+1, rec.Seq, err)
		}
		if form, err := rec.AppendJSON(nil); err != nil || !bytes.Equal(form, body) {
			t.Errorf("line %d is not the record's JSON form: %s", i+1, body)
		}
	}
	if len(lines) != 8 || len(lines[7]) != 0 {
		t.Errorf("%d lines, want 7", len(lines)-1)
	}
}

func TestIDFromPath(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := openStore(t, root)
	createIn(t, s, "a b")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(s.Location("a b"), link); err != nil {
		t.Fatal(err)
	}
	t.Chdir(s.Location("a b"))
	for _, path := range []string{s.Location("a b"), s.Location("a b") + "/", journalOf(root, "a b"), ".", "journal.jsonl", link} {
		gotRoot, id, err := file.IDFromPath(path)
		if gotRoot != root || id != "a b" || err != nil {
			t.Errorf("IDFromPath(%s) = %s, %s, %v", path, gotRoot, id, err)
		}
	}
	stray := filepath.Join(t.TempDir(), "stray")
	if err := errors.Join(os.Mkdir(stray, 0o700), os.WriteFile(filepath.Join(stray, "journal.jsonl"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if root, id, err := file.IDFromPath(stray); err == nil {
		t.Errorf("IDFromPath of a stray folder = %s, %s", root, id)
	}
	for _, path := range []string{"", "/", root, filepath.Join(root, "sessions"), filepath.Join(root, "sessions", "b"), "/nowhere/at/all"} {
		if path == "" {
			continue // the current folder
		}
		if _, _, err := file.IDFromPath(path); !errors.Is(err, journal.ErrNotFound) {
			t.Errorf("IDFromPath(%s): %v, want ErrNotFound", path, err)
		}
	}
}

// TestCrashInCreate creates the files that a process leaves which is killed in Create.
func TestCrashInCreate(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "sessions", "a")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, root)
	for _, leftover := range []string{"lock", "journal.jsonl.new"} {
		if err := os.WriteFile(filepath.Join(folder, leftover), []byte(`{"seq":1,"time":`+strings.Repeat(" ", 4096)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Lease(t.Context(), "a"); !errors.Is(err, journal.ErrNotFound) {
			t.Errorf("Lease: %v, want ErrNotFound", err)
		}
		if page, err := s.List(t.Context(), journal.Query{}); err != nil || len(page.Sessions) > 0 {
			t.Errorf("List = %v, %v", page, err)
		}
	}
	j := createIn(t, s, "a")
	for r, err := range j.Read(t.Context(), 0) {
		if r.Seq != 1 || err != nil {
			t.Errorf("Read = %v, %v", r, err)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "journal.jsonl.new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("journal.jsonl.new is left: %v", err)
	}
}
