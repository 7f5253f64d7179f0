package batch

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley.dev/parley/e2e/stage"
)

// TestFullDisk: what was stored before the state folder has no room stays. A result that cannot be stored is reported, and its
// task is run again when there is room: each task is done once.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	stage.MountSmall(t, s.State())
	marker := filepath.Join(s.Root, "temp", "go")
	s.tasksThatWait(2, 2, marker)
	id := s.submit()
	until := s.watch(id)
	w := s.worker("--slots", "4", "--drain", "10ms")
	until("two tasks are done", func(r report) bool { return r.Done == 2 && r.Running == 2 })

	stage.FillSmall(t, s.State())
	if err := os.WriteFile(marker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// A result is not stored, or, where the sessions that failed gave back room for it, no task is pulled afterwards.
	w.Stderr.Await(t, "database or disk is full", 1)
	if _, stderr := s.parley(1, "batch", "submit", "tasks.jsonl", "--batch", "another"); !strings.Contains(stderr, "full") {
		t.Errorf("a batch is refused with %q", stderr)
	}
	w.Signal(syscall.SIGTERM)
	if code := w.Code(); code != 0 {
		t.Errorf("the worker ended with %d", code)
	}

	stage.FreeSmall(t, s.State())
	w = s.worker("--slots", "4", "--drain", "10ms")
	until("all are done", func(r report) bool { return r.Done == 4 && r.Finished })
	w.Signal(syscall.SIGTERM)
	if code := w.Code(); code != 0 {
		t.Errorf("the second worker ended with %d", code)
	}
	again := 0
	for task, r := range s.results(id) {
		if r.Status != "done" || task < "t2" && r.Attempt != 1 {
			t.Errorf("%s: %+v", task, r)
		}
		if r.Attempt > 1 {
			again++
		}
	}
	if again == 0 {
		t.Error("no task was run again")
	}
	s.nothingLeft()
}
