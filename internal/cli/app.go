package cli

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/credentials"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/stream/address"
)

// Links are what not all programs of Parley link.
type Links struct {
	app.Parts
	// CheckStore returns what a shared store is like.
	CheckStore func(ctx context.Context, a *app.App) []Finding
}

// Linked is what this program links. Its main sets it before anything else.
var Linked Links

// newApp assembles the program with the settings of the user, and the store that the flags of cmd name, of which it
// needs the rights of a role.
func newApp(cmd *cobra.Command, role string, rebuilding func(done, total int)) (*app.App, error) {
	settings, err := config.Load(os.Getenv)
	if err != nil {
		return nil, err
	}
	if err := StoreFlagsOf(cmd).Apply(&settings.Settings); err != nil {
		return nil, err
	}
	return app.New(settings, app.Options{Parts: Linked.Parts, Version: Version, Credentials: credentials.Files(), StoreRole: role, Rebuilding: rebuilding})
}

// Assemble puts the program together with these settings.
func Assemble(settings config.Config) (*app.App, error) {
	return app.New(settings, app.Options{Parts: Linked.Parts, Version: Version, Credentials: credentials.Files(), Rebuilding: RebuildProgress()})
}

// AssembleSharing is Assemble for a process whose own clients share sessions: it is not the host of the state folder.
func AssembleSharing(settings config.Config, sharing *engine.Sharing) (*app.App, error) {
	return app.New(settings, app.Options{Parts: Linked.Parts, Version: Version, Credentials: credentials.Files(), Sharing: sharing})
}

// AssembleShared is Assemble for the host of a state folder, whose sessions are shared by several clients.
func AssembleShared(settings config.Config, sharing *engine.Sharing) (*app.App, error) {
	return app.New(settings, app.Options{Parts: Linked.Parts, Version: Version, Credentials: credentials.Files(), Sharing: sharing, KeepHostID: sharing != nil})
}

// WithApp runs a command that needs the program's parts. An error without an exit code of its own ends it with ExitFailed.
func WithApp(run func(a *app.App, cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return withRole(address.RoleHost, run)
}

// WithScreen is [WithApp] for a command whose warnings are lines for the user, as those of run are. Warnings with one of the shown
// messages are left out: the command prints them itself.
func WithScreen(shown []string, run func(a *app.App, cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		settings, err := config.Load(os.Getenv)
		if err != nil {
			return Failed(err)
		}
		p := Parley
		p.Log = NewScreenLog(NewScreen(cmd), settings.LogLevel(), shown...)
		a, err := p.Assemble(settings, ".")
		if err != nil {
			return Failed(err)
		}
		defer a.Close()
		return ended(run(a, cmd, args))
	}
}

// ended returns the error of a command, with an exit code.
func ended(err error) error {
	if e, ok := errors.AsType[*ExitError](err); ok {
		return e
	}
	return Failed(err)
}

// WithReader is [WithApp] for a command that only reads the store: the role viewer may run it.
func WithReader(run func(a *app.App, cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return withRole(address.RoleViewer, run)
}

// WithStore runs a command like [WithApp], after the store is connected. A role of a shared store is enough to run it.
func WithStore(role string, run func(a *app.App, cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return withRole(role, func(a *app.App, cmd *cobra.Command, args []string) error {
		if err := a.Connect(context.Background()); err != nil {
			return err
		}
		return run(a, cmd, args)
	})
}

func withRole(role string, run func(a *app.App, cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a, err := newApp(cmd, role, RebuildProgress())
		if err != nil {
			return Failed(err)
		}
		defer a.Close()
		return ended(run(a, cmd, args))
	}
}
