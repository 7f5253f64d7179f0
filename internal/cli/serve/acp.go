package serve

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/dialect/acp"
)

// ACP returns the command that serves the Agent Client Protocol.
func ACP(j Joining) *cobra.Command { return acpCommand(thisProcess, j.run) }

func acpCommand(from caller, run runner) *cobra.Command {
	var f acp.Flags
	cmd := &cobra.Command{
		Use: "acp", Short: "Serve the Agent Client Protocol, for editors: JSON-RPC lines, many sessions per process", Args: cli.ExactArgs(),
		RunE: func(*cobra.Command, []string) error {
			if err := acp.CheckMode(f.Mode); err != nil {
				return fmt.Errorf("--mode: %w", err)
			}
			f.Model = cmp.Or(f.Model, from.model)
			f.Unstable = f.Unstable || from.getenv("PARLEY_ACP_UNSTABLE") == "1"
			return run(acpService(f))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Model, "model", "", "model of new sessions (default: the configured one)")
	flags.StringVar(&f.Mode, "mode", "", "mode of new sessions: plan, ask, auto-edit, auto or full-access (default: ask)")
	flags.BoolVar(&f.Unstable, "unstable", false, "offer the unstable part of the protocol (also: PARLEY_ACP_UNSTABLE=1)")
	flags.BoolVar(&f.NoFiles, "no-client-fs", false, "read and write files on disk, not through the client")
	flags.BoolVar(&f.NoTerminal, "no-client-terminal", false, "run commands here, not in terminals of the client")
	addHostFlag(flags)
	return cmd
}

// acpService returns what serves the protocol with these flags.
func acpService(f acp.Flags) service {
	return service{
		dialect: "acp",
		speak: func(ctx context.Context, a *app.App, c client) (int, error) {
			return acp.Serve(ctx, acp.Config{
				Host: c.sessions, In: c.in, Out: c.out, Log: a.Log, Version: cli.Version, Flags: f, Stop: c.stop,
			}), nil
		},
	}
}
