package conform

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/conform"
	"parley.dev/parley/internal/dialect/dialogue"
)

// formats are the values of --format.
var formats = []string{"text", "json", "junit"}

// conformFlags are the flags of the command.
type conformFlags struct {
	client, list, verbose bool
	cases                 []string
	format, output        string
	options               conform.Options
}

// Command returns the command conform.
func Command() *cobra.Command {
	var f conformFlags
	cmd := &cobra.Command{
		Use:   "conform DIALECT [flags] [-- COMMAND…]",
		Short: "Check a server or a client against a protocol, with a scripted model",
		Long: `Start COMMAND, any server of the protocol DIALECT, once for each case, as a client that follows the
protocol, makes mistakes, reads slowly, or disconnects, and check what the protocol's documentation
demands of every server. Its model is a server in this process that plays a script. Without COMMAND
the server is Parley's own. With --client, COMMAND is a client, and the scripted side is the server.

Placeholders in COMMAND, --env and the files of --home:
  {openai_url}    base of the scripted model for Chat Completions and Responses of OpenAI, with /v1
  {base_url}      the same for Messages of Anthropic, without /v1
  {key} {model}   its key and its name; it accepts any
  {home} {work}   the folders of the case: HOME, and the workspace
  {server}        with --client: a program without arguments that is the server on stdin and stdout
  {prompt}        with --client: what the client should send as its prompt
COMMAND gets PATH and the like from the environment, HOME={home}, and OPENAI_BASE_URL, OPENAI_API_KEY,
ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY of the scripted model. No other variables, so no keys.`,
		Example: `  parley conform codex
  parley conform pisces --home examples/conform/pi -- pi --mode rpc --provider conform --model {model}
  parley conform acp --format junit --output acp.xml -- my-agent --acp
  parley conform acp --client -- my-client --agent {server} --prompt {prompt}`,
		Args: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); at == 0 || len(args) == 0 {
				return errors.New("DIALECT is missing")
			} else if at < 0 && len(args) > 1 || at > 1 {
				return fmt.Errorf("unexpected argument %q; the command follows --", args[1])
			}
			return nil
		},
		ValidArgs: conform.Dialects(conform.Server),
		RunE: func(cmd *cobra.Command, args []string) error {
			suite, err := f.suite(args[0])
			if err != nil {
				return &cli.ExitError{Code: cli.ExitUsage, Err: err}
			}
			if f.list {
				return f.printCases(cmd, suite)
			}
			f.options.Command = args[1:]
			if err := f.check(suite); err != nil {
				return &cli.ExitError{Code: cli.ExitUsage, Err: err}
			}
			return f.run(cmd, suite)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.client, "client", false, "COMMAND is a client")
	flags.BoolVar(&f.list, "list", false, "print the cases and the documents they are from")
	flags.StringArrayVar(&f.cases, "case", nil, "play only cases of this name, such as turn or eof-*; repeat it for several")
	flags.StringArrayVar(&f.options.Env, "env", nil, "NAME=VALUE for COMMAND; repeat it for several")
	flags.StringVar(&f.options.Home, "home", "", "folder whose files are copied to the home folder of each case")
	flags.StringVar(&f.format, "format", formats[0], cli.Enumerate(formats, "or"))
	flags.StringVarP(&f.output, "output", "o", "", "file for the report (default: stdout)")
	flags.DurationVar(&f.options.Limit, "timeout", 30*time.Second, "how long a case may take")
	flags.DurationVar(&f.options.EndLimit, "end-timeout", 10*time.Second, "how long COMMAND may run after the end of its input")
	flags.IntVarP(&f.options.Parallel, "jobs", "j", 1, "cases at the same time")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "print the whole dialogues of cases that are not passed")
	cli.SetChoices(flags, "format", formats...)
	cmd.AddCommand(connectCommand())
	return cmd
}

// suite returns the cases that the flags choose.
func (f *conformFlags) suite(dialect string) (conform.Suite, error) {
	side := conform.Server
	if f.client {
		side = conform.Client
	}
	s, err := conform.Load(dialect, side)
	if err != nil || len(f.cases) == 0 {
		return s, err
	}
	return s.Select(f.cases)
}

// check completes the options; an error is one of the command line.
func (f *conformFlags) check(s conform.Suite) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	f.options.Self = self
	switch {
	case len(f.options.Command) > 0:
	case f.client:
		return errors.New("the command of the client is missing; it follows --")
	default:
		f.options.Command = append([]string{self}, ownServer(s.Dialect)...)
	}
	switch {
	case !slices.Contains(formats, f.format):
		return fmt.Errorf("--format %q is none of %s", f.format, cli.Enumerate(formats, "and"))
	case f.options.Limit <= 0 || f.options.EndLimit <= 0:
		return errors.New("--timeout and --end-timeout must be positive")
	case f.options.Parallel < 1:
		return fmt.Errorf("--jobs %d is less than 1", f.options.Parallel)
	}
	if f.options.Home != "" {
		if info, err := os.Stat(f.options.Home); err != nil {
			return fmt.Errorf("--home: %w", err)
		} else if !info.IsDir() {
			return fmt.Errorf("--home %s is no folder", f.options.Home)
		}
	}
	return f.options.Check()
}

// ownServer returns the arguments with which this program is a server of a dialect.
func ownServer(name string) []string {
	if d, ok := dialogue.Named(name); ok {
		return d.Args
	}
	return []string{"rpc"} // the native protocol, which no small client speaks
}
