package file_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/racetest"
)

// written returns a store with one closed session, and the lines of its journal.
func written(t *testing.T, records ...event.Record) (s *file.Store, path string, lines [][]byte) {
	t.Helper()
	root := t.TempDir()
	s = openStore(t, root)
	j := createIn(t, s, "a")
	if err := errors.Join(j.Append(1, records), j.Close()); err != nil {
		t.Fatal(err)
	}
	path = journalOf(root, "a")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines = bytes.SplitAfter(data, []byte{'\n'})
	return s, path, lines[:len(lines)-1]
}

func write(t *testing.T, path string, lines ...[]byte) {
	t.Helper()
	if err := os.WriteFile(path, slices.Concat(lines...), 0o600); err != nil {
		t.Fatal(err)
	}
}

// count reads a session and returns the number of good records, and the error.
func count(t *testing.T, s *file.Store) (n int, failure error) {
	t.Helper()
	for _, err := range s.Read(t.Context(), "a", 0) {
		if failure = err; err == nil {
			n++
		}
	}
	return n, failure
}

// TestTornOrDamaged distinguishes incomplete writes from damage.
func TestTornOrDamaged(t *testing.T) {
	s, path, lines := written(t, toolRound(1)[2:4]...)
	first, second, last := lines[0], lines[1], lines[2]
	edit := func(line []byte, old, new string) []byte {
		edited := bytes.Replace(line, []byte(old), []byte(new), 1)
		if bytes.Equal(edited, line) {
			t.Fatalf("%s has no %s", line, old)
		}
		return edited
	}
	for name, test := range map[string]struct {
		end     []byte // what stands after the first two lines
		damaged bool
	}{
		"nothing":                        {nil, false},
		"one byte":                       {last[:1], false},
		"all but the line feed":          {last[:len(last)-1], false},
		"all but the end of the hash":    {last[:len(last)-3], false},
		"half a line with a line feed":   {append(bytes.Clone(last[:50]), '\n'), false},
		"an empty line":                  {[]byte("\n"), true},
		"zeroes":                         {make([]byte, 4096), false},
		"half a line and another":        {append(append(bytes.Clone(last[:50]), '\n'), last...), true},
		"a line without hash":            {edit(last, `,"hash":"`, `,"hush":"`), true},
		"a line with another's hash":     {second, true},
		"another hash":                   {edit(last, `"hash":"`+string(last[len(last)-35:len(last)-33]), `"hash":"zz`), true},
		"other data":                     {edit(last, "tool_started", "tool_stopped"), true},
		"another number":                 {edit(last, `"seq":3`, `"seq":4`), true},
		"another byte for the line feed": {append(bytes.Clone(last[:len(last)-1]), 'x'), true},
		"zeroes with a line feed":        {append(make([]byte, 4096), '\n'), true},
		"not JSON":                       {[]byte("hello\n"), true},
		"other JSON":                     {[]byte("{}\n"), true},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, path, first, second, test.end)
			n, err := count(t, s)
			damage, damaged := errors.AsType[*journal.DamageError](err)
			if n != 2 || damaged != test.damaged {
				t.Fatalf("Read = %d records, %v", n, err)
			}
			if damaged && (damage.Seq != 3 || damage.Offset != int64(len(first)+len(second)) || damage.Path != path) {
				t.Errorf("damage = %+v", damage)
			}
			j, err := s.Lease(t.Context(), "a")
			if _, damaged := errors.AsType[*journal.DamageError](err); damaged != test.damaged {
				t.Fatalf("Lease: %v", err)
			}
			if data, readErr := os.ReadFile(path); readErr != nil || damaged != bytes.HasSuffix(data, test.end) && len(test.end) > 0 {
				t.Errorf("after Lease the journal ends in %q, %v", data[len(first)+len(second):], readErr)
			}
			if !damaged {
				if err := errors.Join(j.Append(2, toolRound(1)[:1]), j.Close()); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestNoFlippedBitLosesALine flips each bit of a complete last line: it is never removed as if it
// were incomplete.
func TestNoFlippedBitLosesALine(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	s, path, lines := written(t, toolRound(1)[2])
	start := len(lines[0])
	for i := range lines[1] {
		for bit := range 8 {
			spoiled := bytes.Clone(lines[1])
			spoiled[i] ^= 1 << bit
			write(t, path, lines[0], spoiled)
			_, err := s.Lease(t.Context(), "a")
			if damage, ok := errors.AsType[*journal.DamageError](err); !ok || damage.Offset != int64(start) || damage.Seq != 2 {
				t.Fatalf("bit %d of byte %d flipped: Lease: %v", bit, i, err)
			}
		}
	}
}

func TestNoFirstRecord(t *testing.T) {
	s, path, lines := written(t, toolRound(1)[0])
	for _, content := range [][]byte{nil, lines[0][:20], lines[1], {'\n'}, bytes.Repeat(lines[0], 2)[1:]} {
		write(t, path, content)
		_, err := s.Lease(t.Context(), "a")
		if damage, ok := errors.AsType[*journal.DamageError](err); !ok || damage.Seq != 1 || damage.Offset != 0 {
			t.Errorf("Lease of %.30q: %v", content, err)
		}
	}
}

func TestRepair(t *testing.T) {
	s, path, lines := written(t, toolRound(1)...)
	if kept, err := s.Repair(t.Context(), "a"); kept != 7 || err != nil {
		t.Fatalf("Repair of a good journal = %d, %v", kept, err)
	}
	for n := 1; n <= 2; n++ {
		lines[4] = bytes.ToUpper(lines[4])
		write(t, path, lines...)
		if kept, err := s.Repair(t.Context(), "a"); kept != 4 || err != nil {
			t.Fatalf("Repair = %d, %v, want 4", kept, err)
		}
		if n, err := count(t, s); n != 4 || err != nil {
			t.Errorf("Read = %d records, %v, want 4", n, err)
		}
		aside, err := os.ReadFile(path + ".damaged-" + string(rune('0'+n)))
		if err != nil || !bytes.Equal(aside, slices.Concat(lines...)) {
			t.Errorf("what was damaged is kept as %d bytes, %v", len(aside), err)
		}
	}
	j, err := s.Lease(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Repair(t.Context(), "a"); !isLocked(err) {
		t.Errorf("Repair of a leased journal: %v", err)
	}
	if err := errors.Join(j.Append(4, toolRound(1)), j.Close()); err != nil {
		t.Fatal(err)
	}
	if n, err := count(t, s); n != 10 || err != nil {
		t.Errorf("Read = %d records, %v, want 10", n, err)
	}
	if _, err := s.Repair(t.Context(), "b"); !errors.Is(err, journal.ErrNotFound) {
		t.Errorf("Repair of no session: %v", err)
	}
}

// Without its first record a session does not exist after Repair.
func TestRepairOfNothing(t *testing.T) {
	s, path, lines := written(t, toolRound(1)...)
	write(t, path, lines[1:]...)
	if kept, err := s.Repair(t.Context(), "a"); kept != 0 || err != nil {
		t.Fatalf("Repair = %d, %v", kept, err)
	}
	if _, err := s.Lease(t.Context(), "a"); !errors.Is(err, journal.ErrNotFound) {
		t.Errorf("Lease: %v", err)
	}
	if page, err := s.List(t.Context(), journal.Query{}); err != nil || len(page.Sessions) > 0 {
		t.Errorf("List = %v, %v", page, err)
	}
	if data, err := os.ReadFile(path + ".damaged-1"); err != nil || !bytes.Equal(data, slices.Concat(lines[1:]...)) {
		t.Errorf("what was damaged is kept as %d bytes, %v", len(data), err)
	}
	createIn(t, s, "a")
}

func TestDamagedBlob(t *testing.T) {
	s := openStore(t, t.TempDir())
	j := createIn(t, s, "a")
	address, err := j.PutBlob([]byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.Location("a"), "blobs", address)
	write(t, path, []byte("contend"))
	_, err = j.Blob(address)
	if damage, ok := errors.AsType[*journal.DamageError](err); !ok || damage.Path != path {
		t.Errorf("Blob: %v, want a *DamageError of %s", err, path)
	}
	if again, err := j.PutBlob([]byte("content")); again != address || err != nil {
		t.Errorf("PutBlob = %s, %v", again, err)
	}
	if data, err := j.Blob(address); string(data) != "content" || err != nil {
		t.Errorf("Blob after PutBlob = %q, %v", data, err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 || err != nil {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}

// A session from another program may have any kind of file in place of a blob or its journal: that
// is damage, and no pipe is waited for and no device read.
func TestNotRegularFiles(t *testing.T) {
	s := openStore(t, t.TempDir())
	j := createIn(t, s, "a")
	address, err := j.PutBlob([]byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	folder := s.Location("a")
	for name, put := range map[string]func(path string) error{
		"pipe":           func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"link to device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"link to file":   func(path string) error { return os.Symlink("/etc/passwd", path) },
		"folder":         func(path string) error { return os.Mkdir(path, 0o700) },
		"sparse file": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 40<<30))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(folder, "blobs", address)
			if err := errors.Join(os.RemoveAll(path), put(path)); err != nil {
				t.Fatal(err)
			}
			_, err = j.Blob(address)
			if damage, ok := errors.AsType[*journal.DamageError](err); !ok || damage.Path != path {
				t.Errorf("Blob: %v, want a *DamageError of %s", err, path)
			}
		})
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "journal.jsonl")
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lease(t.Context(), "a"); err == nil {
		t.Error("a pipe was opened as a journal")
	}
	for _, err := range s.Read(t.Context(), "a", 0) {
		if err == nil {
			t.Error("a pipe was read as a journal")
		}
	}
}

func isLocked(err error) bool {
	_, ok := errors.AsType[*journal.LockedError](err)
	return ok
}
