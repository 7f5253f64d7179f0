// Package e2e tests the program as its users meet it: the built binary, started over pipes,
// with real tools, real files, real signals, and models played by local HTTP servers. What
// a dialogue alone can show stands in the dialects' transcripts; here is what needs a
// process to kill, a disk to fill, or a reader to stop.
package e2e

import (
	"testing"

	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { transcript.Main(m) }
