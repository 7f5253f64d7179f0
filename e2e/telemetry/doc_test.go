// Package telemetry has the built program export to a real OpenTelemetry Collector, which it builds from its modules, and to
// collectors that fail.
package telemetry

import (
	"testing"

	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { transcript.Main(m) }
