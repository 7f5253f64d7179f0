package file_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/journal/journaltest"
)

var driver = journaltest.Driver{
	NewLocation: func(t testing.TB) string { return filepath.Join(t.TempDir(), "home", "state") },
	Open:        func(place string) (journal.Store, error) { return file.Open(place, file.Options{}) },
	OpenOn:      openOn,
	Bytes:       lines{},
}

func TestMain(m *testing.M) {
	if root, id, is := strings.Cut(os.Getenv(listerEnv), "\n"); is {
		fmt.Fprintln(os.Stderr, runLister(root, event.SessionID(id)))
		os.Exit(1)
	}
	journaltest.Main(m, driver)
}

func TestStore(t *testing.T) { journaltest.Run(t, driver) }

// openOn opens a store whose journals are written to disk.
func openOn(place string, disk *journaltest.Disk) (journal.Store, error) {
	return file.Open(place, file.Options{OpenFile: func(name string, flag int, perm fs.FileMode) (file.File, error) {
		f, err := os.OpenFile(name, flag, perm)
		return &diskFile{File: f, disk: disk}, err
	}})
}

type diskFile struct {
	*os.File
	disk *journaltest.Disk
}

func (f *diskFile) WriteAt(data []byte, offset int64) (int, error) {
	fits, full := f.disk.Take(len(data))
	n, err := f.File.WriteAt(data[:fits], offset)
	if err == nil {
		err = full
	}
	return n, err
}

// lines reads and writes the bytes of journals.
type lines struct{}

func journalOf(place string, id event.SessionID) string {
	return filepath.Join(place, "sessions", string(id), "journal.jsonl")
}

func (lines) Load(place string, id event.SessionID) ([]byte, error) {
	return os.ReadFile(journalOf(place, id))
}

func (lines) Save(place string, id event.SessionID, data []byte) error {
	f, err := os.OpenFile(journalOf(place, id), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt(data, 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(data)))
}

func (lines) Ends(data []byte) (ends []int) {
	for i, b := range data {
		if b == '\n' {
			ends = append(ends, i+1)
		}
	}
	return ends
}
