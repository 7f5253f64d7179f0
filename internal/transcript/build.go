package transcript

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"parley.dev/parley/internal/companion"
)

// built is the folder of the programs, "" before the first one is built, and those that it has.
var built struct {
	sync.Mutex
	dir   string
	names []string
}

// Build builds the program once per test process and returns the binary's path. TestMain
// calls RemoveBuild at the end.
func Build(t testing.TB) string {
	t.Helper()
	return buildCommand(t, "parley")
}

// BuildConsole is Build, and puts the terminal console beside the program.
func BuildConsole(t testing.TB) string {
	t.Helper()
	buildCommand(t, companion.Console)
	return Build(t)
}

// BuildHost builds parley-host, as Build does, in the same folder, and returns its path.
func BuildHost(t testing.TB) string {
	t.Helper()
	return buildCommand(t, companion.Host)
}

// buildCommand builds one of the programs if it is not yet built, and returns its path.
func buildCommand(t testing.TB, name string) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	if built.dir == "" {
		dir, err := os.MkdirTemp("", "parley-build-")
		if err != nil {
			t.Fatal(err)
		}
		built.dir = dir
	}
	path := filepath.Join(built.dir, name)
	if slices.Contains(built.names, name) {
		return path
	}
	if err := copyBuilt("parley.dev/parley/cmd/"+name, path); err != nil {
		t.Fatal(err)
	}
	built.names = append(built.names, name)
	return path
}

// RemoveBuild removes the result of Build, if it was called. TestMain calls it with the exit code
// of the tests, and exits with its result, which is not 0 if the removal fails.
func RemoveBuild(code int) int {
	built.Lock()
	defer built.Unlock()
	dir := built.dir
	built.dir, built.names = "", nil
	if dir == "" {
		return code
	}
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}

// copyBuilt builds a command and copies it to a path. The go command caches what go run links, and not what go build links:
// only the first of the packages that play against the program waits for the linker.
func copyBuilt(command, path string) error {
	if out, err := exec.Command("go", "run", "-exec", "cp", command, path).CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", command, err, out)
	}
	return nil
}
