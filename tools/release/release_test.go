package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// parley writes manual pages and completions as the program does.
const parley = `#!/bin/sh
case $1 in
man) mkdir -p "$4" && echo ".TH PARLEY $3" >"$4/parley.1" && echo ".TH CONSOLE" >"$4/parley-console.1" && echo ".TH HOST" >"$4/parley-host.1" ;;
completion) echo "# completion for $2" ;;
esac
`

var platforms = []string{"linux/amd64", "linux/arm64", "darwin/arm64", "windows/amd64"}

// made makes a release of four platforms in a new folder, and returns the folder.
func made(t *testing.T, version string) string {
	t.Helper()
	folder := t.TempDir()
	dist, program := filepath.Join(folder, "dist"), filepath.Join(folder, "parley")
	if err := os.Mkdir(dist, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, program, parley, 0o755)
	write(t, filepath.Join(dist, "LICENSE"), "Apache", 0o644)
	write(t, filepath.Join(dist, "LICENSES.txt"), "all", 0o644)
	r := release{dist: dist, version: version, commit: "abc", time: time.Unix(1795720731, 0).UTC()}
	for _, name := range platforms {
		p, err := parsePlatform(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range programs {
			write(t, r.built(name, p), name+" for "+p.String(), 0o755)
			write(t, r.built(name, p)+".cdx.json", "{}", 0o644)
		}
	}
	if err := r.run(program, platforms, io.Discard); err != nil {
		t.Fatal(err)
	}
	return dist
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// packed are the files of a release of version 1.2.3 besides its programs and their bills of materials.
var packed = []string{
	"LICENSE", "LICENSES.txt", "checksums.txt",
	"parley-1.2.3-1.aarch64.rpm", "parley-1.2.3-1.x86_64.rpm", "parley_1.2.3_amd64.deb", "parley_1.2.3_arm64.deb", "parley-1.2.3-oci.tar",
	"parley-1.2.3-darwin-arm64.tar.gz", "parley-1.2.3-linux-amd64.tar.gz", "parley-1.2.3-linux-arm64.tar.gz", "parley-1.2.3-windows-amd64.zip",
}

// TestRelease makes a release twice, at different times in different folders: the files are the same, and
// checksums.txt has each.
func TestRelease(t *testing.T) {
	first, second := made(t, "1.2.3"), made(t, "1.2.3")
	entries, err := os.ReadDir(first)
	if err != nil {
		t.Fatal(err)
	}
	sums := string(read(t, first, checksumFile))
	var names []string
	for _, e := range entries {
		data := read(t, first, e.Name())
		if !bytes.Equal(data, read(t, second, e.Name())) {
			t.Errorf("%s is not the same the second time", e.Name())
		}
		if line := fmt.Sprintf("%x  %s\n", sha256.Sum256(data), e.Name()); e.Name() != checksumFile && !strings.Contains(sums, line) {
			t.Errorf("checksums.txt has no line %s", line)
		}
		if host, err := os.Hostname(); err == nil && len(host) > 4 && bytes.Contains(data, []byte(host)) {
			t.Errorf("%s has the name of this machine", e.Name())
		}
		if !strings.HasSuffix(e.Name(), ".cdx.json") && !strings.HasSuffix(string(data), " for "+strings.ReplaceAll(platformIn(e.Name()), "-", "/")) {
			names = append(names, e.Name())
		}
	}
	if want := slices.Sorted(slices.Values(packed)); !slices.Equal(names, want) {
		t.Errorf("the release has\n%q, want\n%q", names, want)
	}
}

// platformIn returns the platform that the name of a program has, "" if it has none.
func platformIn(name string) string {
	for _, p := range platforms {
		if p = strings.ReplaceAll(p, "/", "-"); strings.HasSuffix(strings.TrimSuffix(name, ".exe"), p) {
			return p
		}
	}
	return "none"
}

// TestArchives reads the archives: all files are below one folder, sorted, with the modes of the programs.
func TestArchives(t *testing.T) {
	dist := made(t, "1.2.3")
	inside := func(suffix string) []string {
		return []string{
			"LICENSE -rw-r--r--", "LICENSES.txt -rw-r--r--",
			"completions/parley.bash -rw-r--r--", "completions/parley.fish -rw-r--r--", "completions/parley.ps1 -rw-r--r--", "completions/parley.zsh -rw-r--r--",
			"man/parley-console.1 -rw-r--r--", "man/parley-host.1 -rw-r--r--", "man/parley.1 -rw-r--r--",
			"parley" + suffix + " -rwxr-xr-x", "parley-console" + suffix + " -rwxr-xr-x", "parley-console.cdx.json -rw-r--r--",
			"parley-host" + suffix + " -rwxr-xr-x", "parley-host.cdx.json -rw-r--r--", "parley.cdx.json -rw-r--r--",
		}
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(read(t, dist, "parley-1.2.3-darwin-arm64.tar.gz")))
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, h := range tarEntries(t, unpacked) {
		files = append(files, fmt.Sprint(strings.TrimPrefix(h.Name, "parley-1.2.3-darwin-arm64/"), " ", h.FileInfo().Mode()))
	}
	checkFiles(t, "tar.gz", files, inside(""))
	data := read(t, dist, "parley-1.2.3-windows-amd64.zip")
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files = nil
	for _, f := range z.File {
		files = append(files, fmt.Sprint(strings.TrimPrefix(f.Name, "parley-1.2.3-windows-amd64/"), " ", f.Mode()))
	}
	checkFiles(t, "zip", files, inside(".exe"))
}

func checkFiles(t *testing.T, name string, files, want []string) {
	t.Helper()
	if !slices.IsSorted(files) || !slices.Equal(files, slices.Sorted(slices.Values(want))) {
		t.Errorf("%s has\n%q, want\n%q", name, files, want)
	}
}

// TestImage validates the image as a registry does, and reads its configuration and the files of each platform.
func TestImage(t *testing.T) {
	folder := t.TempDir()
	for name, data := range tarFiles(t, bytes.NewReader(read(t, made(t, "1.2.3"), "parley-1.2.3-oci.tar"))) {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path, string(data), 0o644)
	}
	index, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	top, err := index.IndexManifest()
	if err != nil || len(top.Manifests) != 1 || top.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "1.2.3" {
		t.Fatalf("the index is %+v, %v", top, err)
	}
	inner, err := index.ImageIndex(top.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := inner.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range manifest.Manifests {
		names = append(names, m.Platform.String())
		img, err := inner.Image(m.Digest)
		if err != nil {
			t.Fatal(err)
		}
		config, err := img.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if c := config.Config; c.User != "65532:65532" || c.WorkingDir != "/workspace" || !slices.Equal(c.Entrypoint, []string{"/usr/bin/parley"}) || config.Architecture != m.Platform.Architecture {
			t.Errorf("%s: the configuration is %+v", m.Platform, config)
		}
		content := mutate.Extract(img)
		files := tarFiles(t, content)
		content.Close()
		if got, want := string(files["usr/bin/parley"]), "parley for "+m.Platform.String(); got != want {
			t.Errorf("the program of %s is %q", m.Platform, got)
		}
		if roots := bytes.Count(files[imageRoots], []byte("BEGIN CERTIFICATE")); roots < 50 {
			t.Errorf("%s has %d root certificates", m.Platform, roots)
		}
	}
	if !slices.Equal(names, []string{"linux/amd64", "linux/arm64"}) {
		t.Errorf("the image is for %q", names)
	}
}

// TestErrors refuses what no release can be made of.
func TestErrors(t *testing.T) {
	dist := made(t, "1.2.3")
	for _, c := range []struct {
		version  string
		platform string
		want     string
	}{
		{"", "linux/amd64", "a version"},
		{"1.2.3", "linux", "no platform"},
		{"1.2.3", "plan9/386", "parley-1.2.3-plan9-386"},
		{"1.2.4", "linux/amd64", "parley-1.2.4-linux-amd64"},
	} {
		err := release{dist: dist, version: c.version}.run(filepath.Join(filepath.Dir(dist), "parley"), []string{c.platform}, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("version %q for %s: %v, want an error with %q", c.version, c.platform, err, c.want)
		}
	}
}

func read(t *testing.T, folder, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func tarFiles(t *testing.T, r io.Reader) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	eachEntry(t, r, func(h *tar.Header, data []byte) {
		if h.Typeflag == tar.TypeReg {
			files[h.Name] = data
		}
	})
	return files
}

func tarEntries(t *testing.T, r io.Reader) (all []*tar.Header) {
	t.Helper()
	eachEntry(t, r, func(h *tar.Header, _ []byte) { all = append(all, h) })
	return all
}

func eachEntry(t *testing.T, r io.Reader, visit func(*tar.Header, []byte)) {
	t.Helper()
	for entries := tar.NewReader(r); ; {
		h, err := entries.Next()
		if err == io.EOF {
			return
		}
		var data []byte
		if err == nil {
			data, err = io.ReadAll(entries)
		}
		if err != nil {
			t.Fatal(err)
		}
		visit(h, data)
	}
}
