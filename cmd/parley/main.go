// Command parley is one coding-agent engine behind several existing wire protocols. Under
// the name of one of them (a link or a copy named "scaiflux", say) it takes that agent's
// own command line.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/cli/serve"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/terminal"
)

func main() { os.Exit(exitCode(os.Args)) }

// exitCode runs the command that the arguments name, and returns the exit code of the program.
func exitCode(args []string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "parley: internal error: %v\n%s", p, debug.Stack())
			code = cli.ExitInternal
		}
	}()
	joining, words, err := serve.ParseJoining(personaArgs(args), os.Getenv)
	root, out := newRoot(joining, words), &stdout{file: os.Stdout}
	root.SetOut(out)
	cmd := root
	if err == nil {
		words, err = startArgs(words, terminal.Is(os.Stdin) && terminal.Is(os.Stdout))
	}
	if err == nil {
		cmd, err = execute(root, words)
	}
	if out.err != nil {
		err = cli.Failed(fmt.Errorf("write standard output: %w", out.err)) // the command's own error follows from it
	}
	if err == nil {
		return cli.ExitOK
	}
	if e, ok := errors.AsType[*cli.ExitError](err); ok {
		if e.Err != nil {
			fmt.Fprintln(os.Stderr, "parley:", terminal.Clean(e.Err.Error()))
			settings, _ := config.Load(os.Getenv) // what is wrong with it is reported where it matters
			if fix := cli.DiskFix(e.Err, settings.Home); fix != "" {
				fmt.Fprintln(os.Stderr, fix)
			}
		}
		return e.Code
	}
	fmt.Fprintf(os.Stderr, "Usage: %s; for its flags: %s --help\nparley: %s\n", cmd.UseLine(), cmd.CommandPath(), terminal.Clean(err.Error()))
	return cli.ExitUsage // a flag or an argument that is wrong
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
