package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

var built = &debug.BuildInfo{
	GoVersion: "go1.26.8",
	Main:      debug.Module{Path: "example.com/program", Version: "(devel)"},
	Deps: []*debug.Module{
		{Path: "example.com/z", Version: "v1.2.3+incompatible", Sum: "h1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},
		{Path: "example.com/Old", Version: "v1.0.0", Replace: &debug.Module{Path: "example.com/New", Version: "v2.0.0"}},
	},
	Settings: []debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "vcs.time", Value: "now"}},
}

func TestBill(t *testing.T) {
	bom, err := bill("program-linux", [32]byte{1}, built)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.cdx.json")
	if err := write(path, bom); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"specVersion": "1.6"`, `"go:build:GOOS"`, `"pkg:golang/std@1.26.8"`, `"pkg:golang/example.com/New@v2.0.0"`,
		`"pkg:golang/example.com/z@v1.2.3%2Bincompatible"`, `"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("there is no %s in %s", want, text)
		}
	}
	for _, differs := range []string{"timestamp", "serialNumber", "vcs.time", "example.com/Old"} {
		if strings.Contains(string(text), differs) {
			t.Errorf("there is %s in %s", differs, text)
		}
	}
	var back cdx.BOM
	if err := cdx.NewBOMDecoder(strings.NewReader(string(text)), cdx.BOMFileFormatJSON).Decode(&back); err != nil || len(*back.Components) != 3 {
		t.Errorf("%v: %+v", err, back)
	}
}

func TestLicences(t *testing.T) {
	cache := t.TempDir()
	for path, text := range map[string]string{
		"go/LICENSE": "Go's", "example.com/!new@v2.0.0/LICENCE.md": "New's", "example.com/!new@v2.0.0/license.go": "package p",
		"example.com/z@v1.2.3+incompatible/Copying": "Z's",
	} {
		path = filepath.Join(cache, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := modules(built)
	text, err := texts(cache, filepath.Join(cache, "go"), slices.Concat(all, all))
	if err != nil {
		t.Fatal(err)
	}
	for want, times := range map[string]int{"Go's": 1, "New's": 1, "Z's": 1, "package p": 0} {
		if got := strings.Count(string(text), want); got != times {
			t.Errorf("%s occurs %d times, want %d: %s", want, got, times, text)
		}
	}
	if err := os.Remove(filepath.Join(cache, "example.com/z@v1.2.3+incompatible/Copying")); err != nil {
		t.Fatal(err)
	}
	if _, err := texts(cache, filepath.Join(cache, "go"), all); err == nil {
		t.Error("a module without a licence goes unnoticed")
	}
}
