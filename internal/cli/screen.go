package cli

import (
	"os"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/console"
)

// NewScreen returns the screen of a command. https://no-color.org says what turns colours off.
func NewScreen(cmd *cobra.Command) *console.Screen {
	colours := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return console.NewScreen(cmd.OutOrStdout(), cmd.ErrOrStderr(), colours)
}
