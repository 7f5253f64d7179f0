package web

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/transcript"
)

// findProgram returns the path of the first of some programs that is installed, or "".
func findProgram(names ...string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// copyTests returns a folder with the tests of Node.js and their packages. Without Node.js, npm or Chromium the test is skipped.
func copyTests(t *testing.T) string {
	t.Helper()
	if findProgram("node") == "" {
		t.Skip("node is not installed")
	}
	if findProgram("chromium", "chromium-browser", "google-chrome") == "" {
		t.Skip("there is no chromium, chromium-browser or google-chrome")
	}
	packages := stage.NodePackages(t, ".")
	dir := t.TempDir()
	files, err := filepath.Glob("*.mjs")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		stage.CopyTree(t, name, filepath.Join(dir, name))
	}
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// runNode runs a file of tests in a folder. RUN is the expression for the names of those that are to run, as of go test -run.
func runNode(t *testing.T, dir, file string, env ...string) {
	t.Helper()
	artifacts := os.Getenv("PARLEY_ARTIFACTS")
	if artifacts == "" {
		artifacts = filepath.Join(dir, "artifacts")
	}
	if err := os.MkdirAll(artifacts, 0o700); err != nil {
		t.Fatal(err)
	}
	args := []string{"--test", "--test-concurrency=1", "--test-reporter=tap"}
	if pattern := os.Getenv("RUN"); pattern != "" {
		args = append(args, "--test-name-pattern="+pattern)
	}
	cmd := exec.CommandContext(t.Context(), "node", append(args, file)...)
	cmd.Dir = dir
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LANG=C.UTF-8", "PARLEY=" + transcript.Build(t), "PARLEY_ARTIFACTS=" + artifacts,
		"PARLEY_PICTURES_WORKSPACE=" + os.Getenv("PARLEY_PICTURES_WORKSPACE"),
		"CHROMIUM=" + findProgram("chromium", "chromium-browser", "google-chrome"), "FIREFOX=" + findProgram("firefox-esr", "firefox"),
	}, env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "# SKIP") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

// TestWeb runs the tests of Node.js: the journeys of users, what the page must not do, its accessibility, its pictures.
func TestWeb(t *testing.T) {
	dir := copyTests(t)
	files, err := filepath.Glob("*.test.mjs")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(file, ".test.mjs"), func(t *testing.T) {
			t.Parallel()
			var env []string
			if file == "large.test.mjs" {
				env = append(env, "PARLEY_LARGE="+writeLarge(t))
			}
			runNode(t, dir, file, env...)
		})
	}
}
