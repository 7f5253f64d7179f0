package codex

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley.dev/parley/e2e/stage"
)

var screens = flag.String("screens", "", "folder into which the screens of the terminal UI are written")

// A terminal is the terminal UI of Codex in tmux.
type terminal struct {
	t      *testing.T
	tmux   string
	socket string
	place  *stage.Place
	home   string // of the client; the server does not read it
}

// program returns the path of the Codex CLI, as npm has it.
func program(t *testing.T) string {
	t.Helper()
	program := filepath.Join(stage.NodePackages(t, "../backend/clients/codex"), "node_modules/.bin/codex")
	if _, err := os.Stat(program); err != nil {
		t.Skipf("npm has no codex for this system: %v", err)
	}
	return program
}

// clientConfig is what keeps the client from the network.
const clientConfig = `check_for_update_on_startup = false
[analytics]
enabled = false
`

// open starts codex with arguments in the workspace of a place.
func open(t *testing.T, p *stage.Place, args ...string) *terminal {
	t.Helper()
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("tmux is not installed")
	}
	name := strings.Map(func(r rune) rune {
		if r == '/' {
			return '-'
		}
		return r
	}, t.Name())
	x := &terminal{t: t, tmux: tmux, socket: filepath.Join(t.TempDir(), "tmux"), place: p, home: filepath.Join(p.Home, "client-"+name)}
	if err := os.MkdirAll(x.home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(x.home, "config.toml"), []byte(clientConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	line := append([]string{program(t)}, args...)
	x.run("new-session", "-d", "-x", "100", "-y", "40", strings.Join(line, " ")+"; echo exit code $?; cat")
	t.Cleanup(func() { _ = exec.Command(tmux, "-S", x.socket, "kill-server").Run() })
	return x
}

// run runs a command of tmux and returns its output.
func (x *terminal) run(args ...string) string {
	x.t.Helper()
	cmd := exec.Command(x.tmux, append([]string{"-S", x.socket, "-f", "/dev/null"}, args...)...)
	cmd.Dir = x.place.Work
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + x.home, "CODEX_HOME=" + x.home, "SHELL=/bin/sh", "LANG=C.UTF-8", "TERM=xterm-256color"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

// text returns what is on the screen.
func (x *terminal) text() string {
	x.t.Helper()
	return x.run("capture-pane", "-p", "-t", "0")
}

// shows waits until the screen matches a pattern, and returns it.
func (x *terminal) shows(pattern string) (text string) {
	x.t.Helper()
	wanted := regexp.MustCompile(pattern)
	defer func() {
		if x.t.Failed() {
			x.t.Logf("the screen:\n%s", text)
		}
	}()
	until(x.t, pattern, func() bool {
		text = x.text()
		return wanted.MatchString(text)
	})
	return text
}

// gone waits until the screen does not match a pattern.
func (x *terminal) gone(pattern string) {
	x.t.Helper()
	unwanted := regexp.MustCompile(pattern)
	until(x.t, pattern+" to be gone", func() bool { return !unwanted.MatchString(x.text()) })
}

// press presses keys by the names that tmux has for them.
func (x *terminal) press(keys ...string) {
	x.t.Helper()
	x.run(append([]string{"send-keys"}, keys...)...)
}

// send types a prompt and presses Enter.
func (x *terminal) send(text string) {
	x.t.Helper()
	x.shows(`(?m)^›`)
	x.run("send-keys", "-l", text)
	x.shows(`› ` + regexp.QuoteMeta(text))
	x.press("Enter")
}

// save writes the screen to a file, for documents.
func (x *terminal) save(name string) {
	x.t.Helper()
	if *screens == "" {
		return
	}
	text := strings.ReplaceAll(x.text(), x.place.Root, "/srv")
	if err := os.WriteFile(filepath.Join(*screens, name+".txt"), []byte(strings.TrimRight(text, "\n ")+"\n"), 0o600); err != nil {
		x.t.Fatal(err)
	}
}
