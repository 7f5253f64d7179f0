package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/transcript"
)

// patience is how long anything may take that is waited for. Tests never wait for it to pass.
const patience = stage.Patience

// A place is the fresh folders that a program is started in, one start after the other.
type place struct {
	work  string   // the workspace
	home  string   // HOME; the state is below it
	env   []string // of every start, after PATH, HOME and PARLEY_HOME
	model string   // of every start; "": none is named
}

func newPlace(t testing.TB) *place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{work: filepath.Join(root, "work"), home: filepath.Join(root, "home")}
	for _, dir := range []string{p.work, p.home} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// state returns where sessions are kept.
func (p *place) state() string { return filepath.Join(p.home, "state") }

// write puts a file into the workspace.
func (p *place) write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.work, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// command is "parley scaiflux serve" in this place.
func (p *place) command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	if p.model != "" {
		args = append([]string{"--model", p.model}, args...)
	}
	cmd := exec.Command(transcript.Build(t), append([]string{"scaiflux", "serve"}, args...)...)
	cmd.Dir = p.work
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "PARLEY_HOME=" + p.state(), "LANG=C.UTF-8"}, p.env...)
	return cmd
}

// A server is a running program; the test is its controller.
type server struct {
	t       testing.TB
	process *stage.Process
	cmd     *exec.Cmd
	stdin   *os.File
	stdout  *os.File
	lines   *bufio.Reader
	stderr  *stage.Notes
	ready   message
}

// serve starts the program and reads its ready. It is killed when the test ends.
func (p *place) serve(t testing.TB, args ...string) *server {
	t.Helper()
	s := launch(t, p.command(t, args...))
	s.ready = s.want("ready")
	return s
}

// launch starts cmd over pipes.
func launch(t testing.TB, cmd *exec.Cmd) *server {
	t.Helper()
	p := stage.Launch(t, cmd)
	s := newReader(t, p.Stdout)
	s.process, s.cmd, s.stdin, s.stderr = p, cmd, p.Stdin, p.Stderr
	return s
}

// newReader returns a server of which only the output is there.
func newReader(t testing.TB, stdout *os.File) *server {
	return &server{t: t, stdout: stdout, lines: bufio.NewReaderSize(stdout, 1<<20)}
}

func pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	return stage.Pipe(t)
}

// send writes one message.
func (s *server) send(message any) {
	s.t.Helper()
	line, err := json.Marshal(message)
	if err != nil {
		s.t.Fatal(err)
	}
	s.sendText(string(line) + "\n")
}

// sendText writes bytes as they are.
func (s *server) sendText(text string) {
	s.t.Helper()
	if _, err := s.stdin.WriteString(text); err != nil {
		s.t.Fatalf("write: %v", err)
	}
}

func (s *server) prompt(text string) {
	s.t.Helper()
	s.send(map[string]string{"type": "prompt", "text": text})
}

func (s *server) answer(ask message, decision string) {
	s.t.Helper()
	s.send(map[string]string{"type": "permission_response", "request_id": ask.RequestID, "decision": decision})
}

func (s *server) slash(command, args string) message {
	s.t.Helper()
	s.send(map[string]string{"type": "slash", "command": command, "args": args})
	return s.until("slash_result").last()
}

func (s *server) signal(sig syscall.Signal) {
	s.t.Helper()
	s.process.Signal(sig)
}

// kill is kill -9; it returns when the process is gone.
func (s *server) kill() {
	s.t.Helper()
	s.process.Kill()
}

// exit closes the input, wants no further line but those of the types named, and returns
// the exit code.
func (s *server) exit(allowed ...string) int {
	s.t.Helper()
	s.stdin.Close()
	return s.end(allowed...)
}

// end reads to the end of the output and returns the exit code.
func (s *server) end(allowed ...string) int {
	s.t.Helper()
	for {
		m, ok := s.next()
		if !ok {
			break
		}
		if !contains(allowed, m.Type) {
			s.t.Fatalf("unexpected at the end: %s", m.raw)
		}
	}
	return s.code()
}

// code waits for the process and returns its exit code; -1 for a signal.
func (s *server) code() int {
	s.t.Helper()
	return s.process.Code()
}
