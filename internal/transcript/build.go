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

// consoleCommand is the import path of the terminal console.
const consoleCommand = "parley.dev/parley/cmd/parley-console"

// BuildConsole is Build, and puts the terminal console beside the program.
func BuildConsole(t testing.TB) string {
	t.Helper()
	binary := Build(t)
	built.Lock()
	defer built.Unlock()
	console := filepath.Join(built.dir, "parley-console")
	if _, err := os.Stat(console); err == nil {
		return binary
	}
	if err := copyBuilt(consoleCommand, console); err != nil {
		t.Fatal(err)
	}
	return binary
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
	if err := copyBuilt(command, binaryIn(dir)); err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	return dir, nil
}

// copyBuilt builds a command and copies it to a path. The go command caches what go run links, and not what go build links:
// only the first of the packages that play against the program waits for the linker.
func copyBuilt(command, path string) error {
	if out, err := exec.Command("go", "run", "-exec", "cp", command, path).CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", command, err, out)
	}
	return nil
}

func binaryIn(dir string) string { return filepath.Join(dir, "parley") }
