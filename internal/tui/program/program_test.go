package program

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/tui/screen"
	"parley.dev/parley/record"
)

// TestKeyActions: the configuration knows the actions that the screen has, and no others.
func TestKeyActions(t *testing.T) {
	for _, name := range config.KeyActions {
		if _, err := screen.ParseKeys(map[string]string{name: "f12"}); err != nil {
			t.Error(err)
		}
	}
	_, err := screen.ParseKeys(map[string]string{"nosuch": "f12"})
	if err == nil || !strings.HasSuffix(err.Error(), strings.Join(config.KeyActions, ", ")) {
		t.Errorf("%v, and the configuration has %q", err, config.KeyActions)
	}
}

// TestBranch: the branch of a repository is found from a folder in it, also in a worktree and without a branch.
func TestBranch(t *testing.T) {
	root := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+root, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	if branch := branchOf(root); branch != "" {
		t.Skipf("the temporary folder is in a repository with the branch %s", branch)
	}
	git("init", "-q", "-b", "feature/x", ".")
	git("commit", "-q", "--allow-empty", "-m", "first")
	git("worktree", "add", "-q", "-b", "other", "tree")
	if err := os.MkdirAll(filepath.Join(root, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{".": "feature/x", "a/b": "feature/x", "tree": "other"} {
		if got := branchOf(filepath.Join(root, folder)); got != want {
			t.Errorf("%s: %q, want %q", folder, got, want)
		}
	}
	git("checkout", "-q", "--detach")
	if got := branchOf(root); len(got) != 7 {
		t.Errorf("without a branch: %q", got)
	}
}

// TestPrompts: prompts of a workspace are there again, those of others are not, and a long file is shortened.
func TestPrompts(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "tui")
	p := openPrompts(folder, "/a")
	p.add("one\ntwo")
	openPrompts(folder, "/b").add("of b")
	p.add("three")
	if got := openPrompts(folder, "/a").texts(); !slices.Equal(got, []string{"one\ntwo", "three"}) {
		t.Errorf("%q", got)
	}
	for range promptLines {
		p.add("again")
	}
	openPrompts(folder, "/a")
	if got := openPrompts(folder, "/a").texts(); len(got) != promptLines/2 {
		t.Errorf("%d prompts", len(got))
	}
	if info, err := os.Stat(filepath.Join(folder, "prompts.jsonl")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	openPrompts("", "/a").add("lost")
}

// TestBatches: records come in order, many at once for a slow reader, and the end comes after them.
func TestBatches(t *testing.T) {
	b, ctx := newBatches(), t.Context()
	failure := errors.New("gone")
	go func() {
		for i := range 10_000 {
			b.add(ctx, record.Record{Seq: uint64(i + 1), Data: make([]byte, 1000)})
		}
		b.end(failure)
	}()
	var next uint64 = 1
	for {
		records, err := b.take(ctx)
		if records == nil {
			if !errors.Is(err, failure) || next != 10_001 {
				t.Errorf("the end after %d: %v", next-1, err)
			}
			break
		}
		for _, r := range records {
			if r.Seq != next {
				t.Fatalf("record %d, want %d", r.Seq, next)
			}
			next++
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	full := newBatches()
	full.add(ctx, record.Record{Data: make([]byte, batchLimit+1)})
	if full.add(cancelled, record.Record{}) {
		t.Error("a full batch takes more")
	}
}
