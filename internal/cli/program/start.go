package program

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/cli/tui"
	"parley.dev/parley/internal/engine"
)

// This file translates command lines without a command, such as `parley "fix the test"` and `parley -p -c "go on"`, into
// those of run and tui.

// A start is a command line without a command.
type start struct {
	print, last, json      bool
	resume                 string // chosen: a list is shown, or the first word is the session
	model, workspace, mode string
}

// chosen is the value of --resume without one.
const chosen = "list"

// flags returns the flags of s.
func (s *start) flags() *pflag.FlagSet {
	flags := pflag.NewFlagSet("parley", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.BoolVarP(&s.print, "print", "p", false, "print the answer and exit: parley run")
	flags.BoolVarP(&s.last, "continue", "c", false, "continue the session that was used last in this folder")
	flags.StringVarP(&s.resume, "resume", "r", "", "continue a session: its `ID` or the beginning of it; without one, choose from a list of them")
	flags.Lookup("resume").NoOptDefVal = chosen
	flags.StringVarP(&s.model, "model", "m", "", "provider/model-id")
	flags.StringVarP(&s.workspace, "workspace", "w", "", "folder to work in (default: the current one)")
	flags.StringVar(&s.mode, "permission-mode", "", "read-only, plan, workspace-write, prompt or danger-full-access")
	flags.BoolVar(&s.json, "json", false, "with --print: print records as JSON lines")
	cli.SetChoices(flags, "permission-mode", cli.ModeWords...)
	cli.AcceptSynonyms(flags)
	return flags
}

// startArgs returns the command line of run or tui that args mean, and args themselves where they name a command or have
// other flags. On a terminal, the prompt is for the console. The error is one of usage.
func startArgs(args []string, onTerminal bool) ([]string, error) {
	if len(args) == 0 && !onTerminal || len(args) > 0 && !strings.HasPrefix(args[0], "-") && !isText(args[0]) {
		return args, nil
	}
	var s start
	flags := s.flags()
	flags.Usage = func() {}
	switch err := flags.Parse(joinResume(args)); {
	case err == nil:
	case errors.Is(err, pflag.ErrHelp) || isVersion(err) || !s.given() && !slices.ContainsFunc(args, isText) && flagsAreRight(args):
		return args, nil // a command after flags of its own, or before some
	default:
		if foreignFlag(err) != "" {
			return nil, flagError(err)
		}
		return nil, fmt.Errorf("%w; other flags are those of parley run and parley tui", flagError(err))
	}
	words := flags.Args()
	if len(words) > 0 && !isText(words[0]) && !s.given() {
		return args, nil // a command after flags of its own
	}
	switch {
	case len(words) > 1 && !s.print:
		return nil, fmt.Errorf("unexpected argument %q: put the PROMPT in quotes", words[1])
	case s.last && s.resume != "":
		return nil, errors.New("--continue and --resume exclude each other")
	case s.last:
		s.resume = engine.Latest
	}
	if s.print || len(words) > 0 && !onTerminal {
		return s.runArgs(words)
	}
	return s.consoleArgs(words)
}

// isVersion reports whether err is about the flag of the version, which each command has.
func isVersion(err error) bool {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	return ok && (unknown.GetSpecifiedName() == "version" || unknown.GetSpecifiedName() == "v")
}

// flagsAreRight reports whether the flags before the first word of args are those of a command line without a command.
func flagsAreRight(args []string) bool {
	flags := new(start).flags()
	flags.Usage = func() {}
	flags.SetInterspersed(false)
	return flags.Parse(args) == nil
}

// given reports whether a flag was given that no command has.
func (s *start) given() bool { return s.print || s.last || s.resume != "" }

// joinResume returns args with the session of --resume, if one follows it, in one word with the flag, whose value is optional.
func joinResume(args []string) []string {
	var joined []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(joined, args[i:]...)
		}
		if (arg == "-r" || arg == "--resume") && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") && !isText(args[i+1]) {
			i++
			arg = "--resume=" + args[i]
		}
		joined = append(joined, arg)
	}
	return joined
}

// isText reports whether a word of the command line can only be a prompt.
func isText(word string) bool { return strings.ContainsAny(strings.TrimSpace(word), " \t\n") }

// runArgs returns the command line of run.
func (s *start) runArgs(prompt []string) ([]string, error) {
	if s.resume == chosen {
		return nil, errors.New("--resume needs the ID of a session here, or use --continue")
	}
	args := withFlags("run", [][2]string{{"--resume", s.resume}, {"--model", s.model}, {"--workspace", s.workspace}, {"--permission-mode", s.mode}})
	if s.json {
		args = append(args, "--json")
	}
	return append(append(args, "--"), prompt...), nil
}

// consoleArgs returns the command line of tui.
func (s *start) consoleArgs(prompt []string) ([]string, error) {
	if s.json {
		return nil, errors.New("--json is for --print")
	}
	list := s.resume == chosen
	if list {
		s.resume = ""
	}
	args := withFlags(tui.Name, [][2]string{{"--resume", s.resume}, {"--model", s.model}, {"--workspace", s.workspace}, {"--mode", s.mode}})
	if list {
		args = append(args, "--sessions")
	}
	return append(append(args, "--"), prompt...), nil
}

// withFlags returns a command line with the flags that have a value.
func withFlags(command string, flags [][2]string) []string {
	args := []string{command}
	for _, f := range flags {
		if f[1] != "" {
			args = append(args, f[0]+"="+f[1])
		}
	}
	return args
}
