package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
)

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func writeSettings(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.jsonc")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSettingsLayers(t *testing.T) {
	path := writeSettings(t, `{
	// comments and trailing commas are allowed
	"model": "from/file",
	"permission_mode": "read-only",
	"private_network": true,
}`)
	s, err := loadSettings(environment("PARLEY_CONFIG", path, "PARLEY_MODEL", "from/env", "HOME", "/home/x"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]string{
		"home":            {"/home/x/.local/state/parley", "default"},
		"model":           {"from/env", "PARLEY_MODEL"},
		"permission_mode": {"read-only", path},
		"private_network": {"true", path},
		"log":             {"warn", "default"},
	}
	for _, row := range s.rows() {
		if w, ok := want[row.Setting]; ok && (row.Value != w[0] || row.From != w[1]) {
			t.Errorf("%s = %q from %s, want %q from %s", row.Setting, row.Value, row.From, w[0], w[1])
		}
	}
}

func TestSettingsRefuse(t *testing.T) {
	for text, want := range map[string]string{
		`{"modle": "x"}`:                                                "modle",
		`{"model": 1}`:                                                  "model",
		`{"model": "a"`:                                                 "",
		`{"budget": {"max_wall_time": "30"}}`:                           "max_wall_time",
		`{"budget": {"max_tool_calls": -1}}`:                            "tool_calls",
		`{"budget": {"max_tools": 1}}`:                                  "max_tools",
		`{"budget": {"warn_at_ratio": 1.5}}`:                            "warn_at",
		`{"trusted_folders": ["code"]}`:                                 "trusted_folders",
		`{"permission_mode": "all"}`:                                    "permission_mode",
		`{"log": "loud"}`:                                               "log",
		`{"openai_api": "soap"}`:                                        "openai_api",
		`{"providers": {"x": {"api": "soap"}}}`:                         "providers.x.api",
		`{"providers": {"x": {"key": "sk-12345"}}}`:                     "key",
		`{"hooks": {"befor_tool": []}}`:                                 "befor_tool",
		`{"hooks": {"before_tool": [{"comand": "x"}]}}`:                 "comand",
		`{"hooks": {"before_tool": [{"command": "x"}, {}]}}`:            "hooks.before_tool[1]",
		`{"hooks": {"turn_end": [{"command": "x", "match": "bash"}]}}`:  "hooks.turn_end[0]: match",
		`{"hooks": {"after_tool": [{"command": "x", "match": "^b$"}]}}`: "hooks.after_tool[0]: match",
	} {
		_, err := loadSettings(environment("PARLEY_CONFIG", writeSettings(t, text)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := loadSettings(environment("PARLEY_PERMISSION_MODE", "all")); err == nil {
		t.Error("a bad mode in the environment has no error")
	}
}

func TestSettingsDefaults(t *testing.T) {
	s, err := loadSettings(environment("HOME", t.TempDir()))
	if err != nil || s.PermissionMode != approval.WorkspaceWrite {
		t.Errorf("defaults = %+v, %v", s.Settings, err)
	}
}

func TestPersona(t *testing.T) {
	for args, want := range map[string]string{
		"/usr/bin/parley scaiflux serve": "scaiflux serve",
		"/usr/bin/scaiflux serve":        "scaiflux serve",
		"scaiflux.exe serve":             "scaiflux serve",
		"./something run x":              "run x",
	} {
		if got := strings.Join(personaArgs(strings.Fields(args)), " "); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}
