package backend

import (
	"testing"

	"parley.dev/parley/e2e/agent"
	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) {
	if agent.Play() {
		return
	}
	transcript.Main(m)
}
