// Package natstest starts NATS servers for tests: real processes, with JetStream, alone or as a cluster. It
// builds the server from the module e2e/cluster.
package natstest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// programEnv is the environment variable with the path of a server to use instead of building one.
const programEnv = "PARLEY_NATS_SERVER"

const serverPackage = "github.com/nats-io/nats-server/v2"

// program returns the path of the server's program, which lasts as long as the test. It skips the test if the
// program cannot be built, as on a machine without a network. The go command caches what go run links, so
// only the first test that builds it waits for more than the copy.
func program(t testing.TB) string {
	t.Helper()
	if path := os.Getenv(programEnv); path != "" {
		return path
	}
	path := filepath.Join(t.TempDir(), "nats-server")
	out, err := exec.CommandContext(t.Context(), "go", "-C", module(), "run", "-ldflags", "-s -w", "-exec", "cp", serverPackage, path).CombinedOutput()
	if err != nil {
		t.Skipf("there is no NATS server: %s cannot be built: %v; %s can name one\n%s", serverPackage, err, programEnv, out)
	}
	return path
}
