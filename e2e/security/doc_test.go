// Package security holds the built program to what SECURITY.md claims: it acts as those who mean
// harm, a command, a model, a project, another user, and looks at what they got. What one room
// alone can show is tested there; SECURITY.md names each test.
package security

import (
	"testing"

	"parley.dev/parley/internal/transcript"
)

// TestMain also plays a burglar, see burglaries.
func TestMain(m *testing.M) {
	burgle()
	transcript.Main(m)
}
