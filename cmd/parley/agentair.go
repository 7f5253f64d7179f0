package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/dialect/agentair"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/wire"
)

func agentairCommand() *cobra.Command {
	var flags agentair.Flags
	var policy, dir string
	cmd := &cobra.Command{
		Use: "agentair", Aliases: []string{"agent-air"}, Args: cobra.NoArgs,
		Short: "agent-air's server messages: JSON lines, many sessions a process",
		RunE: func(*cobra.Command, []string) error {
			var ok bool
			if flags.Policy, ok = agentair.ParsePolicy(policy); !ok {
				return fmt.Errorf("--policy %q is none of interactive, auto-approve and deny-all", policy)
			}
			if flags.StepLimit < 0 {
				return fmt.Errorf("--max-rounds %d is less than 0", flags.StepLimit)
			}
			return serveAgentair(flags, dir)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.Model, "model", "", "model of sessions that name none (default: the configured one)")
	f.StringVar(&dir, "cwd", "", "folder of sessions that name none (default: the current one)")
	f.StringVar(&policy, "policy", string(agentair.Interactive), "what becomes of requests that no grant covers: interactive, auto-approve or deny-all")
	f.BoolVar(&flags.Extended, "extended", false, "messages have the fields of the library's newer types too")
	f.BoolVar(&flags.RoundComplete, "round-complete", false, "each round with tools has a Complete of its own, as in the library")
	f.IntVar(&flags.StepLimit, "max-rounds", 0, "rounds of a turn at most; 0: any number")
	return cmd
}

// serveAgentair binds the protocol to stdin and stdout.
func serveAgentair(flags agentair.Flags, dir string) error {
	settings, err := loadSettings(os.Getenv)
	if err != nil {
		return failed(err)
	}
	settings.grace = time.Second
	if flags.Cwd, err = engine.Workspace(dir); err != nil {
		return failed(err)
	}
	out, err := wire.ProtectStdout()
	if err != nil {
		return failed(err)
	}
	a, err := assemble(settings)
	if err != nil {
		return failed(err)
	}
	defer a.close()
	stop := notifyStop()
	forgetStart()
	code := agentair.Serve(context.Background(), agentair.Config{
		Host: a.host, In: os.Stdin, Out: out, Log: a.log, Version: version, Flags: flags, Stop: stop.asked,
	})
	if code != exitOK {
		return &exitError{code: code}
	}
	return nil
}
