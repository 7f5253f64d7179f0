package app

import (
	"bytes"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/config"
)

// TestProjectServers checks that the servers of a project are used in trusted folders only, that those of the
// user win, that a file that cannot be used is one line in the log, and that no tool can write one that is used.
func TestProjectServers(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, config.ProjectServersFile)
	for _, test := range []struct {
		name, text string
		trusted    bool
		want       []string // programs
		log        string
	}{
		{"untrusted", `{"mcpServers": {"a": {"command": "theirs"}}}`, false, []string{"mine"}, "its folder is not trusted"},
		{"trusted", `{"mcpServers": {"a": {"command": "theirs"}, "b": {"command": "b", "type": "stdio"}}}`, true, []string{"b", "mine"}, ""},
		{"none", "", true, []string{"mine"}, ""},
		{"broken", `{"mcpServers": {`, true, []string{"mine"}, ".mcp.json:1: parsing value"},
		{"one is broken", "{\"mcpServers\": {\"b\": {\"command\": \"b\"},\n\"c\": {}}}", true, []string{"b", "mine"}, ".mcp.json:2: mcpServers.c: give either command or url"},
		{"other settings", `{"trusted_folders": ["/"], "mcpServers": {}}`, true, []string{"mine"}, `there is no setting \"trusted_folders\"`},
		{"endless", strings.Repeat(" ", config.MaxProjectServers+1), true, []string{"mine"}, "cannot be used"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_ = os.Remove(file)
			if test.text != "" {
				if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var log bytes.Buffer
			a := &App{Log: slog.New(slog.NewTextHandler(&log, nil)), Settings: config.Config{Settings: config.Settings{MCPServers: map[string]config.MCPServer{"a": {Command: "mine"}}}}}
			if test.trusted {
				a.Settings.TrustedFolders = []string{dir}
			}
			for range 2 {
				var got []string
				for s := range maps.Values(a.ServersIn(dir)) {
					got = append(got, s.Command)
				}
				if slices.Sort(got); !slices.Equal(got, test.want) {
					t.Errorf("%q, want %q", got, test.want)
				}
			}
			lines := strings.Count(log.String(), "\n")
			if !strings.Contains(log.String(), test.log) || lines > 1 || test.log == "" && lines > 0 {
				t.Errorf("the log says %q, want %q", log.String(), test.log)
			}
			if protected := slices.Contains(a.private(dir), file); protected != test.trusted {
				t.Errorf("protected: %v", protected)
			}
		})
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(elsewhere, []byte(`{"mcpServers": {"b": {"command": "b"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, file); err != nil {
		t.Fatal(err)
	}
	if servers, err := config.ReadProjectServers(file); err == nil {
		t.Errorf("a link was followed: %v", servers)
	}
}
