package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// RequireArgs refuses a command line with fewer words than names.
func RequireArgs(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return fmt.Errorf("%s is missing", names[len(args)])
		}
		return nil
	}
}

// ExactArgs refuses a command line with other than one word for each name.
func ExactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > len(names) {
			return fmt.Errorf("unexpected argument %q", args[len(names)])
		}
		return RequireArgs(names...)(cmd, args)
	}
}
