// Command parley is one coding-agent engine behind several existing wire protocols. Under
// the name of one of them (a link or a copy named "scaiflux", say) it takes that agent's
// own command line.
package main

import (
	"os"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/cli/program"
)

func main() { os.Exit(program.Run(cli.Links{})) }
