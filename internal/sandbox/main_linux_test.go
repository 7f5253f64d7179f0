package sandbox

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain also plays a program that is killed, see victim, and one that breaks out, see
// burglaries.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && burglaries[os.Args[1]] != nil {
		burgle(os.Args[1], os.Args[2:])
	}
	if script := os.Getenv(victimScript); script != "" {
		victim(script)
	}
	goleak.VerifyTestMain(m)
}
