package catalog

import (
	"bytes"
	"os"
	"testing"
)

// TestLicense: the notice of the data is in the folder, and goes with each release.
func TestLicense(t *testing.T) {
	for path, want := range map[string]string{"LICENSE": "Copyright (c) 2025 Charmbracelet", "../../../Makefile": "cat internal/model/catalog/LICENSE"} {
		if text, err := os.ReadFile(path); err != nil || !bytes.Contains(text, []byte(want)) {
			t.Errorf("%s has no %q: %v", path, want, err)
		}
	}
}
