package file

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// TestRemoveLeftover: what an interrupted creation has left is removed; a folder with anything else is not.
func TestRemoveLeftover(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, test := range map[string]struct {
		files []string
		want  error
	}{
		"empty":   {nil, nil},
		"begun":   {[]string{lockName, tempName}, nil},
		"damaged": {[]string{lockName, journalName + ".damaged-1"}, journal.ErrNotFound},
	} {
		folder := s.folder(event.SessionID("s-" + name))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, file := range test.files {
			if err := os.WriteFile(filepath.Join(folder, file), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Remove(t.Context(), event.SessionID("s-"+name)); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) != (test.want == nil) {
			t.Errorf("%s: the folder: %v", name, err)
		}
	}
}
