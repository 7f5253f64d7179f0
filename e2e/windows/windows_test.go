package windows

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWindows runs the program for Windows under Wine. The tests share one Wine, which takes seconds to start.
func TestWindows(t *testing.T) {
	w := open(t)
	t.Run("file tools", w.testFileTools)
	t.Run("paths", w.testPaths)
	t.Run("command", w.testCommand)
	t.Run("timeout", w.testTimeout)
	t.Run("sandbox", w.testSandbox)
	t.Run("dialects", w.testDialects)
	t.Run("resume", w.testResume)
}

const (
	modeFlag  = "--permission-mode"
	fullMode  = "danger-full-access"
	writeMode = "workspace-write"
)

// testFileTools checks that a file with the line ends of Windows keeps them.
func (w *wine) testFileTools(t *testing.T) {
	dir := t.TempDir()
	script := `call write {"path":"sub\\a.txt","content":"one\r\ntwo\r\n"}
call edit {"path":"sub/a.txt","old":"two\n","new":"2\nthree\n"}
call read {"path":"SUB\\A.TXT"}
expect three
text done
`
	if r := w.run(t, dir, script, "", "run", modeFlag, writeMode, "x"); r.code != 0 || strings.TrimSpace(r.stdout) != "done" {
		t.Errorf("%+v", r)
	}
	data, err := os.ReadFile(filepath.Join(dir, "sub", "a.txt"))
	if string(data) != "one\r\n2\r\nthree\r\n" {
		t.Errorf("%q, %v", data, err)
	}
}

// testPaths checks that names with a second meaning do not leave the workspace or reach what is protected.
func (w *wine) testPaths(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{`a.txt:hidden`, `NUL`, `.git.\\config`, `.GIT\\config`, `\\\\server\\share\\a`, `\\\\?\\C:\\a`, `C:\\a.txt`, `..\\a.txt`, `/a.txt`} {
		r := w.run(t, dir, `call write {"path":"`+path+`","content":"x"}`+"\ntext done\n", "", "run", modeFlag, writeMode, "x")
		if strings.Contains(r.stderr, "[created]") || !strings.Contains(r.stdout, "done") {
			t.Errorf("%s: %+v", path, r)
		}
	}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			t.Errorf("%s was written", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func (w *wine) testCommand(t *testing.T) {
	dir := t.TempDir()
	script := `call shell {"command":"echo out; echo err >&2; echo x >made.txt; exit 3"}
expect (?s)out.*err.*\[exit code 3\]
text done
`
	if r := w.run(t, dir, script, "", "run", modeFlag, fullMode, "x"); r.code != 0 || !strings.Contains(r.stdout, "done") {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(dir, "made.txt")); err != nil {
		t.Error(err)
	}
}

// testTimeout checks that a command is ended with the processes that it has started.
func (w *wine) testTimeout(t *testing.T) {
	dir := t.TempDir()
	bash := strings.ReplaceAll(w.bash, `\`, "/")
	script := `call shell {"command":"` + bash + ` -c 'echo begun; while true; do : endless-parley-child; done'","timeout_ms":3000}
expect (?s)begun.*timed out
text done
`
	if r := w.run(t, dir, script, "", "run", modeFlag, fullMode, "x"); r.code != 0 || !strings.Contains(r.stdout, "done") {
		t.Errorf("%+v", r)
	}
	for _, left := range processesWith(t, "endless-parley-child") {
		t.Errorf("process left: %s", left)
	}
}

// processesWith returns the command lines of processes that contain text.
func processesWith(t *testing.T, text string) (found []string) {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(paths) == 0 {
		t.Fatal("processes cannot be listed", err)
	}
	for _, path := range paths {
		line, _ := os.ReadFile(path) // it may have ended
		if bytes.Contains(line, []byte(text)) {
			found = append(found, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return found
}

// testSandbox checks that a command which has to be confined does not run.
func (w *wine) testSandbox(t *testing.T) {
	for _, sandbox := range []string{"read-only", "workspace-write"} {
		dir := t.TempDir()
		script := "call shell {\"command\":\"echo x >made.txt\"}\ntext done\n"
		r := w.run(t, dir, script, "", "run", "--sandbox", sandbox, "x")
		if _, err := os.Stat(filepath.Join(dir, "made.txt")); err == nil {
			t.Errorf("%s: the command has run: %+v", sandbox, r)
		}
	}
}

// testDialects checks that each server starts, and ends with its input.
func (w *wine) testDialects(t *testing.T) {
	dir := t.TempDir()
	initialize := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"test","version":"1"},"clientCapabilities":{}}}` + "\n"
	for name, test := range map[string]struct {
		args  []string
		input string
		want  string
	}{
		"acp":      {[]string{"acp"}, initialize, `"protocolVersion":1`},
		"codex":    {[]string{"codex", "app-server"}, `{"id":1,"method":"initialize","params":{"clientInfo":{"name":"test","version":"1"}}}` + "\n", `"id":1`},
		"scaiflux": {[]string{"scaiflux", "serve"}, "", `"type":"ready"`},
		"pisces":   {[]string{"pisces", "--mode", "rpc"}, `{"id":"1","type":"get_state"}` + "\n", `"success":true`},
	} {
		if r := w.run(t, dir, "text done\n", test.input, test.args...); !strings.Contains(r.stdout, test.want) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// testResume checks that a session goes on in another process, with what it has recorded.
func (w *wine) testResume(t *testing.T) {
	dir := t.TempDir()
	if r := w.run(t, dir, "text the first answer\n", "", "run", "remember"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if r := w.run(t, dir, "text the second answer\n", "", "run", "--resume", "latest", "again"); r.code != 0 || !strings.Contains(r.stdout, "second") {
		t.Errorf("%+v", r)
	}
}
