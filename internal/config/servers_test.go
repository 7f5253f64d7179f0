package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/tool"
)

// TestServerVariables checks what ${NAME} stands for in the settings of a tool server.
func TestServerVariables(t *testing.T) {
	env := map[string]string{"MY_TOKEN": "s3cr3t", "ROOT": "/data", "DSN": "pg://u:pw@h/d"}
	m := MCPServer{
		Command: "x", Args: []string{"${ROOT}/a", "$ROOT", "${NONE:-b c}"},
		Env: map[string]string{"T": "${MY_TOKEN}", "D": "${DSN}", "E": "${ROOT:-/other}", "F": "${NONE:-}"},
	}
	want := tool.Server{
		Name: "a", Login: "a", Command: "x", Args: []string{"/data/a", "$ROOT", "b c"},
		Env:     map[string]string{"T": "s3cr3t", "D": "pg://u:pw@h/d", "E": "/data", "F": ""},
		Secrets: []string{"pg://u:pw@h/d", "s3cr3t"},
	}
	getenv := func(name string) string { return env[name] }
	if diff := cmp.Diff(want, m.Server("a", getenv)); diff != "" {
		t.Error(diff)
	}
	web := MCPServer{URL: "https://${HOST:-h}/mcp", Headers: map[string]string{"Authorization": "Bearer ${MY_TOKEN}", "X": "${NONE}"}}
	got := web.Server("b", getenv)
	if got.URL != "https://h/mcp" || got.Headers["Authorization"] != "Bearer s3cr3t" || got.Problem != "mcp_servers.b.headers.X: the variable NONE is not set" {
		t.Errorf("%+v", got)
	}
}

// TestServerPatterns checks that a pattern that matches nothing by mistake is reported.
func TestServerPatterns(t *testing.T) {
	m := MCPServer{Command: "x", Tools: []string{"read_*"}, NoTools: []string{"a", "[b"}}
	if err := m.check("s"); err == nil || err.Error() != `mcp_servers.s.disabled_tools[1]: "[b" is not a pattern` {
		t.Error(err)
	}
	if got := m.Server("s", func(string) string { return "" }); len(got.Tools) != 1 || len(got.DisabledTools) != 2 {
		t.Errorf("%+v", got)
	}
}
