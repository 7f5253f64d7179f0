package tssdk

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/transcript"
)

// sources is what sdk/typescript consists of, besides its packages.
var sources = []string{"package.json", "tsconfig.json", "generate.mjs", "src", "test"}

// node returns the path of Node.js of a version that the client supports, or skips the test.
func node(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	version, err := exec.CommandContext(t.Context(), path, "--print", "process.versions.node.split('.')[0] >= 20").Output()
	if err != nil || strings.TrimSpace(string(version)) != "true" {
		t.Skip("node is older than 20")
	}
	return path
}

// built returns a folder with the client, compiled, and its tests.
func built(t *testing.T) string {
	t.Helper()
	node(t)
	sdk, err := filepath.Abs("../../sdk/typescript")
	if err != nil {
		t.Fatal(err)
	}
	packages := stage.NodePackages(t, sdk)
	dir := t.TempDir()
	for _, name := range sources {
		stage.CopyTree(t, filepath.Join(sdk, name), filepath.Join(dir, name))
	}
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "npm", "run", "build")
	return dir
}

// run runs a command in a folder, with the built program as parley.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	schema, err := filepath.Abs("../../schema")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(transcript.Build(t), filepath.Join(bin, "parley")); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PARLEY="+transcript.Build(t), "PARLEY_SCHEMA="+schema, "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+home,
		"PARLEY_HOME="+filepath.Join(home, "state"), "PARLEY_MODEL=offline/demo", "npm_config_update_notifier=false")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// example returns the first block of TypeScript of the documentation.
func example(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/typescript-client.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```ts\n")
	code, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("docs/typescript-client.md does not begin with an example")
	}
	return code
}

// TestClient runs the tests of the client: turns, approvals, connections that are cut, a host that is killed. Meanwhile it compiles
// programs in strict mode against the published declarations, those of Node.js and of a page, among them the example of the
// documentation, which then runs.
func TestClient(t *testing.T) {
	dir := built(t)
	if err := os.WriteFile(filepath.Join(dir, "test/example.ts"), []byte(example(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	tsc := filepath.Join(dir, "node_modules/.bin/tsc")
	t.Run("tests", func(t *testing.T) {
		t.Parallel()
		run(t, dir, node(t), "--test", "test/client.test.mjs", "test/websocket.test.mjs")
	})
	t.Run("types", func(t *testing.T) {
		t.Parallel()
		run(t, dir, tsc, "--project", "test")
		run(t, dir, tsc, "--project", "test/browser")
	})
	t.Run("example", func(t *testing.T) {
		t.Parallel()
		run(t, dir, tsc, "--project", "test", "--noEmit", "false", "--outDir", "example")
		if err := os.WriteFile(filepath.Join(dir, "shop.go"), []byte("package shop\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if out := run(t, dir, node(t), "example/example.js"); !strings.Contains(out, "shop.go") {
			t.Errorf("the example prints %s", out)
		}
	})
}
