package program

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley.dev/parley/internal/cli"
)

// This file reports command lines that are wrong.

// stdout is standard output. It remembers the first error, so that a command whose output was
// lost fails although it did not look at each write.
type stdout struct {
	file *os.File
	err  error
}

func (s *stdout) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	if err != nil && s.err == nil {
		s.err = err
		if detail, ok := errors.AsType[*fs.PathError](err); ok {
			s.err = detail.Err // without a path: standard output has none
		}
	}
	return n, err
}

// Fd returns the descriptor: whether it is a terminal matters to what is printed.
func (s *stdout) Fd() uintptr { return s.file.Fd() }

// execute runs the command that args name, and returns it.
func execute(root *cobra.Command, args []string) (*cobra.Command, error) {
	root.SetArgs(args)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	if group, word := unknownCommand(root, args); group != nil {
		return group, unknownError(group, word, fmt.Sprintf("to send it as a prompt: parley run %q", word))
	}
	return root.ExecuteC()
}

// unknownCommand returns the group of commands in which args name one that it does not have.
// cobra prints the help of such a group and succeeds.
func unknownCommand(root *cobra.Command, args []string) (group *cobra.Command, word string) {
	found, rest, _ := root.Find(args)
	if found == nil || found.Runnable() || !found.HasSubCommands() {
		return nil, ""
	}
	if len(rest) > 0 && strings.HasPrefix(rest[0], cobra.ShellCompRequestCmd) {
		return nil, "" // a shell that completes a line; cobra adds this command when it runs
	}
	for _, arg := range rest {
		if !strings.HasPrefix(arg, "-") {
			return found, arg
		}
	}
	return nil, ""
}

// unknownError returns the error of a command that group does not have, with what is meant perhaps, and else with the advice.
func unknownError(group *cobra.Command, word, advice string) error {
	if word == "" {
		return errors.New("the prompt is empty")
	}
	unknown := fmt.Sprintf("unknown command %q for %q", word, group.CommandPath())
	group.SuggestionsMinimumDistance = 1
	if len(word) > 4 { // shorter ones are like too many others
		group.SuggestionsMinimumDistance = 2
	}
	near := group.SuggestionsFor(word)
	switch {
	case group.HasParent() && len(near) == 0:
		var names []string
		for _, sub := range group.Commands() {
			if sub.IsAvailableCommand() {
				names = append(names, sub.Name())
			}
		}
		return fmt.Errorf("%s; possible are %s", unknown, strings.Join(names, ", "))
	case !group.HasParent() && foreignTasks[word] != "":
		return fmt.Errorf("%s: %s", unknown, foreignTasks[word])
	case !group.HasParent() && foreignCommands[word] != "":
		return fmt.Errorf("%s; did you mean %q?", unknown, foreignCommands[word])
	case len(near) > 0:
		return fmt.Errorf("%s; did you mean %q?", unknown, near[0])
	}
	return fmt.Errorf("%s; %s", unknown, advice)
}

// foreignCommands are commands of other agents, with what does the same here.
var foreignCommands = map[string]string{
	"ask": "parley run PROMPT", "attach": "parley tui --host URL", "chat": "parley tui", "continue": "parley --continue",
	"exec": "parley run PROMPT", "export": "parley sessions export ID", "prompt": "parley run PROMPT", "resume": "parley --resume ID", "web": "parley serve --web",
}

// foreignTasks are commands of other agents for what no command does here, with what does it.
var foreignTasks = map[string]string{
	"login":   "keys of models are environment variables, such as ANTHROPIC_API_KEY; parley doctor lists them",
	"logout":  "keys of models are environment variables, such as ANTHROPIC_API_KEY; parley doctor lists them",
	"auth":    "keys of models are environment variables, such as ANTHROPIC_API_KEY; parley doctor lists them",
	"upgrade": "replace the programs to upgrade, and start parley serve again; docs/service.md describes it",
	"update":  "replace the programs to upgrade, and start parley serve again; docs/service.md describes it",
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Print the help of a command",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			group, _, err := cmd.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, sub := range group.Commands() {
				if sub.IsAvailableCommand() {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, _ := cmd.Root().Find(args)
			if len(rest) > 0 {
				return unknownError(found, rest[0], "parley help lists them")
			}
			found.InitDefaultHelpFlag()
			found.InitDefaultVersionFlag()
			return cli.Failed(found.Help())
		},
	}
}

// foreignFlags are flags of other agents, with what does the same here.
var foreignFlags = map[string]string{
	"a": "parley run --sandbox workspace-write --approval-policy on-request", "ask-for-approval": "parley run --sandbox workspace-write --approval-policy on-request",
	"allowedTools": "parley grants allow", "C": "--workspace FOLDER", "i": "parley run --image FILE", "max-turns": "parley run --max-steps N",
	"mode": "--permission-mode", "provider": "--model PROVIDER/MODEL",
	"dangerously-bypass-approvals-and-sandbox": "--permission-mode danger-full-access", "dangerously-skip-permissions": "--permission-mode danger-full-access",
	"full-auto": "parley run --sandbox workspace-write", "output-format": "--json", "yolo": "--permission-mode danger-full-access",
}

// foreignFlag returns what does the same as the unknown flag of err; "": nothing is known.
func foreignFlag(err error) string {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return foreignFlags[unknown.GetSpecifiedName()]
	}
	return ""
}

// flagError returns the error of a flag that there is not, with what is meant perhaps, or of one whose value was refused, with what
// was expected in its place.
func flagError(err error) error {
	if own := foreignFlag(err); own != "" {
		return fmt.Errorf("%w; did you mean %q?", err, own)
	}
	invalid, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	expected, ok := flagTypes[invalid.GetFlag().Value.Type()]
	if !ok {
		return fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), errors.Unwrap(invalid))
	}
	return fmt.Errorf("--%s %q: expected %s", invalid.GetFlag().Name, invalid.GetValue(), expected)
}

// flagTypes are the values of flags by pflag's names of their types.
var flagTypes = map[string]string{"int": "a whole number", "bool": "true or false", "duration": "a time such as 30m or 8h"}
