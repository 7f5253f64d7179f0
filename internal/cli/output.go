package cli

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
)

// PrintJSON prints a value as indented JSON.
func PrintJSON(cmd *cobra.Command, v any) error {
	out, err := json.Marshal(v, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return Failed(err)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", out)
	return Failed(err)
}

// Counted returns a number of things: "1 tool", "2 tools".
func Counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
