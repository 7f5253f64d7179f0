package windows

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A wine runs programs of Windows.
type wine struct {
	program string // of Wine
	prefix  string // the folder that is its drive C
	parley  string // paths of Windows, on the drive Z, which is the root of this machine
	bash    string
}

// open builds the programs and starts Wine, once for all tests.
func open(t *testing.T) *wine {
	t.Helper()
	if testing.Short() {
		t.Skip("Wine takes half a minute")
	}
	program, err := exec.LookPath("wine")
	if err != nil || runtime.GOARCH != "amd64" {
		t.Skip("there is no Wine for amd64 (apt install wine): the program for Windows is not run")
	}
	dir := t.TempDir()
	w := &wine{program: program, prefix: filepath.Join(dir, "prefix")}
	w.parley = build(t, dir, "parley.exe", "parley.dev/parley/cmd/parley")
	w.bash = build(t, dir, "bash.exe", "mvdan.cc/sh/v3/cmd/gosh") // a shell in Go: Wine has none
	if out, err := w.command(t.Context(), nil, "wineboot.exe", "--init").CombinedOutput(); err != nil {
		t.Fatalf("wineboot: %v\n%s", err, out)
	}
	library := filepath.Join(w.prefix, "drive_c", "windows", "system32", "bcryptprimitives.dll")
	if _, err := os.Stat(library); os.IsNotExist(err) { // before Wine 9
		if err := os.WriteFile(library, prngLibrary(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		stop := exec.Command("wineserver", "--kill")
		stop.Env = append(os.Environ(), "WINEPREFIX="+w.prefix)
		_ = stop.Run() // it may have ended
	})
	return w
}

func build(t *testing.T, dir, name, path string) string {
	t.Helper()
	cmd := exec.Command("go", "build", "-buildvcs=false", "-ldflags", "-s -w", "-o", filepath.Join(dir, name), path)
	cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", path, err, out)
	}
	return inWindows(filepath.Join(dir, name))
}

// inWindows returns the path that a file has under Wine.
func inWindows(path string) string { return `Z:` + strings.ReplaceAll(path, "/", `\`) }

func (w *wine) command(ctx context.Context, environ []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.program, args...)
	cmd.Env = append(os.Environ(), "WINEPREFIX="+w.prefix, "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree=d;mshtml=d", "PARLEY_SHELL="+w.bash,
		"PARLEY_HOME=", "PARLEY_CONFIG=", "XDG_STATE_HOME=", "XDG_CONFIG_HOME=", "HOME=")
	cmd.Env = append(cmd.Env, environ...)
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// A result is the end of a program.
type result struct {
	stdout, stderr string
	code           int
}

// run runs parley in dir with a script of the offline model.
func (w *wine) run(t *testing.T, dir, script, input string, args ...string) result {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.script")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := w.command(ctx, []string{"PARLEY_MODEL=offline/script", "PARLEY_OFFLINE_SCRIPT=" + inWindows(path)}, append([]string{w.parley}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, strings.NewReader(input), &stdout, &stderr
	err := cmd.Run()
	if _, ended := err.(*exec.ExitError); err != nil && !ended {
		t.Fatalf("parley %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}
