package mcp

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain also plays a tool server, see serve.
func TestMain(m *testing.M) {
	if manner := os.Getenv(serverManner); manner != "" {
		os.Exit(play(manner))
	}
	goleak.VerifyTestMain(m)
}
