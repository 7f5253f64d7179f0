package cli

import (
	"os"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/credentials"
	"parley.dev/parley/internal/engine"
)

// NewApp assembles the program with the settings of the user.
func newApp() (*app.App, error) {
	settings, err := config.Load(os.Getenv)
	if err != nil {
		return nil, err
	}
	return Assemble(settings)
}

// Assemble puts the program together with these settings.
func Assemble(settings config.Config) (*app.App, error) { return AssembleShared(settings, nil) }

// AssembleShared is Assemble for a program whose sessions are shared by several clients.
func AssembleShared(settings config.Config, sharing *engine.Sharing) (*app.App, error) {
	return app.New(settings, app.Options{Version: Version, Credentials: credentials.Files(), Sharing: sharing})
}

// WithApp runs a command that needs the program's parts.
func WithApp(run func(a *app.App, cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a, err := newApp()
		if err != nil {
			return Failed(err)
		}
		defer a.Close()
		return Failed(run(a, cmd, args))
	}
}
