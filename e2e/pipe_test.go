package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/internal/transcript"
)

// TestPipe is the first thing that anyone tries: a prompt through a pipe that closes at
// once, in an empty home, without a key and without a network.
func TestPipe(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.Write(t, "main.go", "package main\n")
	p.Write(t, "notes.txt", "no Go\n")
	cmd := p.Command(t, "scaiflux", "serve", "--workspace", ".")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.Home} // nothing else is set
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(`{"type":"prompt","text":"list the go files"}`+"\n"), &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, stderr.String())
	}
	all := parseLines(t, string(out))
	want := "ready turn_started text_delta tool_start tool_result text_delta state_changed turn_complete"
	// Where the call came before the end of input was read, permission is requested and withdrawn.
	if got := strings.Replace(all.Types(), "permission_request ", "", 1); got != want {
		t.Errorf("there was\n%s\nwant\n%s\n%s", got, want, out)
	}
	if !strings.Contains(strings.ToLower(all.Text()), "offline") {
		t.Errorf("the model does not say that it is the offline one: %q", all.Text())
	}
	if result := all.Of("tool_result"); len(result) == 1 && result[0].Output != "controller disconnected before responding" {
		t.Errorf("the call was not denied: %s", result[0].Raw)
	}
	if all.Last().StopReason != "end_turn" {
		t.Errorf("%s", all.Last().Raw)
	}
	if warnings := strings.TrimSpace(stderr.String()); !strings.Contains(warnings, "the offline demo answers") || strings.Contains(warnings, "\n") {
		t.Errorf("standard error says %q, want one warning that the offline demo answers", warnings)
	}
}

func parseLines(t testing.TB, text string) (all client.Messages) {
	t.Helper()
	for line := range strings.Lines(text) {
		m, err := client.ReadScaiFlux(strings.TrimSuffix(line, "\n"))
		if err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, m)
	}
	return all
}

// TestPersonaByName: a link with the name of the original takes its command line.
func TestPersonaByName(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	link := filepath.Join(p.Home, "scaiflux")
	if err := os.Symlink(transcript.Build(t), link); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(link, "serve", "--workspace="+p.Work, "--permission-mode=plan")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.Home}
	s := client.NewScaiFlux(client.Start(t, cmd))
	if ready := s.Want("ready"); !strings.Contains(ready.Raw, `"mode":"plan"`) {
		t.Error(ready.Raw)
	}
	if code := s.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestBadCommandLines: usage goes to stderr, nothing to stdout, and the exit code is 2.
func TestBadCommandLines(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, args := range [][]string{
		{"--no-such-flag"},
		{"--permission-mode", "yolo"},
		{"--permission-mode", ""},
		{"--max-iterations", "0"},
		{"--max-iterations", "x"},
		{"--max-tokens", "-1"},
		{"--max-tokens=0"},
		{"--resume"},
		{"argument"},
	} {
		cmd := p.Command(t, append([]string{"scaiflux", "serve"}, args...)...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		_ = cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != 2 || stdout.Len() != 0 || stderr.Len() == 0 {
			t.Errorf("%q: exit code %d\nstdout %q\nstderr %q", args, code, stdout.String(), stderr.String())
		}
	}
	help := p.Command(t, "scaiflux", "serve", "--help")
	if out, err := help.Output(); err != nil || !strings.Contains(string(out), "--permission-mode") {
		t.Errorf("--help: %v, %q", err, out)
	}
}
