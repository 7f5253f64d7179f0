package serve

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/agentair"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/wire"
)

// Agentair returns the command that serves the agent-air protocol.
func Agentair() *cobra.Command {
	var flags agentair.Flags
	var policy, sandbox, dir string
	cmd := &cobra.Command{
		Use: "agentair", Aliases: []string{"agent-air"}, Args: cli.ExactArgs(),
		Short: "Serve agent-air's server messages: JSON lines, many sessions per process",
		RunE: func(*cobra.Command, []string) (err error) {
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
			return serveAgentair(flags, dir)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.Model, "model", "", "model of sessions that do not set one (default: the configured one)")
	f.StringVarP(&dir, "workspace", "w", "", "folder of sessions that do not set one (default: the current one)")
	f.StringVar(&policy, "policy", string(agentair.Interactive), "what happens to requests that no grant covers: interactive, on-request, auto-approve or deny-all")
	f.StringVar(&sandbox, "sandbox", "", "with --policy auto-approve or on-request, what calls may change: full-access, workspace-write or read-only")
	f.BoolVar(&flags.Extended, "extended", false, "add the fields of newer library versions to messages")
	f.BoolVar(&flags.RoundComplete, "round-complete", false, "send a Complete after each round with tool calls, as the library does")
	f.BoolVar(&flags.SinglePermissions, "single-permissions", false, "send each permission request in a separate message, never in a batch")
	f.IntVar(&flags.StepLimit, "max-rounds", 0, "maximum number of rounds in a turn; 0: no limit")
	cli.SetChoices(f, "policy", string(agentair.Interactive), string(agentair.OnRequest), string(agentair.AutoApprove), string(agentair.DenyAll))
	cli.SetChoices(f, "sandbox", cli.SandboxWords...)
	return cmd
}

// serveAgentair binds the protocol to stdin and stdout. A failure before that is an Error message:
// clients of the library read nothing else.
func serveAgentair(flags agentair.Flags, dir string) error {
	settings, err := config.Load(os.Getenv)
	if err != nil {
		return refuseAgentair(os.Stdout, err)
	}
	settings.Grace = time.Second
	if flags.Cwd, err = engine.Workspace(dir); err != nil {
		return refuseAgentair(os.Stdout, err)
	}
	out, err := wire.ProtectStdout()
	if err != nil {
		return refuseAgentair(os.Stdout, err)
	}
	a, err := cli.Assemble(settings)
	if err != nil {
		return refuseAgentair(out, err)
	}
	defer a.Close()
	stop := cli.NotifyStop()
	cli.ForgetStart()
	code := agentair.Serve(context.Background(), agentair.Config{
		Host: a.Host, In: os.Stdin, Out: out, Log: a.Log, Version: cli.Version, Flags: flags, Stop: stop.Asked,
	})
	if code != cli.ExitOK {
		return &cli.ExitError{Code: code}
	}
	return nil
}

func refuseAgentair(out io.Writer, err error) error {
	agentair.RefuseStart(out, err)
	return cli.Failed(err)
}
