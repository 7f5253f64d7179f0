package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/tool"
)

// settingsOf reads a configuration file with that text.
func settingsOf(t *testing.T, text string) (Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.jsonc")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	l, err := Load(func(name string) string { return map[string]string{"PARLEY_CONFIG": path, "HOME": home}[name] })
	return l, err
}

// TestCommonServers checks that servers as the documentation of servers shows them are read.
func TestCommonServers(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want tool.Server
	}{
		"Claude Desktop": {`{"mcpServers": {"s": {"command": "npx", "args": ["-y", "x"], "env": {"A": "b"}}}}`, tool.Server{Command: "npx", Args: []string{"-y", "x"}, Env: map[string]string{"A": "b"}}},
		"Claude Code": {
			`{"mcpServers": {"s": {"type": "http", "url": "https://a.example/mcp", "headers": {"X": "${TOKEN:-t}"}, "timeout": 1500, "oauth": {"clientId": "c", "callbackPort": 8080}}}}`,
			tool.Server{URL: "https://a.example/mcp", Headers: map[string]string{"X": "t"}, CallLimit: 2 * time.Second, OAuth: tool.OAuthClient{ClientID: "c"}},
		},
		"SSE":        {`{"mcpServers": {"s": {"type": "sse", "url": "https://a.example/sse"}}}`, tool.Server{URL: "https://a.example/sse", SSE: true}},
		"streamable": {`{"mcpServers": {"s": {"type": "streamable-http", "url": "https://a.example/"}}}`, tool.Server{URL: "https://a.example/"}},
		"VS Code":    {`{"servers": {"s": {"type": "stdio", "command": "x", "cwd": "/tmp", "env": {"A": "${env:HOME}"}}}}`, tool.Server{Command: "x", Dir: "/tmp", Env: map[string]string{"A": "of HOME"}}},
		"Gemini":     {`{"mcpServers": {"s": {"httpUrl": "https://a.example/", "includeTools": ["a"], "excludeTools": ["b"], "trust": true, "description": "x"}}}`, tool.Server{URL: "https://a.example/", Tools: []string{"a"}, DisabledTools: []string{"b"}}},
		"Windsurf":   {`{"mcpServers": {"s": {"serverUrl": "https://a.example/", "disabledTools": ["b"]}}}`, tool.Server{URL: "https://a.example/", DisabledTools: []string{"b"}}},
		"Cline":      {`{"mcpServers": {"s": {"command": "x", "disabled": false, "autoApprove": [], "alwaysAllow": ["y"]}}}`, tool.Server{Command: "x"}},
		"enabled":    {`{"mcp_servers": {"s": {"command": "x", "enabled": true}, "off": {"command": "x", "enabled": false}}}`, tool.Server{Command: "x"}},
	} {
		l, err := settingsOf(t, test.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		test.want.Name, test.want.Login = "s", "s"
		got := EnabledServers(l.MCPServers, func(name string) string { return map[string]string{"HOME": "of HOME"}[name] })
		if diff := cmp.Diff([]tool.Server{test.want}, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestCommonServersProblems checks that an error names the line and the setting as it is in the file.
func TestCommonServersProblems(t *testing.T) {
	for text, want := range map[string]string{
		`{"s": {"type": "websocket", "url": "https://a"}}`:           `:2: mcpServers.s.type: unknown value "websocket": expected stdio, http or sse`,
		`{"s": {"type": "stdio", "url": "https://a"}}`:               ":2: mcpServers.s.type: a server of the type stdio needs a command",
		`{"s": {"type": "sse", "command": "x"}}`:                     ":2: mcpServers.s.type: a server of the type sse needs a url",
		`{"s": {"command": "x", "cwd": "/a", "dir": "/b"}}`:          ":2: mcpServers.s.cwd: dir is given, too",
		`{"s": {"command": "x", "cwd": "a"}}`:                        `:2: mcpServers.s.dir: "a" is not absolute`,
		`{"s": {"command": "x", "timeout": 60}}`:                     ":2: mcpServers.s.timeout: 60 milliseconds is too short: for seconds use call_timeout_s",
		`{"s": {"command": "x", "enabled": true, "disabled": true}}`: ":2: mcpServers.s.enabled: it is true, and so is disabled",
		`{"s": {"command": "x", "enable": true}}`:                    `:2: there is no setting "mcpServers.s.enable"; did you mean "enabled"?`,
		`{"s": {}}`:               ":2: mcpServers.s: give either command or url",
		`{"t": {"command": "x"}}`: ":2: mcpServers.t: there is another server of that name",
	} {
		_, err := settingsOf(t, "{ \"mcp_servers\": {\"t\": {\"command\": \"x\"}},\n\"mcpServers\": "+text+"}")
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	l, err := settingsOf(t, `{"servers": {"s": {"command": "x", "env": {"T": "${input:token}"}}}}`)
	if err != nil || EnabledServers(l.MCPServers, os.Getenv)[0].Problem != "servers.s.env.T: ${input:token} is not supported: use ${NAME} for a variable" {
		t.Errorf("%v %+v", err, EnabledServers(l.MCPServers, os.Getenv))
	}
}
