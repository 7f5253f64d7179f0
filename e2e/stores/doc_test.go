// Package stores tests stores as users choose and operate them: the commands of the built program, and copies between
// stores of files and on real NATS servers.
package stores

import (
	"testing"

	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { transcript.Main(m) }
