package audit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
)

func lines(t *testing.T, path string) (entries []Entry) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		entries = append(entries, e)
	}
	return entries
}

// TestRotation: no line is lost or cut when a full file is replaced, and no file is longer than the limit.
func TestRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	l.limit = 4000
	var writers sync.WaitGroup
	for n := range 40 {
		writers.Go(func() {
			if err := l.Add(Entry{Event: "connected", Client: fmt.Sprint(n), Problem: "line\nfeed\xff"}); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, path := range []string{path, path + ".1"} {
		for _, e := range lines(t, path) {
			seen[e.Client] = true
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 || info.Size() > 4000 {
			t.Errorf("%s: %v, %d bytes, %v", path, info.Mode(), info.Size(), err)
		}
	}
	if len(seen) != 40 {
		t.Errorf("%d of 40 entries", len(seen))
	}
}

// TestAppends: a log is continued, and becomes the user's own; a link in its place is refused.
func TestAppends(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "audit.jsonl")
	if err := os.WriteFile(path, []byte(`{"event":"old"}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	allowed := false
	if err := l.Add(Entry{Event: "approval/answer", Allowed: &allowed}); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := lines(t, path); len(got) != 2 || got[1].Time.IsZero() || *got[1].Allowed {
		t.Errorf("%+v", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	link := filepath.Join(folder, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(link); err == nil || !strings.Contains(err.Error(), "audit log") {
		t.Errorf("a link: %v", err)
	}
}
