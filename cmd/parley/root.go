package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "parley",
		Short: "A coding agent engine that other programs drive over stdio",
		Long: `Parley is one coding-agent engine that speaks existing wire protocols over stdio.
Start it in place of the agent that your client expects, or try it:

  parley demo                     run a client against a server, offline
  parley run "list the go files"  one prompt, one answer
  parley scaiflux serve           the ScaiFlux serve protocol
  parley flint                    the Flint Agent Harness Protocol
  parley pisces --mode rpc        the RPC mode of the pi family
  parley loaf rpc                 loaf's RPC mode
  parley agentair                 agent-air's server messages`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(
		scaifluxCommand(), flintCommand(), loafCommand(), agentairCommand(), piscesCommand(), runCommand(ownPersona), demoCommand(), sessionsCommand(), modelsCommand(),
		mcpCommand(), grantsCommand(), schemaCommand(), doctorCommand(ownPersona), configCommand(), versionCommand(),
	)
	root.SetHelpCommand(helpCommand())
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if errors.Is(err, errVersion) {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), versionLine())
			return err
		}
		return flagError(err)
	})
	addVersionFlag(root)
	for _, cmd := range root.Commands() {
		if slices.Contains(personas, cmd.Name()) && cmd.Flags().Lookup("version") == nil {
			addVersionFlag(cmd)
		}
	}
	finishFlags(root)
	return root
}
