package host

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"parley.dev/parley/e2e/stage"
)

// messages reads the messages of a WebSocket connection as lines.
type messages struct {
	t    testing.TB
	ws   *websocket.Conn
	rest []byte
}

func (m *messages) Read(p []byte) (int, error) {
	if len(m.rest) == 0 {
		kind, data, err := m.ws.Read(m.t.Context())
		if err != nil {
			return 0, err
		}
		if kind != websocket.MessageText || strings.Contains(string(data), "\n") {
			m.t.Errorf("a message of kind %v: %q", kind, data)
		}
		m.rest = append(data, '\n')
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// token returns the token of the owner.
func (s *server) token() string {
	s.t.Helper()
	info, err := os.Stat(s.ready.TokenFile)
	if err != nil || info.Mode().Perm() != 0o600 {
		s.t.Fatalf("the file of the token: %v, %v", info, err)
	}
	data, err := os.ReadFile(s.ready.TokenFile)
	if err != nil || !strings.HasSuffix(string(data), "\n") {
		s.t.Fatalf("the file of the token: %d bytes, %v", len(data), err)
	}
	return strings.TrimSpace(string(data))
}

// connect opens a WebSocket connection.
func (s *server) connect(path, token string, client *http.Client) *websocket.Conn {
	s.t.Helper()
	ws, resp, err := websocket.Dial(s.t.Context(), s.ready.URLs[0]+path, &websocket.DialOptions{
		HTTPClient: client, HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}, Subprotocols: []string{"parley.v1"},
	})
	if err != nil {
		s.t.Fatalf("%v: %+v", err, resp)
	}
	s.t.Cleanup(func() { ws.CloseNow() })
	ws.SetReadLimit(-1)
	return ws
}

// webClient is client over WebSocket.
func (s *server) webClient(name, token string) *client {
	s.t.Helper()
	ws := s.connect("/v1/native", token, nil)
	c := &client{t: s.t, name: name, conn: websocket.NetConn(s.t.Context(), ws, websocket.MessageText), lines: bufio.NewReader(&messages{t: s.t, ws: ws})}
	c.must("initialize", map[string]any{"protocol": 1, "client": map[string]any{"name": name}}, nil)
	return c
}

// status returns what a path is answered with.
func (s *server) status(path, token string) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.ready.URLs[0]+path, http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// TestWebSocket: a client of the network and one of the socket share a session, and see the same records.
func TestWebSocket(t *testing.T) {
	t.Parallel()
	p := place(t, askingScript)
	s := serve(t, p, "--listen", "127.0.0.1:0", "--listen", "[::1]:0")
	if len(s.ready.URLs) != 2 || !strings.HasPrefix(s.ready.URLs[0], "http://127.0.0.1:") || !strings.HasPrefix(s.ready.URLs[1], "http://[::1]:") {
		t.Fatalf("urls: %v", s.ready.URLs)
	}
	token := s.token()
	a, b := s.client("a"), s.webClient("b", token)
	session := created(b, p)
	a.follow(session, 1)
	b.follow(session, 1)
	a.prompt(session, "p-1", "Go.")
	seenByA, seenByB := a.until("approval_asked"), b.until("approval_asked")
	if numbers(seenByA) != numbers(seenByB) {
		t.Errorf("a saw %s, b %s", numbers(seenByA), numbers(seenByB))
	}
	b.must("approval/answer", map[string]any{"session": session, "approval": "a-1", "allow": true}, nil)
	b.until("turn_ended")
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 401, "/v1/none": 404, "/index.html": 404} {
		if got, body := s.status(path, ""); got != want {
			t.Errorf("%s: %d %s", path, got, body)
		}
	}
	if code, body := s.status("/metrics", token); code != 200 || !strings.Contains(body, "parley_clients 2\n") || !strings.Contains(body, "parley_sessions 1\n") {
		t.Errorf("metrics: %d %s", code, body)
	}
	s.process.Signal(syscall.SIGTERM)
	if code := s.process.Code(); code != 0 {
		t.Errorf("exit %d: %s", code, s.process.Stderr)
	}
	if _, err := os.Stat(s.ready.TokenFile); err == nil {
		t.Error("the file of the token is still there")
	}
	audit, err := os.ReadFile(filepath.Join(p.State(), "run", "audit.jsonl"))
	if err != nil || !strings.Contains(string(audit), `"event":"connected"`) || strings.Contains(string(audit), token) {
		t.Errorf("audit: %s, %v", audit, err)
	}
}

// TestRemoteNeedsTLS: a start that would serve other machines without TLS is refused.
func TestRemoteNeedsTLS(t *testing.T) {
	t.Parallel()
	p := place(t, askingScript)
	for _, args := range [][]string{{"--listen", "0.0.0.0:0"}, {"--listen", ":0"}, {"--listen", "127.0.0.1:0", "--tls-cert", "x"}, {"--listen", "127.0.0.1"}} {
		process := stage.Launch(t, p.Command(t, append([]string{"serve", "--json"}, args...)...))
		if code := process.Code(); code != 2 {
			t.Errorf("%v: exit %d, %s", args, code, process.Stderr)
		}
	}
}

// certificate writes a certificate for a name into the files.
func certificate(t *testing.T, cert, key, name string) *x509.CertPool {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{name},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: pkcs}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return pool
}

// TestTLS: with a certificate all addresses may be served; SIGHUP reads it again.
func TestTLS(t *testing.T) {
	t.Parallel()
	p := place(t, askingScript)
	cert, key := filepath.Join(p.Home, "cert.pem"), filepath.Join(p.Home, "key.pem")
	pool := certificate(t, cert, key, "first.example")
	s := serve(t, p, "--listen", "0.0.0.0:0", "--tls-cert", cert, "--tls-key", key)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.ready.URLs[0], "https://"))
	if err != nil {
		t.Fatal(err)
	}
	get := func(name string, pool *x509.CertPool) (int, error) {
		transport := &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: name},
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "tcp", "127.0.0.1:"+port)
			},
		}
		defer transport.CloseIdleConnections()
		client := &http.Client{Transport: transport}
		resp, err := client.Get("https://" + name + ":" + port + "/healthz")
		if err != nil {
			return 0, err
		}
		resp.Body.Close()
		return resp.StatusCode, nil
	}
	if code, err := get("first.example", pool); code != 200 {
		t.Errorf("%d, %v", code, err)
	}
	pool = certificate(t, cert, key, "second.example")
	if _, err := get("second.example", pool); err == nil {
		t.Error("the second certificate is there before SIGHUP")
	}
	s.process.Signal(syscall.SIGHUP)
	deadline := time.Now().Add(stage.Patience)
	for code := 0; code != 200; { // the signal is not answered
		if code, err = get("second.example", pool); time.Now().After(deadline) {
			t.Fatalf("after SIGHUP: %d, %v", code, err)
		}
	}
}

// TestSystemdSockets: listeners that the process is started with are used: a Unix socket in place of its own, TCP for HTTP.
func TestSystemdSockets(t *testing.T) {
	t.Parallel()
	p := place(t, askingScript)
	socket := filepath.Join(p.Home, "systemd.sock")
	unix, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	unixFile, err := unix.(*net.UnixListener).File()
	if err != nil {
		t.Fatal(err)
	}
	tcpFile, err := tcp.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	tcp.Close()
	cmd := p.Command(t, "serve", "--json")
	program, args := cmd.Path, cmd.Args[1:]
	cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", `LISTEN_PID=$$ LISTEN_FDS=2 exec "$0" "$@"`, program}, args...)
	cmd.ExtraFiles = []*os.File{unixFile, tcpFile}
	s := started(t, stage.Launch(t, cmd))
	unixFile.Close()
	tcpFile.Close()
	if s.socket != socket || len(s.ready.URLs) != 1 || s.ready.URLs[0] != "http://"+tcp.Addr().String() {
		t.Errorf("ready: %+v", s.ready)
	}
	s.client("a").must("ping", map[string]any{}, nil)
	s.webClient("b", s.token()).must("ping", map[string]any{}, nil)
}

// TestRevokedOverSocket: the owner makes a token, uses it with its role, and revokes it: its connections end.
func TestRevokedOverSocket(t *testing.T) {
	t.Parallel()
	p := place(t, askingScript)
	s := serve(t, p, "--listen", "127.0.0.1:0")
	owner := s.client("owner")
	var made struct {
		ID    string `json:"id"`
		Token string `json:"token"`
	}
	owner.must("token/create", map[string]any{"role": "viewer", "name": "wall"}, &made)
	viewer := s.webClient("viewer", made.Token)
	for method, params := range map[string]map[string]any{"token/list": {}, "session/create": {"workspace": p.Work}} {
		if m := viewer.call(method, params); m.Error == nil || m.Error.Code != -32004 {
			t.Errorf("%s: %+v", method, m)
		}
	}
	owner.must("token/revoke", map[string]any{"id": made.ID}, nil)
	if m, ok := viewer.read(); ok {
		t.Errorf("after the token was revoked: %+v", m)
	}
	if code, body := s.status("/metrics", made.Token); code != 401 {
		t.Errorf("%d %s", code, body)
	}
	if m := owner.call("token/revoke", map[string]any{"id": made.ID}); m.Error == nil || m.Error.Code != -32602 {
		t.Errorf("revoked twice: %+v", m)
	}
}

// TestDialectOverWebSocket: a client of another dialect has a turn over WebSocket, and the close frame has its exit code.
func TestDialectOverWebSocket(t *testing.T) {
	t.Parallel()
	p := place(t, "text Hello there.\n")
	s := serve(t, p, "--listen", "127.0.0.1:0")
	path := "/v1/scaiflux?" + url.Values{"cwd": {p.Work}, "args": {`["serve"]`}}.Encode()
	ws := s.connect(path, s.token(), nil)
	for _, line := range []string{`{"type":"prompt","text":"Go."}`, `{"type":"shutdown"}`} {
		if err := ws.Write(t.Context(), websocket.MessageText, []byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	var all strings.Builder
	for {
		_, data, err := ws.Read(t.Context())
		if err == nil {
			all.Write(data)
			continue
		}
		closed, ok := errors.AsType[websocket.CloseError](err)
		if !ok || closed.Code != websocket.StatusNormalClosure || closed.Reason != `{"exit":0}` {
			t.Errorf("the connection ends with %v", err)
		}
		break
	}
	for _, part := range []string{`"ready"`, `"Hello there."`, `"turn_complete"`} {
		if !strings.Contains(all.String(), part) {
			t.Errorf("no %s in %s", part, all.String())
		}
	}
}
