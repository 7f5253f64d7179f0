// Command catalog prints the providers and models of charm.land/catwalk as JSON, of which make catalog makes the snapshot of
// the program. It is a module of its own, since that one needs a newer Go than the program does.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"charm.land/catwalk/pkg/embedded"
)

func main() {
	if err := json.NewEncoder(os.Stdout).Encode(embedded.GetAll()); err != nil {
		fmt.Fprintln(os.Stderr, "catalog:", err)
		os.Exit(1)
	}
}
