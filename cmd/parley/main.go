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

	"parley.dev/parley/internal/terminal"
)

// version and commit are set at build time; see version.go.
var version = "0.1.0"

// commit is the revision of the source; "" where the build did not say it.
var commit string

func main() { os.Exit(run(os.Args)) }

// run is the whole program: arguments in, exit code out.
func run(args []string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "parley: internal error: %v\n%s", p, debug.Stack())
			code = exitInternal
		}
	}()
	root, out := newRoot(), &stdout{file: os.Stdout}
	root.SetOut(out)
	cmd, err := execute(root, personaArgs(args))
	if out.err != nil {
		err = failed(fmt.Errorf("write standard output: %w", out.err)) // the command's own error follows from it
	}
	if err == nil {
		return exitOK
	}
	if e, ok := errors.AsType[*exitError](err); ok {
		if e.err != nil {
			fmt.Fprintln(os.Stderr, "parley:", terminal.Clean(e.err.Error()))
		}
		return e.code
	}
	fmt.Fprintf(os.Stderr, "parley: %s\n%s", terminal.Clean(err.Error()), cmd.UsageString())
	return exitUsage // a flag or an argument that is wrong
}

// personaArgs returns the command line without the program's name, and with the command of
// the dialect that the name stands for before it.
func personaArgs(args []string) []string {
	name := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	name = cmp.Or(personaAliases[name], name)
	if slices.Contains(personas, name) {
		return append([]string{name}, args[1:]...)
	}
	return args[1:] // a link named codex says app-server itself
}

// personas are the dialects that can be started by program name.
var personas = []string{"scaiflux", "flint", "loaf", "agentair", "pisces"}

// personaAliases are other names of their programs.
var personaAliases = map[string]string{"omp": "pisces", "agent-air": "agentair"}

// The exit codes; docs/exit-codes.md.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitUnfinished  = 3 // run: the turn ended at a limit
	exitInternal    = 70
	exitInterrupted = 130
)

// An exitError ends the program with a code; err may be nil when all was said.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// failed makes err end the program with exitFailed; nil stays nil.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitFailed, err}
}
