package cli

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"parley.dev/parley/internal/terminal"
)

// Display calls write with the output of a command. On a terminal, control characters and what else controls one are shown as
// signs there, since sessions, servers and agents can have sent them; a file or a pipe gets the bytes as they are.
func Display(cmd *cobra.Command, write func(io.Writer) error) error {
	out := terminal.Output(cmd.OutOrStdout())
	err := write(out)
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	return err
}

// PrintJSON prints a value as indented JSON.
func PrintJSON(cmd *cobra.Command, v any) error {
	out, err := json.Marshal(v, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return Failed(err)
	}
	return Failed(Display(cmd, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s\n", out)
		return err
	}))
}

// Counted returns a number of things: "1 tool", "2 tools".
func Counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
