package host

import (
	"bufio"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"
)

// A dialectClient is a client of another protocol, over WebSocket.
type dialectClient struct {
	t     *testing.T
	ws    *websocket.Conn
	lines *bufio.Reader
}

// dialectPath returns where a protocol is spoken to a client with these arguments.
func dialectPath(dialect string, args ...string) string {
	if len(args) == 0 {
		return "/v1/" + dialect
	}
	data, _ := json.Marshal(args)
	return "/v1/" + dialect + "?args=" + url.QueryEscape(string(data))
}

// answer sends lines and returns the first line after them that has all the texts.
func (c *dialectClient) answer(lines []string, texts ...string) string {
	c.t.Helper()
	for _, line := range lines {
		if err := c.ws.Write(c.t.Context(), websocket.MessageText, []byte(line)); err != nil {
			c.t.Fatal(err)
		}
	}
	for {
		line, err := c.lines.ReadString('\n')
		if err != nil {
			c.t.Fatalf("no answer with %q: %v", texts, err)
		}
		found := true
		for _, text := range texts {
			found = found && strings.Contains(line, text)
		}
		if found {
			return line
		}
	}
}

// TestActsAsTheUser: what acts as the user is refused in every protocol to a driver that is limited to a folder, by an error that
// says what would allow it, and is in the audit log; the token of the owner may.
func TestActsAsTheUser(t *testing.T) {
	t.Parallel()
	p := place(t, "text One.\n")
	secret := filepath.Join(p.Home, "secret.png")
	ran := filepath.Join(p.Home, "ran")
	if err := os.WriteFile(secret, []byte("\x89PNG\r\n\x1a\nsecret"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, p, "--listen", "127.0.0.1:0")
	owner := s.client("owner")
	driver := owner.token("driver", map[string]any{"workspace": p.Work})
	server := `{"command":"/bin/sh","args":["-c","touch ` + ran + `"]`
	const (
		needs   = "needs a token "
		outside = "is outside of the folder of the token"
	)
	flint := `{"id":1,"method":"initialize","params":{"clientInfo":{"name":"t"}}}`
	acp := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`
	codex := `{"id":1,"method":"initialize","params":{"clientInfo":{"name":"t","version":"1"}}}`
	native := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,"client":{"name":"t"}}}`
	for _, c := range []struct {
		dialect, method string
		args            []string
		lines           []string
	}{
		{"pisces", "bash", []string{"--mode", "rpc"}, []string{`{"id":"x","type":"bash","command":"touch ` + ran + `"}`}},
		{"pisces", "prompt", []string{"--mode", "rpc"}, []string{`{"id":"x","type":"prompt","message":"See @` + secret + `"}`}},
		{"pisces", "switch_session", []string{"--mode", "rpc"}, []string{`{"id":"x","type":"switch_session","sessionPath":"` + secret + `"}`}},
		{"pisces", "export_html", []string{"--mode", "rpc"}, []string{`{"id":"x","type":"export_html","outputPath":"` + ran + `"}`}},
		{"native", "session/create", nil, []string{native, `{"jsonrpc":"2.0","id":2,"method":"session/create","params":{"workspace":"` + p.Work + `","servers":{"e":` + server + `}}}}`}},
		{"native", "session/create", nil, []string{native, `{"jsonrpc":"2.0","id":2,"method":"session/create","params":{"workspace":"` + p.Work + `","settings":{"mode":"danger-full-access"}}}`}},
		{"flint", "thread/start", nil, []string{flint, `{"id":2,"method":"thread/start","params":{"mcpServers":{"e":` + server + `}}}}`}},
		{"flint", "thread/start", nil, []string{flint, `{"id":2,"method":"thread/start","params":{"sandbox":{"type":"workspaceWrite","writableRoots":["` + p.Home + `"]}}}`}},
		{"acp", "session/new", nil, []string{acp, `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"` + p.Work + `","mcpServers":[{"name":"e","env":[],` + server[1:] + `}]}}`}},
		{"codex", "thread/start", []string{"app-server"}, []string{codex, `{"id":2,"method":"thread/start","params":{"config":{"mcp_servers.e":` + server + `}}}}`}},
		{"loaf", "auth.set.openrouter_key", []string{"rpc"}, []string{`{"jsonrpc":"2.0","id":2,"method":"auth.set.openrouter_key","params":{"api_key":"k"}}`}},
		{"loaf", "session.send", []string{"rpc"}, []string{`{"jsonrpc":"2.0","id":2,"method":"session.send","params":{"session_id":"s","images":[{"path":"` + secret + `"}]}}`}},
		{"scaiflux", "slash /export", []string{"serve"}, []string{`{"type":"slash","command":"export","args":"` + ran + `"}`}},
	} {
		t.Run(c.dialect+" "+c.method, func(t *testing.T) {
			ws := s.connect(dialectPath(c.dialect, c.args...), driver, nil)
			client := &dialectClient{t: t, ws: ws, lines: bufio.NewReader(&messages{t: t, ws: ws})}
			client.answer(c.lines, c.method, needs)
			ws.CloseNow()
		})
	}
	for dialect, args := range map[string][]string{
		"pisces": {"--mode", "rpc", "--system-prompt", secret}, "loaf": {"rpc", "--sandbox", "full-access"}, "flint": {"--sandbox", "dangerFullAccess"},
		"acp": {"--mode", "full-access"}, "agentair": {"--policy", "auto-approve"}, "codex": {"app-server", "-c", "mcp_servers.e.command=sh"},
		"scaiflux": {"serve", "--permission-mode", "danger-full-access"},
	} {
		if code, body := s.status(dialectPath(dialect, args...), driver); code != 400 || !strings.Contains(body, needs) {
			t.Errorf("%s %q: %d %s", dialect, args, code, body)
		}
	}
	if code, body := s.status(dialectPath("loaf", "rpc")+"&cwd="+url.QueryEscape(p.Home), driver); code != 400 || !strings.Contains(body, outside) {
		t.Errorf("in a folder outside: %d %s", code, body)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program has run, or a file was written")
	}
	refused := s.audited(func(e auditEntry) bool {
		return e.Event == "refused" && e.Role == "driver" && (strings.Contains(e.Problem, needs) || strings.Contains(e.Problem, outside))
	})
	if len(refused) != 21 {
		t.Errorf("the audit log has %d refusals: %+v", len(refused), refused)
	}

	// A client that is the user may, and that is in the audit log.
	ws := s.connect(dialectPath("pisces", "--mode", "rpc"), s.token(), nil)
	user := &dialectClient{t: t, ws: ws, lines: bufio.NewReader(&messages{t: t, ws: ws})}
	user.answer([]string{`{"id":"x","type":"bash","command":"echo as-the-user"}`}, `"command":"bash"`, "as-the-user")
	if got := s.audited(func(e auditEntry) bool { return e.Event == "bash" && e.Dialect == "pisces" && e.Role == "owner" }); len(got) != 1 {
		t.Errorf("the audit log has %+v", got)
	}
}

// An auditEntry is a line of the audit log.
type auditEntry struct{ Event, Role, Dialect, Target, Problem string }

// audited returns the lines of the audit log that are wanted.
func (s *server) audited(wanted func(auditEntry) bool) (found []auditEntry) {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(filepath.Dir(s.ready.TokenFile), "audit.jsonl"))
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var e auditEntry
		if err := json.Unmarshal([]byte(line), &e, json.MatchCaseInsensitiveNames(true)); err != nil {
			s.t.Fatal(err)
		}
		if wanted(e) {
			found = append(found, e)
		}
	}
	return found
}
