package scaiflux

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDiffRunsNothing: a repository may come with a configuration (in an archive, say) that
// names programs at every occasion; the diff runs none of them.
func TestDiffRunsNothing(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	t.Setenv("HOME", t.TempDir())
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
	got := diffOf(dir)
	if ran, err := os.ReadFile(mark); err == nil {
		t.Errorf("the repository's programs ran: %s", ran)
	}
	if !strings.Contains(got.text, "+two") {
		t.Errorf("%+v", got)
	}
	cmd := exec.Command("git", "status", "--porcelain")
	cmd.Dir = dir
	_ = cmd.Run() // it may fail: what matters is what it runs
	if _, err := os.Stat(mark); err != nil {
		t.Errorf("git runs nothing here by itself, so that it did not proves nothing: %v", err)
	}
	run("config", "filter.a=b.clean", evil)
	if got := diffOf(dir); !strings.Contains(got.text, "cannot be switched off") {
		t.Errorf("%+v", got)
	}
}

func FuzzParseStatus(f *testing.F) {
	for _, out := range []string{"", " M a\x00?? b c\x00", "R  new\x00old\x00A  x\x00", "R  new", "\x00\x00", "C"} {
		f.Add(out)
	}
	f.Fuzz(func(t *testing.T, out string) {
		for _, file := range parseStatus(out) {
			if file.Path == "" || len(file.Status) > 2 || !strings.Contains(out, file.Path) {
				t.Errorf("%+v of %q", file, out)
			}
		}
	})
}
