// Package host meets the host process as its clients do: several of them on one session, cut, killed and started again.
package host

import (
	"testing"

	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { transcript.Main(m) }
