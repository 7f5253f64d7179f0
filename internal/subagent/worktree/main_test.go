package worktree

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain also plays a process that is killed while it has a copy, see victim.
func TestMain(m *testing.M) {
	if dir := os.Getenv(victimDir); dir != "" {
		victim(dir, os.Getenv(victimRoot))
	}
	goleak.VerifyTestMain(m)
}
