package catalog

import (
	"bytes"
	"os"
	"testing"
)

// TestLicense: the notice of the data is in the folder, from which tools/sbom takes it for each release.
func TestLicense(t *testing.T) {
	const want = "Copyright (c) 2025 Charmbracelet"
	if text, err := os.ReadFile("LICENSE"); err != nil || !bytes.Contains(text, []byte(want)) {
		t.Errorf("LICENSE has no %q: %v", want, err)
	}
}
