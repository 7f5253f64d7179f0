package host

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestKilledRestore: a host that is killed while it restores files leaves each of them as it was or as it is to be. The
// restore is repeated by the next one, which records all of it, and can undo it.
func TestKilledRestore(t *testing.T) {
	t.Parallel()
	const files = 200
	var patch strings.Builder
	patch.WriteString("apply_patch <<'EOF'\n*** Begin Patch\n")
	for n := range files {
		fmt.Fprintf(&patch, "*** Update File: f%03d\n@@\n-old %d\n+new %d\n", n, n, n)
	}
	patch.WriteString("*** End Patch\nEOF")
	p := place(t, fmt.Sprintf("call shell {\"command\":%s}\nnext\ntext Done.\n", strconv.Quote(patch.String())))
	for n := range files {
		p.Write(t, fmt.Sprintf("f%03d", n), fmt.Sprintf("old %d\n", n))
	}
	count := func() (old int) {
		t.Helper()
		for n := range files {
			data, err := os.ReadFile(filepath.Join(p.Work, fmt.Sprintf("f%03d", n)))
			switch text := string(data); {
			case err == nil && text == fmt.Sprintf("old %d\n", n):
				old++
			case err != nil || text != fmt.Sprintf("new %d\n", n):
				t.Fatalf("f%03d is %q, %v", n, text, err)
			}
		}
		return old
	}
	s := serve(t, p)
	a := s.client("a")
	a.must("session/create", map[string]any{"workspace": p.Work, "id": "s-1", "settings": map[string]any{"mode": "danger-full-access"}}, nil)
	a.follow("s-1", 1)
	a.prompt("s-1", "p-1", "Go.")
	end := len(a.until("turn_ended"))
	if old := count(); old > 0 {
		t.Fatalf("%d files were not patched", old)
	}
	a.write(`{"jsonrpc":"2.0","id":"restore","method":"session/restore","params":{"session":"s-1","before":2,"apply":true}}`)
	for first := filepath.Join(p.Work, "f000"); ; {
		if data, _ := os.ReadFile(first); string(data) == "old 0\n" {
			break
		}
	}
	s.process.Kill()
	if old := count(); old == files {
		t.Fatal("it was killed too late")
	}

	b := serve(t, p).client("b")
	var result struct {
		Files []struct {
			Path string `json:"path"`
		} `json:"files"`
	}
	if head := b.follow("s-1", end+1); head != end {
		t.Errorf("%d records after %d", head, end)
	}
	b.must("session/restore", map[string]any{"session": "s-1", "before": 2, "apply": true}, &result)
	if old := count(); old != files || len(result.Files) != files {
		t.Errorf("%d files are restored, %d reported", old, len(result.Files))
	}
	if fact := b.record("the restore"); fact.Seq != end+1 || fact.Kind != "files_restored" || strings.Count(string(fact.Data), `"after":`) != files {
		t.Errorf("recorded: %d %s", fact.Seq, fact.Kind)
	}
	b.must("session/restore", map[string]any{"session": "s-1", "before": end + 1, "apply": true}, &result)
	if old := count(); old != 0 || len(result.Files) != files {
		t.Errorf("%d files are not as they were before the restore; %d reported", old, len(result.Files))
	}
}

// TestRestoreAfterCommands: what commands changed in the files of a git repository is put back, too, and of a command whose
// changes are not known that is reported.
func TestRestoreAfterCommands(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	const command = "printf 'two\\n' >a; rm b; mkdir -p d; echo new >d/c; echo 2 >x.log"
	p := place(t, fmt.Sprintf("call shell {\"command\":%s}\nnext\ntext Done.\n", strconv.Quote(command)))
	p.Write(t, "a", "one\n")
	p.Write(t, "b", "b\n")
	p.Write(t, "x.log", "1\n")
	p.Write(t, ".gitignore", "*.log\n")
	if out, err := exec.Command(git, "init", "-q", p.Work).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := serve(t, p)
	a := s.client("a")
	a.must("session/create", map[string]any{"workspace": p.Work, "id": "s-1", "settings": map[string]any{"mode": "danger-full-access"}}, nil)
	a.follow("s-1", 1)
	a.prompt("s-1", "p-1", "Go.")
	a.until("turn_ended")
	type answer struct {
		Files []struct {
			Path string `json:"path"`
			Op   string `json:"op"`
		} `json:"files"`
		Untracked []struct {
			Tool string `json:"tool"`
		} `json:"untracked"`
	}
	var plan, done, changes answer
	a.must("session/changes", map[string]any{"session": "s-1"}, &changes)
	a.must("session/restore", map[string]any{"session": "s-1", "before": 2}, &plan)
	if len(plan.Untracked) > 0 || len(changes.Files) != 3 {
		t.Errorf("untracked: %v, changes: %+v", plan.Untracked, changes)
	}
	a.must("session/restore", map[string]any{"session": "s-1", "before": 2, "apply": true}, &done)
	var restored []string
	for _, f := range done.Files {
		restored = append(restored, f.Path+" "+f.Op)
	}
	if got := strings.Join(restored, ", "); got != "a updated, b created, d/c deleted" {
		t.Errorf("restored: %s", got)
	}
	for name, want := range map[string]string{"a": "one\n", "b": "b\n", "d/c": "", "x.log": "2\n"} {
		if data, _ := os.ReadFile(filepath.Join(p.Work, name)); string(data) != want {
			t.Errorf("%s is %q, want %q", name, data, want)
		}
	}

	a.must("command/run", map[string]any{"session": "s-1", "id": "c-1", "command": "echo three >a"}, nil)
	ran := a.until("command_ran")
	a.must("session/restore", map[string]any{"session": "s-1", "before": ran[len(ran)-1].Seq, "apply": true}, &done)
	if data, _ := os.ReadFile(filepath.Join(p.Work, "a")); string(data) != "one\n" {
		t.Errorf("after the restore of what a command of the user did, a is %q", data)
	}
}
