// Package codex drives the built program with the clients of the Codex app-server protocol as npm has them: the terminal UI in
// remote mode, the adapter for the Agent Client Protocol, and the SDK. A client that cannot be installed skips its tests.
package codex

import (
	"testing"

	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { transcript.Main(m) }
