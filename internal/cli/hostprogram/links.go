// Package hostprogram is what the program parley-host links and parley does not.
package hostprogram

import (
	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app/parts"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/cli/batch"
	"parley.dev/parley/internal/cli/program"
	"parley.dev/parley/internal/cli/store"
	"parley.dev/parley/internal/cli/storecheck"
	"parley.dev/parley/internal/cli/worker"
)

// commands make the commands that parley does not have.
var commands = []func() *cobra.Command{store.Command, batch.Command, worker.Command}

// Run runs the command that the arguments of the process name, and returns the exit code.
func Run() int {
	return program.Run(cli.Links{Parts: parts.All(), CheckStore: storecheck.Check}, commands...)
}
