// Package configtest gives tests a configuration of their own.
package configtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Environment returns a function like os.Getenv that knows the given names and values only.
func Environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// File writes a configuration file into a temporary folder and returns its path.
func File(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.jsonc")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
