// Package upgrade tests the program with state folders that released versions have written: nothing that a
// user has may be lost, or be read differently, after an upgrade.
package upgrade

import (
	"testing"

	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { transcript.Main(m) }
