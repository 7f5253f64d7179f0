package batch

import (
	"testing"

	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { transcript.Main(m) }
