package tui

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/cli/serve"
	"parley.dev/parley/internal/companion"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/engine"
)

// Name is the name of the command.
const Name = "tui"

// tuiFlags is the command line of tui.
type tuiFlags struct {
	workspace, resume, host, model, mode string
	plain, sessions                      bool
}

// Command returns the command that starts the terminal console.
func Command() *cobra.Command {
	var f tuiFlags
	cmd := &cobra.Command{
		Use: Name + " [PROMPT]", Short: "Work with the agent in the terminal", Args: promptArg,
		Long: `Work with the agent in the terminal, and begin with the PROMPT if there is one. parley alone does the same on a terminal.

The sessions are those of the host of the state folder if one runs (parley serve), else those of a process that ends
with the console. --plain prints one fact a line, without any control of the terminal, and is what happens where
standard input or output is no terminal. The keys are in docs/tui.md, and on the screen after ?.`,
		PreRunE: func(*cobra.Command, []string) error { return f.check() },
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.Failed(f.start(strings.Join(args, ""), cli.StoreFlagsOf(cmd)))
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.workspace, "workspace", "w", "", "folder to work in (default: the current one)")
	flags.StringVar(&f.resume, "resume", "", "open a session: an id, the beginning of one, or latest")
	flags.BoolVar(&f.sessions, "sessions", false, "begin with the list of sessions")
	flags.StringVar(&f.host, "host", "", "where the sessions are: auto (the host if one runs), unix:PATH, ws://HOST:PORT, wss://HOST:PORT or off (default: PARLEY_HOST, or auto)")
	flags.BoolVar(&f.plain, "plain", false, "print lines, and never control the terminal")
	flags.StringVarP(&f.model, "model", "m", "", "model of the session")
	flags.StringVar(&f.mode, "mode", "", "permission mode of the session: read-only, plan, workspace-write, prompt or danger-full-access")
	cli.AddStoreFlags(flags)
	cli.SetChoices(flags, "mode", cli.ModeWords...)
	return cmd
}

// promptArg refuses a second argument.
func promptArg(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("unexpected argument %q: put the PROMPT in quotes", args[1])
	}
	return nil
}

// check reports what is wrong with the flags.
func (f tuiFlags) check() error {
	if f.mode != "" {
		if _, err := approval.ParseMode(f.mode); err != nil {
			return fmt.Errorf("--mode: %w", err)
		}
	}
	_, err := serve.ParseHost(f.host, os.Getenv)
	return err
}

// start replaces this process by the console.
func (f tuiFlags) start(prompt string, store cli.StoreFlags) error {
	settings, err := config.Load(os.Getenv)
	if err != nil {
		return err
	}
	if err := store.Apply(&settings.Settings); err != nil {
		return err
	}
	address, _ := serve.ParseHost(f.host, os.Getenv) // it is checked
	if address, err = serve.FindHost(address, settings.Home, os.Getenv); err != nil {
		return err
	}
	workspace := cmp.Or(f.workspace, ".")
	if !serve.IsRemote(address) || f.workspace == "" { // else it is a folder of another machine
		if workspace, err = engine.Workspace(workspace); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if !serve.IsRemote(address) {
		companion.Distrust(workspace)
	}
	console, err := companion.Find(companion.Console, self)
	if err != nil {
		return err
	}
	keys, err := json.Marshal(settings.TUI.Keys, json.Deterministic(true))
	if err != nil {
		return err
	}
	args := []string{
		"--parley=" + self, "--parley-version=" + cli.Version, "--host=" + address, "--workspace=" + workspace, "--resume=" + f.resume, "--model=" + f.model, "--mode=" + f.mode,
		"--prompt=" + prompt, "--state=" + filepath.Join(settings.Home, Name), "--theme=" + settings.TUI.Theme, "--keys=" + string(keys),
	}
	if settings.SignIn.Issuer != "" {
		args = append(args, "--sign-in=parley acp --sign-in")
	}
	if settings.TUI.Vi {
		args = append(args, "--vi")
	}
	if f.sessions {
		args = append(args, "--sessions")
	}
	if f.plain {
		args = append(args, "--plain")
	}
	err = syscall.Exec(console, append([]string{console}, args...), append(os.Environ(), store.Environ()...))
	return fmt.Errorf("start %s: %w", console, err)
}
