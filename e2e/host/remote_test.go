package host

import (
	"bytes"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley.dev/parley/e2e/stage"
)

// address returns where a relay finds the host.
func (s *server) address() string { return "ws" + strings.TrimPrefix(s.ready.URLs[0], "http") }

// remoteCommand is a command that joins the host over the network.
func (s *server) remoteCommand(p *stage.Place, args ...string) *exec.Cmd {
	s.t.Helper()
	cmd := p.Command(s.t, append(args, "--host", s.address())...)
	cmd.Env = append(cmd.Env, "PARLEY_TOKEN="+s.token())
	return cmd
}

// remote starts a command that joins the host over the network.
func (s *server) remote(t *testing.T, p *stage.Place, args ...string) *relayed {
	t.Helper()
	return newRelayed(t, stage.Launch(t, s.remoteCommand(p, args...)))
}

// TestRemoteTurn: a client of each dialect has a turn over a host of the network, and its process ends as one of its own
// would. Its token is one of a driver that is limited to the folder, and is neither in the address nor in any log.
func TestRemoteTurn(t *testing.T) {
	t.Parallel()
	for _, d := range turns {
		t.Run(d.name, func(t *testing.T) {
			p := place(t, "text Hello there.\n")
			s := serve(t, p, "--listen", "127.0.0.1:0")
			token := s.client("owner").token("driver", map[string]any{"workspace": p.Work})
			cmd := s.remoteCommand(p, d.args...)
			cmd.Env = append(cmd.Env, "PARLEY_TOKEN="+token)
			r := newRelayed(t, stage.Launch(t, cmd))
			r.speak(within(d.lines, p.Work))
			r.exits(0)
			audit, err := os.ReadFile(filepath.Join(p.State(), "run", "audit.jsonl"))
			if err != nil || !strings.Contains(string(audit), `"dialect":"`+d.name+`"`) {
				t.Errorf("audit: %s, %v", audit, err)
			}
			for name, text := range map[string]string{"audit": string(audit), "the host": s.process.Stderr.String(), "the relay": r.process.Stderr.String()} {
				if strings.Contains(text, token) {
					t.Errorf("the token is in %s", name)
				}
			}
		})
	}
}

// within returns lines that work in a folder.
func within(lines []string, dir string) []string {
	inside := make([]string, len(lines))
	for i, line := range lines {
		inside[i] = strings.ReplaceAll(line, `"cwd":"/"`, `"cwd":"`+dir+`"`)
	}
	return inside
}

// TestRemotePipe: a client whose input ends at once is sent the whole turn, as without a host.
func TestRemotePipe(t *testing.T) {
	t.Parallel()
	for name, input := range map[string]string{
		"line": `{"type":"prompt","text":"Go."}` + "\n", "no line feed": `{"type":"prompt","text":"Go."}`,
		"long": `{"type":"prompt","text":"` + strings.Repeat("long ", 100_000) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			p := place(t, "text Hello there.\n")
			s := serve(t, p, "--listen", "127.0.0.1:0")
			cmd := s.remoteCommand(p, "scaiflux", "serve")
			cmd.Stdin = strings.NewReader(input)
			out, err := cmd.Output()
			if err != nil || !strings.Contains(string(out), "Hello there.") || !strings.Contains(string(out), `"stop_reason":"end_turn"`) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// TestRemoteLongLine: a line over the limit is refused by the host and nothing else is: the lines after it are answered.
func TestRemoteLongLine(t *testing.T) {
	t.Parallel()
	p := place(t, "text Hello there.\n")
	s := serve(t, p, "--listen", "127.0.0.1:0", "--max-rate", "0")
	cmd := s.remoteCommand(p, "rpc")
	var input bytes.Buffer
	input.WriteString(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,"client":{"name":"t"}}}` + "\n")
	input.WriteString(`{"jsonrpc":"2.0","id":2,"method":"` + strings.Repeat("x", 64<<20) + `"}` + "\n")
	input.WriteString(`{"jsonrpc":"2.0","id":3,"method":"ping"}` + "\n")
	cmd.Stdin = &input
	out, err := cmd.Output()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != 3 || !strings.Contains(lines[1], "-32600") || lines[2] != `{"jsonrpc":"2.0","id":3,"result":{}}` {
		t.Errorf("%v: %.2000s", err, out)
	}
}

// TestRemoteGone: a relay that is killed takes its client along and nothing else; a signal to a relay ends its connection;
// a client that does not read any more ends it, too; a host that is killed ends its relays with exit code 1.
func TestRemoteGone(t *testing.T) {
	t.Parallel()
	p := place(t, askingScript)
	s := serve(t, p, "--listen", "127.0.0.1:0")
	a := s.client("a")
	session := created(a, p)
	a.follow(session, 1)
	join := func() *relayed {
		r := s.remote(t, p, "scaiflux", "serve", "--resume", session)
		r.until(`"ready"`)
		return r
	}
	killed, stopped, deaf, left := join(), join(), join(), join()
	killed.send(`{"type":"prompt","text":"Go."}`)
	a.until("approval_asked")
	killed.process.Kill()
	a.notified("client/left")
	stopped.process.Signal(syscall.SIGTERM)
	if code := stopped.process.Code(); code != 0 {
		t.Errorf("a stopped relay ends with %d", code)
	}
	a.notified("client/left")
	deaf.process.Stdout.Close()
	if code := deaf.process.Code(); code != 1 {
		t.Errorf("without a reader a relay ends with %d", code)
	}
	a.notified("client/left")
	a.must("approval/answer", map[string]any{"session": session, "approval": "a-1", "allow": true}, nil)
	left.until(`"turn_complete"`, `"end_turn"`)
	s.process.Kill()
	if code := left.process.Code(); code != 1 || !strings.Contains(left.process.Stderr.String(), "the host has ended") {
		t.Errorf("after its host was killed a relay ends with %d: %s", code, left.process.Stderr)
	}
}

// TestRemoteRefused: why a host of the network does not serve a client, and the exit code.
func TestRemoteRefused(t *testing.T) {
	t.Parallel()
	p := place(t, "text Hello.\n")
	s := serve(t, p, "--listen", "127.0.0.1:0", "--max-clients", "1")
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nowhere := "ws://" + closed.Addr().String()
	closed.Close()
	owner := s.client("owner")
	var viewer struct {
		Token string `json:"token"`
	}
	owner.must("token/create", map[string]any{"role": "viewer", "name": "wall"}, &viewer)
	refused := func(token, address string, args []string, code int, says string) {
		t.Helper()
		cmd := p.Command(t, append(args, "--host", address)...)
		cmd.Env = append(cmd.Env, "PARLEY_TOKEN="+token)
		out, err := cmd.CombinedOutput()
		got := 0
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			got = exit.ExitCode()
		}
		if got != code || !strings.Contains(string(out), says) || token != "" && strings.Contains(string(out), token) {
			t.Errorf("%q at %s: exit %d, want %d: %s", args, address, got, code, out)
		}
	}
	token := s.token()
	refused(token, s.address(), []string{"flint"}, 1, "takes no client now: the host has as many clients as it takes")
	owner.conn.Close()
	for metrics := ""; !strings.Contains(metrics, "parley_clients 0\n"); { // its end is not answered
		_, metrics = s.status("/metrics", token)
	}
	refused(token, s.address(), []string{"pisces", "--mode", "rpc", "--no-session"}, 2, "the host refuses: --no-session needs a process")
	refused(token, s.address(), []string{"flint", "--no-such-flag"}, 2, "unknown flag")
	refused(token, s.address(), []string{"rpc", "--model", "offline/script"}, 2, "native protocol has no options")
	refused(token, s.address()+"/elsewhere", []string{"flint"}, 1, "no host that speaks flint")
	refused(token, nowhere, []string{"flint"}, 1, "no host answers")
	refused(token, s.address()+"?token=x", []string{"flint"}, 2, "PARLEY_TOKEN")
	refused(token, "wss"+strings.TrimPrefix(s.address(), "ws"), []string{"flint"}, 1, "no host answers")
	refused("", s.address(), []string{"flint"}, 1, "PARLEY_TOKEN is not set")
	refused(viewer.Token, s.address(), []string{"flint"}, 1, "needs a token with the role driver")
	for range 5 {
		refused("parley_wrong", s.address(), []string{"flint"}, 1, "refuses the token in PARLEY_TOKEN: it is wrong")
	}
	refused("parley_wrong", s.address(), []string{"flint"}, 1, "wait a minute")
}

// TestRemoteTLS: over wss:// the host's certificate must be one that the system, or SSL_CERT_FILE, vouches for.
func TestRemoteTLS(t *testing.T) {
	t.Parallel()
	p := place(t, "text Hello there.\n")
	cert, key := filepath.Join(p.Home, "cert.pem"), filepath.Join(p.Home, "key.pem")
	certificate(t, cert, key, "localhost")
	s := serve(t, p, "--listen", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.ready.URLs[0], "https://"))
	if err != nil {
		t.Fatal(err)
	}
	run := func(env string) (string, error) {
		cmd := p.Command(t, "scaiflux", "serve", "--host", "wss://localhost:"+port)
		cmd.Env = append(cmd.Env, "PARLEY_TOKEN="+s.token(), env)
		cmd.Stdin = strings.NewReader(`{"type":"prompt","text":"Go."}` + "\n")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("SSL_CERT_FILE=" + cert); err != nil || !strings.Contains(out, `"stop_reason":"end_turn"`) {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := run("A=b"); err == nil || !strings.Contains(out, "certificate") {
		t.Errorf("without the certificate: %v: %s", err, out)
	}
}
