package main

import (
	"github.com/spf13/cobra"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "parley",
		Short: "A coding agent without a face, driven over stdio",
		Long: `Parley is one coding-agent engine that speaks existing wire protocols over stdio.
Start it in place of the agent whose client you have, or try it:

  parley demo                     play a controller against the real server
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
		scaifluxCommand(), flintCommand(), loafCommand(), agentairCommand(), piscesCommand(), runCommand(), demoCommand(), sessionsCommand(), modelsCommand(),
		mcpCommand(), grantsCommand(), schemaCommand(), doctorCommand(), configCommand(), versionCommand(),
	)
	return root
}
