package serve

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/loaf"
	"parley.dev/parley/internal/skill"
)

// Loaf returns the command that serves the loaf protocol.
func Loaf(j Joining) *cobra.Command { return loafCommand(thisProcess, j.run) }

func loafCommand(from caller, run runner) *cobra.Command {
	var events, sandbox, dir string
	cmd := &cobra.Command{
		Use: "loaf rpc", Short: "Serve loaf's RPC mode: JSON-RPC 2.0 lines, many sessions per process",
		Args: cli.RequireArgs("rpc"), // what follows rpc is ignored, as clients expect
		RunE: func(cmd *cobra.Command, args []string) error {
			if !strings.EqualFold(args[0], "rpc") {
				return inItsWords(fmt.Errorf("unknown subcommand: %s\nusage: loaf rpc", args[0]))
			}
			flags := loaf.Flags{Format: loaf.EventFormat(events), Sandbox: approval.Sandbox{Kind: approval.SandboxKind(sandbox)}, Confine: cmd.Flags().Changed("sandbox")}
			if flags.Format != loaf.FormatFlat && flags.Format != loaf.FormatEnvelope {
				return fmt.Errorf("%s %q is neither flat nor envelope", eventsSource(cmd), events)
			}
			switch flags.Sandbox.Kind {
			case approval.SandboxNone, approval.SandboxWorkspace, approval.SandboxReadOnly:
			default:
				return fmt.Errorf("--sandbox %q is none of full-access, workspace-write and read-only", sandbox)
			}
			flags.Model = from.model
			return run(loafService(from, flags, dir).withStore(cmd))
		},
	}
	standard := cmp.Or(from.getenv(eventsVariable), string(loaf.FormatFlat))
	cmd.Flags().StringVar(&events, "events", standard, "format of events if the handshake does not set it: flat or envelope")
	cmd.Flags().StringVar(&sandbox, "sandbox", from.sandbox(), "what commands may change (new sessions): full-access, workspace-write or read-only")
	cmd.Flags().StringVarP(&dir, "workspace", "w", "", "folder of sessions that do not set one (default: the current one)")
	addServeFlags(cmd.Flags())
	cli.SetChoices(cmd.Flags(), "events", string(loaf.FormatFlat), string(loaf.FormatEnvelope))
	cli.SetChoices(cmd.Flags(), "sandbox", cli.SandboxWords...)
	return cmd
}

// eventsVariable is the environment variable with the default of --events.
const eventsVariable = "LOAF_RPC_EVENTS"

// eventsSource names where the event format comes from.
func eventsSource(cmd *cobra.Command) string {
	if cmd.Flags().Changed("events") {
		return "--events"
	}
	return eventsVariable
}

// loafService returns what serves the protocol in a folder.
func loafService(from caller, flags loaf.Flags, dir string) service {
	return service{
		dialect: "loaf",
		configure: func(settings *config.Config) (err error) {
			settings.Grace = time.Second
			flags.Cwd, err = from.workspace(dir)
			flags.Home = config.HomeDir(os.Getenv)
			return err
		},
		refuse: func(_ io.Writer, err error) error { // in the words of the original
			return inItsWords(fmt.Errorf("[loaf] fatal: %w", err))
		},
		speak: func(ctx context.Context, a *app.App, c client) (int, error) {
			return loaf.Serve(ctx, loaf.Config{
				Host: c.sessions, Rights: c.rights, In: c.in, Out: c.out, Log: a.Log, Version: cli.Version, Flags: flags, Stop: c.stop,
				SignIn: signIn(a), Settings: loaf.ReadSettings(filepath.Join(a.Settings.Home, "loaf.json"), a.Log),
				Skills: func() skill.Places { return a.SkillPlaces(flags.Cwd) },
				Signal: func() string {
					if c.signal() == syscall.SIGINT {
						return loaf.ChangedInterrupted
					}
					return loaf.ChangedTerminated
				},
			}), nil
		},
	}
}
