package main

import (
	"maps"
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

// tree writes the files of a module cache, of Go and of a repository.
func tree(t *testing.T) folders {
	t.Helper()
	base := t.TempDir()
	for path, text := range map[string]string{
		"go/LICENSE": "Go's: " + bsd, "cache/example.com/!new@v2.0.0/LICENCE.md": "New's: " + mit, "cache/example.com/!new@v2.0.0/license.go": "package p",
		"cache/example.com/!new@v2.0.0/inner/deep/package/a.go": "package p",
		"cache/example.com/!new@v2.0.0/inner/deep/license":      "Inner's: " + bsd,
		"cache/example.com/!new@v2.0.0/other/LICENSE":           "Other's: " + mit,
		"cache/example.com/z@v1.2.3+incompatible/Copying":       "Z's: " + mit,
		"root/internal/host/web/page/packages.json":             `[{"name":"@a/b","version":"1.2.3","license":"MIT","text":"B's"}]`,
		"root/tools/catalog/go.mod":                             "module m\nrequire charm.land/catwalk v0.1.0\n",
		"root/internal/model/catalog/LICENSE":                   "Catwalk's: " + mit,
	} {
		write := filepath.Join(base, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(write), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(write, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folders{filepath.Join(base, "root"), filepath.Join(base, "cache"), filepath.Join(base, "go")}
}

const (
	mit = "Permission is hereby granted, free of charge,\nto any person obtaining a copy of this software"
	bsd = "Redistribution and use in source and binary forms … to endorse or promote products"
)

// partsOf returns the parts of the program built, of which the packages in folders of the module cache are linked.
func partsOf(t *testing.T, f folders, linked ...string) []part {
	t.Helper()
	var packages []linkedPackage
	for _, folder := range linked {
		packages = append(packages, linkedPackage{"", filepath.Join(f.modcache, folder)})
	}
	modules, err := f.modules(built, packages)
	if err != nil {
		t.Fatal(err)
	}
	ofGo, err := f.ofGo(built)
	if err != nil {
		t.Fatal(err)
	}
	all := append([]part{ofGo}, modules...)
	for _, e := range embedded {
		more, err := e.parts(f.root)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, more...)
	}
	return all
}

func TestBill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.cdx.json")
	if err := write(path, bill("program-linux", [32]byte{1}, built, partsOf(t, tree(t), "example.com/!new@v2.0.0/inner/deep/package"))); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"specVersion": "1.6"`, `"go:build:GOOS"`, `"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"`,
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
	if err := cdx.NewBOMDecoder(strings.NewReader(string(text)), cdx.BOMFileFormatJSON).Decode(&back); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range *back.Components {
		if c.Licenses == nil || len(*c.Licenses) != 1 {
			t.Errorf("%s has the licences %v", c.PackageURL, c.Licenses)
			continue
		}
		license := (*c.Licenses)[0]
		got[c.PackageURL] = license.Expression
		if license.License != nil {
			got[c.PackageURL] += license.License.ID
		}
	}
	want := map[string]string{
		"pkg:golang/std@1.26.8": "BSD-3-Clause", "pkg:golang/example.com/New@v2.0.0": "BSD-3-Clause AND MIT",
		"pkg:golang/example.com/z@v1.2.3%2Bincompatible": "MIT", "pkg:npm/%40a/b@1.2.3": "MIT", "pkg:golang/charm.land/catwalk@v0.1.0": "MIT",
	}
	if !maps.Equal(got, want) {
		t.Errorf("the licences are %v, want %v", got, want)
	}
}

func TestLicences(t *testing.T) {
	f := tree(t)
	var all []text
	for _, p := range slices.Concat(partsOf(t, f, "example.com/!new@v2.0.0/inner/deep"), partsOf(t, f, "example.com/!new@v2.0.0/inner/deep/package")) {
		all = append(all, p.texts...)
	}
	text := string(joined(all))
	for want, times := range map[string]int{
		"Go's": 1, "New's": 1, "Z's": 1, "B's": 1, "Catwalk's": 1, "package p": 0, "Other's": 0,
		"==== example.com/New v2.0.0: inner/deep/license\n\nInner's": 1,
	} {
		if got := strings.Count(text, want); got != times {
			t.Errorf("%s occurs %d times, want %d: %s", want, got, times, text)
		}
	}
	if !strings.HasPrefix(text, "==== Go, ") {
		t.Errorf("the licence of Go is not the first: %s", text)
	}
	path := filepath.Join(f.modcache, "example.com/z@v1.2.3+incompatible/Copying")
	if err := os.WriteFile(path, []byte("You may look at it."), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.modules(built, nil); err == nil || !strings.Contains(err.Error(), "is not known") {
		t.Errorf("an unknown licence: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := f.modules(built, nil); err == nil || !strings.Contains(err.Error(), "has no licence") {
		t.Errorf("a module without a licence: %v", err)
	}
}

// TestEmbedded: packages that have something of others in them are linked into the program under these names.
func TestEmbedded(t *testing.T) {
	packages, err := folders{root: "../.."}.packages(&debug.BuildInfo{Path: "parley.dev/parley/cmd/parley", Settings: []debug.BuildSetting{{Key: "GOOS", Value: "darwin"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{embedded[0].in, embedded[1].in, "github.com/zalando/go-keyring/internal/shellescape"} {
		if !slices.ContainsFunc(packages, func(p linkedPackage) bool { return p.path == want }) {
			t.Errorf("%s is not linked", want)
		}
	}
}
