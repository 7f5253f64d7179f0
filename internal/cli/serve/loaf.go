package serve

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/loaf"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/skill"
	"parley.dev/parley/internal/wire"
)

// Loaf returns the command that serves the loaf protocol.
func Loaf() *cobra.Command {
	var events, sandbox, dir string
	cmd := &cobra.Command{
		Use: "loaf rpc", Short: "Serve loaf's RPC mode: JSON-RPC 2.0 lines, many sessions per process",
		Args: cli.RequireArgs("rpc"), // what follows rpc is ignored, as clients expect
		RunE: func(cmd *cobra.Command, args []string) error {
			if !strings.EqualFold(args[0], "rpc") {
				fmt.Fprintf(os.Stderr, "unknown subcommand: %s\nusage: loaf rpc\n", args[0])
				return &cli.ExitError{Code: cli.ExitFailed}
			}
			flags := loaf.Flags{Format: loaf.EventFormat(events), Sandbox: approval.Sandbox{Kind: approval.SandboxKind(sandbox)}}
			if flags.Format != loaf.FormatFlat && flags.Format != loaf.FormatEnvelope {
				return fmt.Errorf("%s %q is neither flat nor envelope", eventsSource(cmd), events)
			}
			switch flags.Sandbox.Kind {
			case approval.SandboxNone, approval.SandboxWorkspace, approval.SandboxReadOnly:
			default:
				return fmt.Errorf("--sandbox %q is none of full-access, workspace-write and read-only", sandbox)
			}
			return serveLoaf(flags, dir)
		},
	}
	standard := cmp.Or(os.Getenv(eventsVariable), string(loaf.FormatFlat))
	cmd.Flags().StringVar(&events, "events", standard, "format of events if the handshake does not set it: flat or envelope")
	cmd.Flags().StringVar(&sandbox, "sandbox", string(approval.SandboxNone), "what commands may change: full-access, workspace-write or read-only")
	cmd.Flags().StringVarP(&dir, "workspace", "w", "", "folder of sessions that do not set one (default: the current one)")
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

// serveLoaf binds the protocol to stdin and stdout.
func serveLoaf(flags loaf.Flags, dir string) error {
	settings, err := config.Load(os.Getenv)
	if err != nil {
		return fatal(err)
	}
	settings.Grace = time.Second
	if flags.Cwd, err = engine.Workspace(dir); err != nil {
		return fatal(err)
	}
	flags.Home = config.HomeDir(os.Getenv)
	out, err := wire.ProtectStdout()
	if err != nil {
		return fatal(err)
	}
	a, err := cli.Assemble(settings)
	if err != nil {
		return fatal(err)
	}
	defer a.Close()
	stop := cli.NotifyStop()
	cli.ForgetStart()
	code := loaf.Serve(context.Background(), loaf.Config{
		Host: a.Host, In: os.Stdin, Out: out, Log: a.Log, Version: cli.Version, Flags: flags, Stop: stop.Asked,
		SignIn: signIn(a), Settings: loaf.ReadSettings(filepath.Join(settings.Home, "loaf.json"), a.Log),
		Skills: func() skill.Places { return a.SkillPlaces(flags.Cwd) },
		Signal: func() string {
			if stop.Signal() == syscall.SIGINT {
				return loaf.ChangedInterrupted
			}
			return loaf.ChangedTerminated
		},
	})
	if code != cli.ExitOK {
		return &cli.ExitError{Code: code}
	}
	return nil
}

// fatal returns a failure before there is a connection, in the words of the original.
func fatal(err error) error {
	fmt.Fprintln(os.Stderr, "[loaf] fatal:", err)
	return &cli.ExitError{Code: cli.ExitFailed}
}
