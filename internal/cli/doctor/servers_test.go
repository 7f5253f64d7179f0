package doctor

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/mcp"
)

// TestDoctorServers checks that doctor names a server that cannot be used.
func TestDoctorServers(t *testing.T) {
	pool := mcp.New(mcp.Options{})
	defer pool.Close()
	a := &app.App{MCP: pool, Settings: config.Config{Settings: config.Settings{MCPServers: map[string]config.MCPServer{
		"off":   {Command: "x", Disabled: true},
		"notes": {URL: "https://127.0.0.1/", Headers: map[string]string{"A": "${PARLEY_TEST_IS_NOT_SET}"}},
	}}}}
	got := examineServers(t.Context(), a)
	if len(got) != 1 || got[0].OK || got[0].Check != "tool server: notes" || !strings.Contains(got[0].Detail, "the variable PARLEY_TEST_IS_NOT_SET is not set") {
		t.Errorf("%+v", got)
	}
}
