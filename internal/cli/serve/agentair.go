package serve

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/agentair"
)

// Agentair returns the command that serves the agent-air protocol.
func Agentair(j Joining) *cobra.Command { return agentairCommand(thisProcess, j.run) }

func agentairCommand(from caller, run runner) *cobra.Command {
	var flags agentair.Flags
	var policy, sandbox, dir string
	cmd := &cobra.Command{
		Use: "agentair", Aliases: []string{"agent-air"}, Args: cli.ExactArgs(),
		Short: "Serve agent-air's server messages: JSON lines, many sessions per process",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			var ok bool
			if flags.Policy, ok = agentair.ParsePolicy(policy); !ok {
				return fmt.Errorf("--policy %q is none of interactive, on-request, auto-approve and deny-all", policy)
			}
			if flags.Sandbox, err = agentair.ParseSandbox(sandbox, flags.Policy); err != nil {
				return err
			}
			if flags.StepLimit < 0 {
				return fmt.Errorf("--max-rounds %d is less than 0", flags.StepLimit)
			}
			flags.SetPolicy = cmd.Flags().Changed("policy")
			flags.Model = cmp.Or(flags.Model, from.model)
			return run(agentairService(from, flags, dir).withStore(cmd))
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.Model, "model", "", "model of sessions that do not set one (default: the configured one)")
	f.StringVarP(&dir, "workspace", "w", "", "folder of sessions that do not set one (default: the current one)")
	f.StringVar(&policy, "policy", string(agentair.Interactive), "what happens to requests that no grant covers (new sessions): interactive, on-request, auto-approve or deny-all")
	f.StringVar(&sandbox, "sandbox", "", "with --policy auto-approve or on-request, what calls may change (new sessions): full-access, workspace-write or read-only")
	f.BoolVar(&flags.Extended, "extended", false, "add the fields of newer library versions to messages")
	f.BoolVar(&flags.RoundComplete, "round-complete", false, "send a Complete after each round with tool calls, as the library does")
	f.BoolVar(&flags.SinglePermissions, "single-permissions", false, "send each permission request in a separate message, never in a batch")
	f.StringVar(&flags.Resume, "resume", "", "open this session as session 1: latest, its id, or the beginning of its id")
	f.IntVar(&flags.StepLimit, "max-rounds", 0, "maximum number of rounds in a turn; 0: no limit")
	addServeFlags(f)
	cli.SetChoices(f, "policy", string(agentair.Interactive), string(agentair.OnRequest), string(agentair.AutoApprove), string(agentair.DenyAll))
	cli.SetChoices(f, "sandbox", cli.SandboxWords...)
	return cmd
}

// agentairService returns what serves the protocol in a folder. A failure before there is a connection is an Error message:
// clients of the library read nothing else.
func agentairService(from caller, flags agentair.Flags, dir string) service {
	return service{
		dialect: "agentair",
		configure: func(settings *config.Config) (err error) {
			settings.Grace = time.Second
			flags.Cwd, err = from.workspace(dir)
			return err
		},
		refuse: func(out io.Writer, err error) error {
			agentair.RefuseStart(out, err)
			return cli.Failed(err)
		},
		speak: func(ctx context.Context, a *app.App, c client) (int, error) {
			return agentair.Serve(ctx, agentair.Config{
				Host: c.sessions, Rights: c.rights, In: c.in, Out: c.out, Log: a.Log, Version: cli.Version, Flags: flags, Stop: c.stop,
			}), nil
		},
	}
}
