package program

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/cli/backends"
	"parley.dev/parley/internal/cli/conform"
	"parley.dev/parley/internal/cli/demo"
	"parley.dev/parley/internal/cli/doctor"
	"parley.dev/parley/internal/cli/grants"
	"parley.dev/parley/internal/cli/hosts"
	"parley.dev/parley/internal/cli/man"
	mcpcmd "parley.dev/parley/internal/cli/mcp"
	"parley.dev/parley/internal/cli/models"
	"parley.dev/parley/internal/cli/replay"
	"parley.dev/parley/internal/cli/run"
	"parley.dev/parley/internal/cli/serve"
	"parley.dev/parley/internal/cli/sessions"
	"parley.dev/parley/internal/cli/tui"
)

// A joining is what a command line says of the host that a protocol is spoken with.
type joining = serve.Joining

// commands make the commands of the program. They are in the order of their names, so that the first of two suggestions is always the
// same. All are functions that are known when the program is linked: a start initializes nothing of the list.
var commands = []struct {
	name string
	make func(joining) *cobra.Command
}{
	{"acp", serve.ACP},
	{"agentair", serve.Agentair},
	{"backends", func(joining) *cobra.Command { return backends.Command() }},
	{"codex", serve.Codex},
	{"config", func(joining) *cobra.Command { return configCommand() }},
	{"conform", func(joining) *cobra.Command { return conform.Command() }},
	{"demo", func(joining) *cobra.Command { return demo.Command() }},
	{"doctor", func(joining) *cobra.Command { return doctor.Command(cli.Parley) }},
	{"flint", serve.Flint},
	{"grants", func(joining) *cobra.Command { return grants.Command() }},
	{"host", func(joining) *cobra.Command { return serve.HostControl() }},
	{"hosts", func(joining) *cobra.Command { return hosts.Command() }},
	{"loaf", serve.Loaf},
	{manName, func(joining) *cobra.Command { return man.Command() }},
	{"mcp", func(joining) *cobra.Command { return mcpcmd.Command() }},
	{"models", func(joining) *cobra.Command { return models.Command() }},
	{"pisces", serve.Pisces},
	{"rpc", serve.Native},
	{"run", func(joining) *cobra.Command { return run.Command(cli.Parley) }},
	{"scaiflux", serve.ScaiFlux},
	{"schema", func(joining) *cobra.Command { return schemaCommand() }},
	{"serve", func(joining) *cobra.Command { return serve.Host() }},
	{"sessions", func(joining) *cobra.Command { return sessions.Command(replay.Command()) }},
	{"tui", func(joining) *cobra.Command { return tui.Command() }},
	{"version", func(joining) *cobra.Command { return cli.VersionCommand() }},
}

// manName is the command that makes pages of all commands.
const manName = "man"

// newRoot returns the command that words are for. When they begin with the name of one of its commands, it has no other: a client
// waits for the start, and so do scripts.
func newRoot(j joining, words []string, more []func() *cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:   "parley [PROMPT]",
		Short: "A coding agent engine that other programs drive over stdio",
		Long: `Parley is one coding-agent engine that speaks existing wire protocols over stdio.
Start it in place of the agent that your client expects, or try it:

  parley                          work with it in the terminal; parley "fix the test" begins with a prompt
  parley demo                     run a client against a server, offline
  parley run "list the go files"  one prompt, one answer
  parley scaiflux serve           the ScaiFlux serve protocol
  parley flint                    the Flint Agent Harness Protocol
  parley codex app-server         the app-server protocol of Codex
  parley pisces --mode rpc        the RPC mode of the pi family
  parley loaf rpc                 loaf's RPC mode
  parley agentair                 agent-air's server messages
  parley acp                      the Agent Client Protocol, for editors`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	if one := named(words); one != nil {
		root.AddCommand(one(j))
		root.CompletionOptions.DisableDefaultCmd = true
	} else {
		for _, c := range commands {
			root.AddCommand(c.make(j))
		}
		addHostCommands(root, more)
		root.Flags().AddFlagSet(new(start).flags())
	}
	root.SetHelpCommand(helpCommand())
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if errors.Is(err, cli.ErrVersion) {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), cli.VersionLine())
			return err
		}
		return flagError(err)
	})
	cli.AddVersionFlag(root)
	for _, cmd := range root.Commands() {
		if slices.Contains(cli.Dialects, cmd.Name()) && cmd.Flags().Lookup("version") == nil {
			cli.AddVersionFlag(cmd)
		}
	}
	cli.FinishFlags(root)
	return root
}

// named returns what makes the only command that a command line needs; nil if it needs more, as help and completions do.
func named(words []string) func(joining) *cobra.Command {
	if len(words) == 0 || words[0] == manName {
		return nil
	}
	for _, c := range commands {
		if c.name == words[0] {
			return c.make
		}
	}
	return nil
}
