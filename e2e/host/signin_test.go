package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/coder/websocket"

	"parley.dev/parley/e2e/stage"
)

// link runs parley host link.
func link(t *testing.T, p *stage.Place, args ...string) (out string, code int) {
	t.Helper()
	cmd := p.Command(t, append([]string{"host", "link"}, args...)...)
	text, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	}
	return strings.TrimSpace(string(text)), code
}

// TestSignInByLink: a link of the command signs a browser in, which then has a session over WebSocket and reads metrics; a second
// browser is refused the link.
func TestSignInByLink(t *testing.T) {
	t.Parallel()
	p := place(t, askingScript)
	if out, code := link(t, p); code != 1 || !strings.Contains(out, "no host with --listen") {
		t.Errorf("without a host: exit %d, %s", code, out)
	}
	s := serve(t, p, "--listen", "127.0.0.1:0", "--origin", "https://parley.example")
	out, code := link(t, p, "--json")
	var printed struct{ Web string }
	if err := json.Unmarshal([]byte(out), &printed); err != nil || code != 0 {
		t.Fatalf("exit %d, %s, %v", code, out, err)
	}
	address, fragment, _ := strings.Cut(printed.Web, "/#t=")
	if address != s.ready.URLs[0] {
		t.Errorf("link %s, host %s", printed.Web, s.ready.URLs[0])
	}
	browser := func() *http.Client {
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		return &http.Client{Jar: jar}
	}
	signIn := func(client *http.Client) int {
		t.Helper()
		body, _ := json.Marshal(map[string]string{"t": fragment})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/v1/signin", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Origin", address)
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	first := browser()
	if code := signIn(first); code != 204 {
		t.Fatalf("%d", code)
	}
	if code := signIn(browser()); code != 401 {
		t.Errorf("a second browser: %d", code)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for origin, want := range map[string]int{address: 101, "https://parley.example": 101, "http://evil.example": 403} {
		ws, resp, err := websocket.Dial(context.Background(), address+"/v1/native", &websocket.DialOptions{
			HTTPClient: first, HTTPHeader: http.Header{"Origin": {origin}}, Subprotocols: []string{"parley.v1"},
		})
		if resp == nil || resp.StatusCode != want {
			t.Errorf("%s: %+v, %v", origin, resp, err)
		}
		if ws != nil {
			ws.CloseNow()
		}
	}
	resp, err := first.Get(address + "/metrics")
	if err != nil || resp.StatusCode != 200 {
		t.Errorf("metrics: %+v, %v", resp, err)
	} else {
		resp.Body.Close()
	}
	if cookies := first.Jar.Cookies(u); len(cookies) != 1 || strings.Contains(s.process.Stderr.String(), cookies[0].Value) {
		t.Errorf("cookies %v, log %s", cookies, s.process.Stderr)
	}
	for _, args := range [][]string{{"--url", "parley.example"}, {"--role", "king"}} {
		if out, code := link(t, p, args...); code == 0 {
			t.Errorf("%v: %s", args, out)
		}
	}
	s.process.Signal(syscall.SIGTERM)
	if code := s.process.Code(); code != 0 {
		t.Errorf("exit %d: %s", code, s.process.Stderr)
	}
	if out, code := link(t, p); code != 1 || !strings.Contains(out, "no host with --listen") {
		t.Errorf("after its end: exit %d, %s", code, out)
	}
}

// TestWebLink: with --web alone there is an address, the line of the start has a link for an owner, and the browser that it signs
// in is still signed in when the host was killed and started again.
func TestWebLink(t *testing.T) {
	t.Parallel()
	p := place(t, askingScript)
	s := serve(t, p, "--web")
	address, fragment, found := strings.Cut(s.ready.Web, "/#t=")
	if !found || len(s.ready.URLs) != 1 || address != s.ready.URLs[0] || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatalf("web %q, urls %q", s.ready.Web, s.ready.URLs)
	}
	for path, want := range map[string]int{"/": 200, "/s/s-1": 200, "/s/s-1/files": 200, "/s/s-1/timeline": 200, "/usage": 200, "/other": 404, "/v1/me": 401} {
		if got, body := s.status(path, ""); got != want {
			t.Errorf("%s: %d %s", path, got, body)
		}
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	resp, err := browser.Post(address+"/v1/signin", "application/json", strings.NewReader(`{"t":"`+fragment+`"}`))
	if err != nil || resp.StatusCode != 204 {
		t.Fatalf("%+v, %v", resp, err)
	}
	resp.Body.Close()
	me := func() {
		t.Helper()
		resp, err := browser.Get(address + "/v1/me")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 || string(body) != `{"role":"owner","name":"start"}`+"\n" {
			t.Errorf("%d %s, %v", resp.StatusCode, body, err)
		}
	}
	me()
	s.process.Kill()
	browser.CloseIdleConnections()
	s = serve(t, p, "--web", "--listen", strings.TrimPrefix(address, "http://"))
	me()
	if s.ready.Web == "" || strings.HasSuffix(s.ready.Web, fragment) {
		t.Errorf("web %q after the second start", s.ready.Web)
	}
	out, code := link(t, p, "--role", "viewer")
	if code != 0 || !strings.HasPrefix(out, address+"/#t=") {
		t.Errorf("exit %d, %s", code, out)
	}
}
