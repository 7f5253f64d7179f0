package transcript

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// command is the import path of the program that transcripts are played against.
const command = "parley.dev/parley/cmd/parley"

// built is the folder of the binary; "" before the first Build.
var built struct {
	sync.Mutex
	dir string
}

// Build builds the program once per test process and returns the binary's path. TestMain
// calls RemoveBuild at the end.
func Build(t testing.TB) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	if built.dir == "" {
		dir, err := build()
		if err != nil {
			t.Fatal(err)
		}
		built.dir = dir
	}
	return binaryIn(built.dir)
}

// RemoveBuild removes the result of Build, if it was called. TestMain calls it with the exit code
// of the tests, and exits with its result, which is not 0 if the removal fails.
func RemoveBuild(code int) int {
	built.Lock()
	defer built.Unlock()
	dir := built.dir
	built.dir = ""
	if dir == "" {
		return code
	}
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}

func build() (string, error) {
	dir, err := os.MkdirTemp("", "parley-build-")
	if err != nil {
		return "", err
	}
	// The go command caches what go run links, and not what go build links: only the first of the
	// packages that play against the program waits for the linker.
	if out, err := exec.Command("go", "run", "-exec", "cp", command, binaryIn(dir)).CombinedOutput(); err != nil {
		os.RemoveAll(dir)
		return "", fmt.Errorf("build %s: %w\n%s", command, err, out)
	}
	return dir, nil
}

func binaryIn(dir string) string { return filepath.Join(dir, "parley") }
