package sandbox

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain also plays a program that is killed, see victim.
func TestMain(m *testing.M) {
	if script := os.Getenv(victimScript); script != "" {
		victim(script)
	}
	goleak.VerifyTestMain(m)
}
