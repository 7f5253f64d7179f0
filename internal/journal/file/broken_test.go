package file_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/model"
)

// A brokenFile fails with the errors in failures.
type brokenFile struct {
	*os.File
	failing *failures
}

// failures are the errors to return; nil means success.
type failures struct {
	write, truncate, sync atomic.Pointer[error]
	once                  atomic.Value // func() error, of the next fsync
}

func fail(p *atomic.Pointer[error], err error) {
	if err == nil {
		p.Store(nil)
		return
	}
	p.Store(&err)
}

func (f *brokenFile) WriteAt(data []byte, offset int64) (int, error) {
	if err := f.failing.write.Load(); err != nil {
		n, _ := f.File.WriteAt(data[:len(data)/2], offset)
		return n, *err
	}
	return f.File.WriteAt(data, offset)
}

func (f *brokenFile) Truncate(size int64) error {
	if err := f.failing.truncate.Load(); err != nil {
		return *err
	}
	return f.File.Truncate(size)
}

func (f *brokenFile) Sync() error {
	if once, _ := f.failing.once.Swap((func() error)(nil)).(func() error); once != nil {
		return once()
	}
	if err := f.failing.sync.Load(); err != nil {
		return *err
	}
	return f.File.Sync()
}

func openBroken(t *testing.T) (*file.Store, *failures) {
	t.Helper()
	failing := new(failures)
	s, err := file.Open(t.TempDir(), file.Options{OpenFile: func(name string, flag int, perm fs.FileMode) (file.File, error) {
		f, err := os.OpenFile(name, flag, perm)
		return &brokenFile{f, failing}, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, failing
}

// A write fails, and so does the truncation after it. Nothing is appended until the truncation
// succeeds, and nothing of the write is read, although it left complete lines.
func TestTruncateFails(t *testing.T) {
	s, failing := openBroken(t)
	j := createIn(t, s, "a")
	long, short := append(toolRound(1), toolRound(2)...), toolRound(1)[3:4]
	fail(&failing.write, syscall.ENOSPC)
	fail(&failing.truncate, syscall.EIO)
	if err := j.Append(1, long); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Append: %v, want ENOSPC", err)
	}
	fail(&failing.write, nil)
	if err := j.Append(1, short); !errors.Is(err, syscall.EIO) {
		t.Errorf("Append: %v, want EIO", err)
	}
	if n, err := count(t, s); n != 1 || err != nil {
		t.Errorf("Read = %d records, %v, want 1", n, err)
	}
	fail(&failing.truncate, nil)
	if err := j.Append(1, short); err != nil {
		t.Errorf("Append: %v", err)
	}
	if n, err := count(t, s); n != 2 || err != nil {
		t.Errorf("Read = %d records, %v, want 2", n, err)
	}
}

// TestSyncFails: while fsync fails, Sync does; records can be appended. The first Sync after that writes all of them again.
func TestSyncFails(t *testing.T) {
	s, failing := openBroken(t)
	j := createIn(t, s, "a")
	if err := j.Append(1, toolRound(1)); err != nil {
		t.Fatal(err)
	}
	fail(&failing.sync, syscall.EIO)
	for range 2 {
		if err := j.Sync(); !errors.Is(err, syscall.EIO) {
			t.Errorf("Sync: %v, want EIO", err)
		}
	}
	if err := j.Append(7, toolRound(2)); err != nil {
		t.Errorf("Append: %v", err)
	}
	if err := j.Release(); !errors.Is(err, syscall.EIO) {
		t.Errorf("Release: %v, want EIO", err)
	}
	fail(&failing.sync, nil)
	path := filepath.Join(s.Location("a"), "journal.jsonl")
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := bytes.Cut(want, []byte("\n"))
	lost := append(bytes.Clone(first), make([]byte, len(want)-len(first))...) // as if the system had dropped its pages
	lost[len(first)] = '\n'
	writeOver(t, path, lost)
	if err := errors.Join(j.Sync(), j.Close()); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the journal is not as it was written, %v:\n%s", err, got)
	}
}

// TestSyncFailsOnce: Sync writes what a failed fsync may have dropped again, and succeeds.
func TestSyncFailsOnce(t *testing.T) {
	s, failing := openBroken(t)
	j := createIn(t, s, "a")
	if err := errors.Join(j.Append(1, toolRound(1)), j.Sync(), j.Append(7, toolRound(2))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.Location("a"), "journal.jsonl")
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	synced := len(want) - len(want)/4
	failing.once.Store(func() error {
		writeOver(t, path, append(bytes.Clone(want[:synced]), make([]byte, len(want)-synced)...))
		return syscall.ENOSPC
	})
	if err := errors.Join(j.Sync(), j.Append(13, toolRound(3)), j.Close()); err != nil {
		t.Fatal(err)
	}
	if n, err := count(t, s); n != 19 || err != nil {
		t.Errorf("Read = %d records, %v, want 19", n, err)
	}
}

// TestCloseFails: a process whose last fsync fails closes its journal; the next one that opens it calls fsync before it reads anything.
func TestCloseFails(t *testing.T) {
	s, failing := openBroken(t)
	j := createIn(t, s, "a")
	fail(&failing.sync, syscall.EIO)
	if err := errors.Join(j.Append(1, toolRound(1)), j.Close()); !errors.Is(err, syscall.EIO) {
		t.Fatalf("Close: %v, want EIO", err)
	}
	if _, err := s.Lease(t.Context(), "a"); !errors.Is(err, syscall.EIO) {
		t.Errorf("Lease: %v, want EIO", err)
	}
}

// TestLongTailFails: what was written since the last fsync is more than a lease retains, and an fsync fails: the lease cannot be used
// any more, since it cannot write those records again.
func TestLongTailFails(t *testing.T) {
	s, failing := openBroken(t)
	j := createIn(t, s, "a")
	long := event.Record{Event: event.AssistantMessage{Blocks: []model.Block{model.TextBlock(strings.Repeat("x", 3<<20))}}}
	if err := j.Append(1, []event.Record{long, long}); err != nil {
		t.Fatal(err)
	}
	failing.once.Store(func() error { return syscall.EIO })
	for range 2 {
		if err := j.Sync(); err == nil {
			t.Error("Sync succeeds")
		}
	}
	if err := j.Append(3, toolRound(1)); err == nil {
		t.Error("Append succeeds")
	}
	if err := j.Close(); err == nil {
		t.Error("Close succeeds")
	}
}

func writeOver(t *testing.T, path string, data []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(data, 0)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// After any failure of Create the id is still unused.
func TestCreateFails(t *testing.T) {
	s, failing := openBroken(t)
	records := []event.Record{{Event: event.SessionCreated{Version: event.Version, ID: "a"}}}
	for _, p := range []*atomic.Pointer[error]{&failing.write, &failing.sync} {
		fail(p, syscall.EIO)
		if _, err := s.Create(t.Context(), "a", records); !errors.Is(err, syscall.EIO) {
			t.Errorf("Create: %v, want EIO", err)
		}
		fail(p, nil)
		if _, err := s.Lease(t.Context(), "a"); !errors.Is(err, journal.ErrNotFound) {
			t.Errorf("Lease: %v, want ErrNotFound", err)
		}
	}
	createIn(t, s, "a")
}

// TestDeletedWhileLeased deletes the folder of a leased session: Sync of its holder reports it, and
// no file of the session is created again.
func TestDeletedWhileLeased(t *testing.T) {
	s := openStore(t, t.TempDir())
	j, err := s.Create(t.Context(), "a", []event.Record{{Event: event.SessionCreated{Version: event.Version, ID: "a"}}})
	if err != nil {
		t.Fatal(err)
	}
	if page, err := s.List(t.Context(), journal.Query{}); err != nil || len(page.Sessions) != 1 {
		t.Errorf("List = %v, %v", page, err)
	}
	if err := os.RemoveAll(s.Location("a")); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(1, []event.Record{{Event: event.TurnEnded{}}}); err != nil {
		t.Errorf("Append: %v", err)
	}
	if page, err := s.List(t.Context(), journal.Query{}); err != nil || len(page.Sessions) > 0 {
		t.Errorf("List = %v, %v", page, err)
	}
	_, blobErr := j.PutBlob([]byte("x"))
	for name, err := range map[string]error{"Sync": j.Sync(), "PutBlob": blobErr, "Append": j.Append(2, toolRound(1))} {
		if !errors.Is(err, journal.ErrNotFound) {
			t.Errorf("%s: %v, want ErrNotFound", name, err)
		}
	}
	if err := j.Close(); !errors.Is(err, journal.ErrNotFound) {
		t.Errorf("Close: %v, want ErrNotFound", err)
	}
	if _, err := os.Stat(s.Location("a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is back: %v", err)
	}
	createIn(t, s, "a")
}

// TestTruncatedWhileFollowed removes records that a follower has received.
func TestTruncatedWhileFollowed(t *testing.T) {
	s, path, lines := written(t, toolRound(1)...)
	var last uint64
	var failure error
	for r, err := range s.Follow(t.Context(), "a", 0) {
		if failure = err; err != nil {
			continue
		}
		if last = r.Seq; last == 7 {
			if err := os.Truncate(path, int64(len(lines[0]))); err != nil {
				t.Fatal(err)
			}
		}
	}
	if damage, ok := errors.AsType[*journal.DamageError](failure); !ok || damage.Seq != 8 {
		t.Errorf("Follow ends with %v after record %d", failure, last)
	}
}

// TestPollingFollower follows without notifications of the system.
func TestPollingFollower(t *testing.T) {
	root := t.TempDir()
	writer, reader := openStore(t, root), openStore(t, root)
	j := createIn(t, writer, "a")
	if err := file.StopWatching(reader); err != nil {
		t.Fatal(err)
	}
	for r, err := range reader.Follow(t.Context(), "a", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Seq == 4 {
			break
		}
		if err := j.Append(r.Seq, toolRound(int(r.Seq))[:1]); err != nil {
			t.Fatal(err)
		}
	}
}
