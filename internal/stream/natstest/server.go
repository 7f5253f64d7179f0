package natstest

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// A Server is a running server. It ends with the test.
type Server struct {
	URL  string // nats://127.0.0.1:PORT
	Name string // n0, n1, …; "" of StartFile
	Data string // the folder of its streams; "" of StartFile

	program, config string
	cmd             *exec.Cmd
	log             *readyLog
	ended           chan struct{} // closed when the process has ended
}

// Start starts one server.
func Start(t testing.TB) *Server {
	t.Helper()
	return StartCluster(t, 1)[0]
}

// StartCluster starts a cluster of n servers, which have elected a leader when it returns.
func StartCluster(t testing.TB, n int) []*Server {
	t.Helper()
	return Config{Servers: n}.Start(t)
}

// StartFile starts a server with the configuration that text returns for a free port of this machine.
func StartFile(t testing.TB, text func(port int) string) *Server {
	t.Helper()
	port := ports(t, 1)[0]
	s := &Server{URL: "nats://" + local(port), program: program(t), config: filepath.Join(t.TempDir(), "server.conf")}
	if err := os.WriteFile(s.config, []byte(text(port)), 0o600); err != nil {
		t.Fatal(err)
	}
	s.launch(t)
	t.Cleanup(s.stop)
	s.log.await(t, s, "Server is ready")
	return s
}

func (s *Server) launch(t testing.TB) {
	t.Helper()
	s.log = &readyLog{changed: make(chan struct{})}
	s.cmd = exec.Command(s.program, "-c", s.config)
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	if err := s.cmd.Start(); err != nil {
		t.Fatalf("start the NATS server: %v", err)
	}
	cmd, log, ended := s.cmd, s.log, make(chan struct{})
	s.ended = ended
	go func() {
		_ = cmd.Wait()
		log.end()
		close(ended)
	}()
}

// Kill kills the server as kill -9 does, and waits for its end.
func (s *Server) Kill() { s.stop() }

// Shutdown ends the server as SIGTERM does, and waits for its end.
func (s *Server) Shutdown() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	<-s.ended
}

// Restart starts a server that was killed, with the data that it had.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.launch(t)
	s.log.await(t, s, "Server is ready")
}

// Reconfigure changes the configuration with which Restart starts the server.
func (s *Server) Reconfigure(t testing.TB, change func(string) string) {
	t.Helper()
	text, err := os.ReadFile(s.config)
	if err == nil {
		err = os.WriteFile(s.config, []byte(change(string(text))), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (s *Server) stop() {
	_ = s.cmd.Process.Kill()
	<-s.ended
}

// Process returns the server's process, to signal it.
func (s *Server) Process() *os.Process { return s.cmd.Process }

// A readyLog receives what a server logs.
type readyLog struct {
	mu      sync.Mutex
	text    bytes.Buffer
	ended   bool
	changed chan struct{}
}

func (l *readyLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	l.wake()
	return len(p), nil
}

func (l *readyLog) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *readyLog) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.wake()
}

// await waits until the log has one of the texts.
func (l *readyLog) await(t testing.TB, s *Server, texts ...string) {
	t.Helper()
	for {
		l.mu.Lock()
		text, ended, changed := l.text.String(), l.ended, l.changed
		l.mu.Unlock()
		for _, want := range texts {
			if strings.Contains(text, want) {
				return
			}
		}
		if ended || strings.Contains(text, "[FTL]") {
			var last string
			for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
				last = lines.Text()
			}
			t.Fatalf("the NATS server %s has ended: %s", s.URL, last)
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatalf("the NATS server %s is not ready: %s", s.URL, text)
		}
	}
}
