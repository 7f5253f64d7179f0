package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"parley.dev/parley/internal/sandbox"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newRunner returns a Runner, whose git has no settings of a user.
func newRunner(t *testing.T) Runner {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	spawner := sandbox.NewSpawner(sandbox.Options{})
	t.Cleanup(spawner.Close)
	return Runner{Spawner: spawner, Environ: os.Environ()}
}

// TestDiffRunsNothing: a repository may come with a configuration (in an archive, say) that
// names programs at every occasion; the diff runs none of them.
func TestDiffRunsNothing(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	r := newRunner(t)
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	run("init", "-q")
	write("file", "one\n", 0o600)
	run("add", "file")
	run("-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "first")
	write("file", "two\n", 0o600)
	write(".gitattributes", "* filter=evil diff=evil\n", 0o600)
	mark := filepath.Join(t.TempDir(), "ran")
	write("evil", "#!/bin/sh\necho \"$0 $*\" >>"+mark+"\nexec cat\n", 0o700)
	evil := filepath.Join(dir, "evil")
	write(".git/more", "[filter \"evil\"]\n\tclean = "+evil+" clean\n\tsmudge = "+evil+"\n\trequired = true\n"+
		"[diff \"evil\"]\n\ttextconv = "+evil+"\n\tcommand = "+evil+"\n"+
		"[diff]\n\texternal = "+evil+"\n[core]\n\tfsmonitor = "+evil+"\n\thooksPath = "+dir+"\n\tpager = "+evil+"\n\tsshCommand = "+evil+"\n", 0o600)
	run("config", "include.path", "more")
	diff, err := r.Diff(t.Context(), dir)
	if ran, err := os.ReadFile(mark); err == nil {
		t.Errorf("the repository's programs ran: %s", ran)
	}
	if err != nil || !strings.Contains(diff.Patch, "+two") || !strings.Contains(diff.Status, " M file\x00") {
		t.Errorf("%+v, %v", diff, err)
	}
	cmd := exec.Command("git", "status", "--porcelain")
	cmd.Dir = dir
	_ = cmd.Run() // it may fail: what matters is what it runs
	if _, err := os.Stat(mark); err != nil {
		t.Errorf("git runs nothing here by itself, so that it did not proves nothing: %v", err)
	}
	run("config", "filter.a=b.clean", evil)
	if diff, err := r.Diff(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "cannot be switched off") {
		t.Errorf("%+v, %v", diff, err)
	}
}

// TestConfined: whatever runs as git can change only what a command names, and the git of a diff nothing.
func TestConfined(t *testing.T) {
	r := newRunner(t)
	if !r.Spawner.Confinement().Available {
		t.Skip("commands cannot be confined here")
	}
	root, err := os.MkdirTemp("/var/tmp", "parley-git-") // programs of folders for temporary files are passed over
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	dir, own := t.TempDir(), t.TempDir()
	marks := []string{filepath.Join(dir, "mark"), filepath.Join(own, "mark"), filepath.Join(root, "mark")}
	script := "#!/bin/sh\necho ran\nfor mark in " + strings.Join(marks, " ") + "; do echo x >$mark; done\nexit 0\n"
	if err := os.WriteFile(filepath.Join(root, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", root+":"+os.Getenv("PATH"))
	check := func(want ...string) {
		t.Helper()
		var got []string
		for _, mark := range marks {
			if os.Remove(mark) == nil {
				got = append(got, mark)
			}
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("git wrote %q, want %q", got, want)
		}
	}
	if d, err := r.Diff(t.Context(), dir); err != nil || d.Patch != "ran\n" {
		t.Errorf("%+v, %v", d, err)
	}
	check()
	if out, err := r.Run(t.Context(), Command{Dir: dir, Args: []string{"x"}, Writable: []string{own}}); err != nil || string(out) != "ran\n" {
		t.Errorf("%q, %v", out, err)
	}
	check(marks[1])
	if _, err := r.Run(t.Context(), Command{Dir: dir, Args: []string{"x"}, Remote: true}); err != nil {
		t.Error(err)
	}
	check(marks...)
}
