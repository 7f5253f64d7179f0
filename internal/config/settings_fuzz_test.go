package config

import (
	"os"
	"path/filepath"
	"testing"

	"parley.dev/parley/internal/config/configtest"
)

// FuzzSettings: whatever stands in the configuration, it is refused or understood, and shown.
func FuzzSettings(f *testing.F) {
	for _, text := range []string{
		"", "{}", `{"model":"a/b",}`, `{"providers":{"w":{"api":"chat","base_url":"http://x","api_key_env":"K"}}}`,
		`{"mcp_servers":{"a":{"command":"x","args":["y"],"env":{"A":"b"}},"b":{"url":"https://x/mcp","headers":{"A":"b"}}}}`,
		`{"hooks":{"before_tool":[{"match":"write|edit","command":"x","timeout_ms":1,"on_failure":"deny"}],"turn_end":[{"match":"/a(/","command":"y"}]}}`,
		`{"signin":{"issuer":"https://x","client_id":"y"},"search":{"api":"brave","api_key_env":"K"},"sandbox":"auto"} // end`,
	} {
		f.Add([]byte(text))
	}
	path := filepath.Join(f.TempDir(), "config.jsonc")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Load(configtest.Environment("PARLEY_CONFIG", path, "HOME", "/home/x"))
		if err != nil {
			return
		}
		if s.Home == "" || len(s.Rows()) < len(variables) {
			t.Errorf("%+v", s)
		}
	})
}
