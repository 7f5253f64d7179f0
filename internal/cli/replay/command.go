// Package replay is the command that runs a session again with the answers of its journal.
package replay

import (
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/replay"
	"parley.dev/parley/internal/sessionlog"
)

// flags is the command line.
type flags struct {
	revision, workspace, sandbox string
	asJSON                       bool
}

// Command returns the command sessions replay.
func Command() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use: "replay ID", Short: "Run a session again with the answers that its models gave, and print what differs",
		Long: `Run the turns of a session again in a copy of its workspace, with the answers of its journal in place of a model, and
print which calls of tools end differently now. No model is called, no key is needed, and nothing is stored.

The copy has the files of HEAD, or of --revision; where there is no repository, the files as they are now. With
--workspace the turns run in that folder, and change it. Commands are confined to the folder, without a network; no
approval is requested. Hooks and tool servers of the configuration run as they do always. Names of the folder and durations
in outputs are not compared.

Turns are left out from the first that has a steering message, an image, a subagent, a summary of the history, an interrupt,
or anything else that prompts and answers do not show.

Exit codes: 0 everything is as it was, 1 something differs, or the session cannot be run again.`,
		Args: cli.ExactArgs("ID"), ValidArgsFunction: cli.CompleteSessions,
		PreRunE: func(*cobra.Command, []string) error {
			switch approval.SandboxKind(f.sandbox) {
			case approval.SandboxReadOnly, approval.SandboxWorkspace, approval.SandboxNone:
			default:
				return errors.New("--sandbox is none of read-only, workspace-write and full-access")
			}
			if f.revision != "" && f.workspace != "" {
				return errors.New("--revision and --workspace exclude each other")
			}
			return nil
		},
		RunE: cli.WithReader(func(a *app.App, cmd *cobra.Command, args []string) error {
			id, err := cli.FindSession(a, "", args[0])
			if err != nil {
				return err
			}
			recording, err := replay.Read(sessionlog.Read(cmd.Context(), a.Store, id, 1))
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			report, err := f.run(ctx, recording)
			if err != nil {
				return err
			}
			if f.asJSON {
				err = cli.PrintJSON(cmd, report)
			} else {
				err = printReport(cmd.OutOrStdout(), report)
			}
			if err == nil && !report.Same {
				err = &cli.ExitError{Code: cli.ExitFailed}
			}
			return err
		}),
	}
	set := cmd.Flags()
	set.StringVar(&f.revision, "revision", "", "the revision of the repository that the session began with (default: HEAD)")
	set.StringVarP(&f.workspace, "workspace", "w", "", "run in this folder in place of a copy; it is changed")
	set.StringVar(&f.sandbox, "sandbox", string(approval.SandboxWorkspace), "what commands may do: read-only, workspace-write or full-access")
	set.BoolVar(&f.asJSON, "json", false, "print JSON")
	cli.SetChoices(set, "sandbox", cli.SandboxWords...)
	cli.AddStoreFlags(set)
	return cmd
}
