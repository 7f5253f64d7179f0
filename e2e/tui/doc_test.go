// Package tui plays the terminal console as its users do: the built programs on a terminal whose emulator shows what is
// there. The journeys are those that both consoles have; the pictures of docs/tui.md are made here (-pictures).
package tui

import (
	"testing"

	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { transcript.Main(m) }
