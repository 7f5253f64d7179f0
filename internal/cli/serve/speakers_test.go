package serve

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley.dev/parley/internal/cli"
)

// TestParseWithStoresNothing: cobra stores completions of flags, and so the flags, for as long as the process runs; a host reads a command
// line for each of its clients.
func TestParseWithStoresNothing(t *testing.T) {
	var parsed *cobra.Command
	_, err := parseWith(func(from caller, run runner) *cobra.Command {
		parsed = acpCommand(from, run)
		return parsed
	})(caller{getenv: func(string) string { return "" }}, []string{"--model", "m"})
	if err != nil {
		t.Fatal(err)
	}
	completed := func(cmd *cobra.Command) (names []string) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if _, ok := cmd.GetFlagCompletionFunc(f.Name); ok {
				names = append(names, f.Name)
			}
		})
		return names
	}
	if names := completed(parsed); len(names) > 0 {
		t.Errorf("completions are stored of %q", names)
	}
	if cli.FinishFlags(parsed); len(completed(parsed)) == 0 {
		t.Error("the test does not find the completions of FinishFlags")
	}
}
