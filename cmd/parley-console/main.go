// Parley-console is the terminal console, and renders pages of sessions: parley starts it, with arguments that are internal to the two.
package main

import (
	"fmt"
	"os"
	"runtime/debug"

	"github.com/go-json-experiment/json"
	"github.com/spf13/pflag"

	"parley.dev/parley/internal/export/page"
	pages "parley.dev/parley/internal/export/page/program"
	"parley.dev/parley/internal/tui/program"
)

func main() { os.Exit(run()) }

// run runs the console and returns the exit code.
func run() (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "parley: internal error: %v\n%s", p, debug.Stack())
			code = 70
		}
	}()
	if len(os.Args) > 1 && os.Args[1] == page.Command {
		return pages.Run()
	}
	o := program.Options{Token: os.Getenv("PARLEY_TOKEN"), Getenv: os.Getenv}
	var keys string
	flags := pflag.NewFlagSet("parley-console", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.Usage = func() {
		fmt.Fprintf(os.Stderr, "The terminal console of Parley. Start it with `parley tui`: its own flags are internal.\n\n%s", flags.FlagUsages())
	}
	flags.StringVar(&o.Parley, "parley", "", "path of the program parley")
	flags.StringVar(&o.Version, "parley-version", "", "version of the program parley")
	flags.StringVar(&o.Host, "host", "", "unix:PATH, ws://… or wss://…; default: a process of the console")
	flags.StringVar(&o.Workspace, "workspace", "", "absolute path of the folder to work in")
	flags.StringVar(&o.Resume, "resume", "", "session to open")
	flags.BoolVar(&o.Sessions, "sessions", false, "begin with the list of sessions")
	flags.StringVar(&o.Prompt, "prompt", "", "first prompt")
	flags.StringVar(&o.Model, "model", "", "model of the session")
	flags.StringVar(&o.Mode, "mode", "", "permission mode of the session")
	flags.BoolVar(&o.Plain, "plain", false, "print lines")
	flags.StringVar(&o.State, "state", "", "folder for the prompts")
	flags.StringVar(&o.Theme, "theme", "", "dark, light or contrast")
	flags.StringVar(&o.SignIn, "sign-in", "", "command that signs the user in to a provider")
	flags.BoolVar(&o.Vi, "vi", false, "keys of vi in the input")
	flags.StringVar(&keys, "keys", "", "JSON object: the keys of actions")
	err := flags.Parse(os.Args[1:])
	switch {
	case err == pflag.ErrHelp:
		return 0
	case err == nil && keys != "":
		err = json.Unmarshal([]byte(keys), &o.Keys)
	}
	if err == nil && (o.Workspace == "" || o.Host == "" && o.Parley == "" || flags.NArg() > 0) {
		err = fmt.Errorf("start the console with `parley tui`")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "parley-console:", err)
		return 2
	}
	return program.Run(o)
}
