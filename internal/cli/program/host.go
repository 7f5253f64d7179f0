package program

import (
	"fmt"
	"maps"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/companion"
	"parley.dev/parley/internal/config"
)

// This file executes parley-host in the place of this program.

// hostCommands are the commands that parley-host has, with what the help says of them.
var hostCommands = map[string]string{
	"batch":  "Run many tasks, each in a session and a worktree of its own",
	"store":  "Make, check and maintain a store on NATS servers",
	"worker": "Run tasks of batches",
}

// HostCommands returns the commands of parley-host by name, with what the help says of them.
func HostCommands() map[string]string { return maps.Clone(hostCommands) }

// addHostCommands adds the commands of parley-host, or what stands for them in the help.
func addHostCommands(root *cobra.Command, commands []func() *cobra.Command) {
	for _, command := range commands {
		root.AddCommand(command())
	}
	if isHost() {
		return
	}
	for name, short := range hostCommands {
		root.AddCommand(&cobra.Command{
			Use: name, Short: short, DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error { return &app.ElsewhereError{What: "parley " + name} },
		})
	}
}

// isHost reports whether this program is parley-host.
func isHost() bool { return cli.Linked.OpenShared != nil }

// elsewhere returns an error if the words of a command line are for parley-host.
func elsewhere(words []string) error {
	if isHost() || len(words) == 0 {
		return nil
	}
	completing := strings.HasPrefix(words[0], cobra.ShellCompRequestCmd)
	about := words[0]
	if (completing || words[0] == "help") && len(words) > 1 {
		about = words[1]
	}
	if _, ok := hostCommands[about]; ok || words[0] == "man" { // pages of all commands
		return &app.ElsewhereError{What: "parley " + about}
	}
	if completing {
		return checkSettings()
	}
	return nil
}

// checkSettings returns an error if the settings are for parley-host. What is wrong with them is no answer to a shell.
func checkSettings() error {
	if settings, err := config.Load(os.Getenv); err == nil {
		return cli.Linked.Check(settings.Settings, os.Getenv)
	}
	return nil
}

// checkCaller returns an error if parley of another version has executed this program in its place.
func checkCaller(version string) error {
	if version == "" || version == companion.Version {
		return nil
	}
	return cli.Failed(fmt.Errorf("parley is version %s and %s is version %s: install both from one release", version, companion.Host, companion.Version))
}

// replace executes parley-host in the place of this program. It returns only with an error.
func replace(missing *app.ElsewhereError, caller string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if caller != "" || isHost() {
		return fmt.Errorf("%s needs the program %s, and %s is another one", missing.What, companion.Host, self)
	}
	companion.Distrust(values(os.Args[1:])...) // a workspace may be one of them
	host, err := companion.Find(companion.Host, self)
	if err == nil {
		err = companion.Replace(host, os.Args)
	}
	return fmt.Errorf("%s needs %s: %w", missing.What, companion.Host, err)
}

// values returns the words of a command line, and what is in one word with a flag without that flag.
func values(words []string) []string {
	var all []string
	for _, word := range words {
		switch _, value, long := strings.Cut(word, "="); {
		case !strings.HasPrefix(word, "-"):
			all = append(all, word)
		case long:
			all = append(all, value)
		case len(word) > 2 && word[1] != '-':
			all = append(all, word[2:])
		}
	}
	return all
}
