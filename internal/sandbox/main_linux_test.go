package sandbox

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain also runs as a program that is killed or stopped, see victim and stopped, and as one that tries an escape, see
// escapeHelpers.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && escapeHelpers[os.Args[1]] != nil {
		runEscapeHelper(os.Args[1], os.Args[2:])
	}
	if script := os.Getenv(victimScript); script != "" {
		victim(script)
	}
	if script := os.Getenv(stoppedScript); script != "" {
		stopped(script)
	}
	goleak.VerifyTestMain(m)
}
