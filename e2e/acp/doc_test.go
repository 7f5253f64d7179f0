// Package acp meets the built program with clients of the Agent Client Protocol that others wrote, unmodified, from npm: the
// official SDK and programs that drive agents. Every line between them and the program is recorded, and checked afterwards
// against the official schema and the order in which lines may come.
package acp

import (
	"testing"

	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { transcript.Main(m) }
