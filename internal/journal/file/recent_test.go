package file

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/racetest"
)

// TestNoChangeIsLostToRetiring renames, reads and deletes the file repeatedly while others append to
// it: every line is read at least once.
func TestNoChangeIsLostToRetiring(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	recent, retired := filepath.Join(s.root, recentName), filepath.Join(s.root, retiredName)
	writers, each := 4, racetest.Size(3000, 300)
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for n := range each {
				id := event.SessionID(fmt.Sprintf("id-%d-%d-", w, n))
				if err := s.appendRecent(change{Summary: journal.Summary{ID: id}}); err != nil {
					t.Errorf("append: %v", err)
				}
			}
		})
	}
	written := make(chan struct{})
	go func() {
		group.Wait()
		close(written)
	}()
	var read bytes.Buffer
	for running := true; running; {
		select {
		case <-written:
			running = false // after one more round
		default:
		}
		if err := os.Rename(recent, retired); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(retired)
		if err := errors.Join(err, os.Remove(retired)); err != nil {
			t.Fatal(err)
		}
		read.Write(data)
	}
	lines := map[string]bool{} // by ID
	for _, id := range regexp.MustCompile(`id-\d+-\d+-`).FindAllString(read.String(), -1) {
		lines[id] = true
	}
	for w := range writers {
		for n := range each {
			if id := fmt.Sprintf("id-%d-%d-", w, n); !lines[id] {
				t.Fatalf("the line of %s is lost", id)
			}
		}
	}
}
