package worktree

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/sandbox"
)

// The variables that make the test's program a victim.
const (
	victimDir  = "PARLEY_TEST_VICTIM_DIR"
	victimRoot = "PARLEY_TEST_VICTIM_ROOT"
)

// victim makes a copy, says so, and waits to be killed.
func victim(dir, root string) {
	m := New(Options{Root: root, Spawner: sandbox.NewSpawner(sandbox.Options{}), Environ: os.Environ()})
	tree, err := m.Isolate(context.Background(), dir, "victim")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("copy " + tree.Dir())
	select {}
}

// TestKillNine: the copy of a killed process is removed by the next one, and that of a
// living one is not.
func TestKillNine(t *testing.T) {
	m, dir := newManager(t), repositoryWith(t, files{"a.txt": "a\n"})
	alive := isolate(t, m, dir)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(testEnviron(dir), victimDir+"="+dir, victimRoot+"="+m.root)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	copied, ok := strings.CutPrefix(strings.TrimSpace(line), "copy ")
	if err != nil || !ok {
		t.Fatalf("the victim says %q, %v", line, err)
	}
	if n, err := m.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("swept %d, %v while it runs", n, err)
	}
	files{"locked/x": "x"}.write(t, copied)
	if err := os.Chmod(filepath.Join(copied, "locked"), 0o500); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if _, err := os.Stat(filepath.Join(copied, "a.txt")); err != nil {
		t.Fatalf("the victim left nothing to sweep: %v", err)
	}
	if n, err := m.Sweep(t.Context()); n != 1 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	if _, err := os.Stat(copied); !os.IsNotExist(err) {
		t.Errorf("the victim's copy is still there: %v", err)
	}
	if _, err := alive.Capture(t.Context()); err != nil {
		t.Errorf("the copy of the living: %v", err)
	}
	closeTree(t, alive)
	nothingLeft(t, m, dir)
}
