package config

import (
	"os"
	"path/filepath"
	"testing"

	"parley.dev/parley/internal/config/configtest"
)

// TestEmptyFolder: an empty folder in place of the configuration, which a sandbox makes there and a killed process leaves, is no
// configuration. A folder with something in it is an error.
func TestEmptyFolder(t *testing.T) {
	home := t.TempDir()
	folder := filepath.Join(home, "config.jsonc")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	getenv := configtest.Environment("HOME", home, "PARLEY_HOME", filepath.Join(home, "state"), "PARLEY_CONFIG", folder)
	if c, err := Load(getenv); err != nil || c.Exists {
		t.Errorf("an empty folder: exists %t, %v", c.Exists, err)
	}
	if err := os.WriteFile(filepath.Join(folder, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(getenv); err == nil {
		t.Error("a folder with a file is taken as a configuration")
	}
}
