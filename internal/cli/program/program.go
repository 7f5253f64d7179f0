package program

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/cli/serve"
	"parley.dev/parley/internal/companion"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/terminal"
)

// Run runs the command that the arguments of the process name, and returns the exit code. The program links what its main
// says, and has more commands; parley-host is executed in its place where a command or the settings need what it lacks.
func Run(links cli.Links, more ...func() *cobra.Command) (code int) {
	args := os.Args
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "parley: internal error: %v\n%s", p, debug.Stack())
			code = cli.ExitInternal
		}
	}()
	cli.Linked = links
	caller := companion.Caller()
	err := checkCaller(caller)
	joining, words, joiningErr := serve.ParseJoining(personaArgs(args), os.Getenv)
	err = cmp.Or(err, joiningErr)
	root, out := newRoot(joining, words, more), &stdout{file: os.Stdout}
	root.SetOut(out)
	cmd := root
	if err == nil {
		words, err = startArgs(words, terminal.Is(os.Stdin) && terminal.Is(os.Stdout))
	}
	if err == nil {
		err = elsewhere(words)
	}
	if err == nil {
		cmd, err = execute(root, words)
	}
	if out.err != nil {
		err = cli.Failed(fmt.Errorf("write standard output: %w", out.err)) // the command's own error follows from it
	}
	if missing, ok := errors.AsType[*app.ElsewhereError](err); ok {
		err = cli.Failed(replace(missing, caller))
	}
	if err == nil {
		return cli.ExitOK
	}
	if e, ok := errors.AsType[*cli.ExitError](err); ok {
		if e.Err != nil {
			printError(e.Err)
		}
		return e.Code
	}
	fmt.Fprintf(os.Stderr, "Usage: %s; for its flags: %s --help\nparley: %s\n", cmd.UseLine(), cmd.CommandPath(), terminal.Clean(err.Error()))
	return cli.ExitUsage // a flag or an argument that is wrong
}

// printError prints an error, and what helps. It is not a part of Run, whose stack would grow at each start for the 4 KB of a config.Config.
func printError(failure error) {
	fmt.Fprintln(os.Stderr, "parley:", terminal.Clean(failure.Error()))
	settings, _ := config.Load(os.Getenv) // what is wrong with it is reported where it matters
	if fix := cli.DiskFix(failure, settings.Home); fix != "" {
		fmt.Fprintln(os.Stderr, fix)
	}
}

// Find returns the command that a command line without the name of the program names, and its arguments. The program has more
// commands, and joins no host.
func Find(words []string, more ...func() *cobra.Command) (*cobra.Command, []string, error) {
	words, err := startArgs(words, true)
	if err != nil {
		return nil, nil, err
	}
	root := newRoot(serve.Joining{}, words, more)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root.Find(words)
}

// personaArgs returns the command line without the program's name, and with the command of
// the dialect that the name stands for before it.
func personaArgs(args []string) []string {
	name := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	name = cmp.Or(personaAliases[name], name)
	if slices.Contains(cli.Dialects, name) {
		return append([]string{name}, args[1:]...)
	}
	return args[1:]
}

// personaAliases are other names of their programs.
var personaAliases = map[string]string{"omp": "pisces", "agent-air": "agentair", "parley-acp": "acp"}
