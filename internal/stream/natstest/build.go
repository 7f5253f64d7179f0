// Package natstest starts NATS servers for tests: real processes, with JetStream, alone or as a cluster. It
// builds the server from the module e2e/cluster.
package natstest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// programEnv is the environment variable with the path of a server to use instead of building one.
const programEnv = "PARLEY_NATS_SERVER"

// serverPackage is a tool of the module.
const serverPackage = "github.com/nats-io/nats-server/v2"

// program returns the path of the server's program. It skips the test if the program cannot be built, as on a machine without
// a network; in CI that is a failure.
func program(t testing.TB) string {
	t.Helper()
	if path := os.Getenv(programEnv); path != "" {
		return path
	}
	path, err := built()
	switch {
	case err != nil && os.Getenv("CI") != "":
		t.Fatalf("there is no NATS server, and it is needed in CI: %v", err)
	case err != nil:
		t.Skipf("there is no NATS server: %v; %s can name one", err, programEnv)
	}
	return path
}

// built builds the server once, and returns its path in the cache of the go command.
var built = sync.OnceValues(func() (string, error) {
	cmd := exec.Command("go", "-C", module, "tool", "-n", serverPackage)
	var problem strings.Builder
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s cannot be built in %q: %w\n%s", serverPackage, module, err, &problem)
	}
	return strings.TrimSpace(string(out)), nil
})

// module is the folder of the module that has the server. Tests start in the folder of their package; paths in the program
// are no help when it was built with -trimpath.
var module = findModule()

func findModule() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		found := filepath.Join(dir, "e2e", "cluster")
		if _, err := os.Stat(filepath.Join(found, "go.mod")); err == nil {
			return found
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}
