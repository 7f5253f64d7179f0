// Command parley-host is parley with stores on NATS, batches, workers and telemetry: parley executes it in its place where they are
// needed, with the same arguments.
package main

import (
	"os"

	"parley.dev/parley/internal/cli/hostprogram"
)

func main() { os.Exit(hostprogram.Run()) }
