package tool

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool/shell"
	"parley.dev/parley/internal/tool/workspace"
	"parley.dev/parley/internal/tool/workspacetest"
)

// TestSystemProgram: a trusted name counts only where the system's program is the first of
// that name.
func TestSystemProgram(t *testing.T) {
	project := workspacetest.TempDir(t)
	if err := os.WriteFile(filepath.Join(project, "ls"), []byte("#!/bin/sh\ntouch escaped\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		path, command string
		want          bool
	}{
		{"/usr/bin:/bin", "ls -l | wc -l", true},
		{project + ":/usr/bin:/bin", "ls", false},
		{project + ":/usr/bin:/bin", "echo x; ls", false},
		{project + ":/usr/bin:/bin", "bash -c 'cat x && ls'", false},
		{project + ":/usr/bin:/bin", "/bin/ls", true},
		{project + ":/usr/bin:/bin", "cat x", true},
		{project + ":/usr/bin:/bin", "echo x && pwd", true},
		{"/usr/bin:/bin:" + project, "ls", true},
		{".:/usr/bin:/bin", "ls", false},
		{":/usr/bin:/bin", "ls", false},
		{":/usr/bin", "pwd", true},
		{"", "ls", true},
		{"/usr/bin:/bin", "rm x", false},
	} {
		e := &Env{Environ: []string{"PATH=/nowhere", "PATH=" + row.path}}
		if got := approval.TrustedBy(row.command, e.SystemProgram); got != row.want {
			t.Errorf("%q with PATH=%s: %v", row.command, row.path, got)
		}
	}
	// What an earlier command has left counts, too.
	spawner := sandbox.NewSpawner(sandbox.Options{})
	defer spawner.Close()
	e := &Env{Environ: []string{"PATH=/usr/bin:/bin"}, Spawner: spawner, Shell: shell.NewState()}
	setPath := shell.Text{Text: "export PATH=" + project + ":/bin", Dir: project, Confine: sandbox.Policy{Level: sandbox.Full}}
	if _, left, err := e.run(t.Context(), setPath); err != nil || !left {
		t.Fatalf("left %v, %v", left, err)
	}
	if e.SystemProgram("ls") {
		t.Error("the PATH of an earlier command does not count")
	}
}

// TestTrustsCommand: a line that only reads is trusted only if the shell that runs it is the system's.
func TestTrustsCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("each program has a folder of its own")
	}
	// Outside of the folders for temporary files, whose programs are passed over.
	dir, err := os.MkdirTemp("/var/tmp", "parley-shell-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, "bash"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	e := &Env{Environ: []string{"PATH=/usr/bin:/bin"}}
	if !e.TrustsCommand("/bin/ls") {
		t.Errorf("with %s a line is not trusted", shell.Path())
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	if e.TrustsCommand("/bin/ls") {
		t.Errorf("with %s a line is trusted", shell.Path())
	}
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if filepath.Dir(shell.Path()) == dir {
		t.Errorf("%s of the workspace runs commands", shell.Path())
	}
}
