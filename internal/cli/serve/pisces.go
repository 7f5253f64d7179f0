package serve

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/cli/models"
	"parley.dev/parley/internal/cli/sessions"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/pisces"
	"parley.dev/parley/internal/dialect/pisces/sessionfile"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/export/html"
	"parley.dev/parley/internal/skill"
	"parley.dev/parley/internal/subagent/definition"
	"parley.dev/parley/internal/wire"
)

// Pisces returns the command that serves the Pisces protocol, with the other modes of the original.
func Pisces() *cobra.Command {
	return &cobra.Command{
		Use: "pisces --mode rpc", Aliases: []string{"omp"}, DisableFlagParsing: true, // what is not known is ignored
		Short: "Serve the RPC mode of the pi family: JSON lines, one session at a time",
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := parsePisces(args)
			switch {
			case err != nil:
				return inItsWords(err)
			case o.help:
				fmt.Fprint(cmd.OutOrStdout(), o.usage())
				return nil
			case o.version:
				fmt.Fprintln(cmd.OutOrStdout(), cli.Version)
				return nil
			case o.listSessions:
				return runAs(cmd, sessions.List())
			case o.listModels:
				return runAs(cmd, models.Command())
			case o.export != "":
				return cli.WithApp(func(a *app.App, cmd *cobra.Command, _ []string) error { return exportPisces(a, cmd, o) })(cmd, nil)
			case o.mode != "rpc":
				return inItsWords(o.badMode())
			}
			return servePisces(o)
		},
	}
}

// inItsWords ends the program with an error as the original says it.
func inItsWords(err error) error {
	fmt.Fprintln(os.Stderr, err)
	return &cli.ExitError{Code: cli.ExitFailed}
}

// runAs runs another command without arguments.
func runAs(cmd, other *cobra.Command) error {
	other.SetArgs([]string{})
	other.SetOut(cmd.OutOrStdout())
	return other.Execute()
}

// servePisces binds the protocol to stdin and stdout.
func servePisces(o *piscesOptions) error {
	settings, err := config.Load(os.Getenv)
	if err != nil {
		return cli.Failed(err)
	}
	settings.Grace = time.Second
	flags := o.flags
	flags.Home = config.HomeDir(os.Getenv)
	flags.ErrorIDs = os.Getenv("PARLEY_RPC_ERROR_IDS") == "1"
	if flags.Cwd, err = engine.Workspace(o.dir(flags.Home)); err != nil {
		return cli.Failed(err)
	}
	if flags.NoSession {
		if settings.Home, err = os.MkdirTemp("", "parley-*"); err != nil {
			return cli.Failed(err)
		}
		defer os.RemoveAll(settings.Home)
	}
	out, err := wire.ProtectStdout()
	if err != nil {
		return cli.Failed(err)
	}
	a, err := cli.Assemble(settings)
	if err != nil {
		return cli.Failed(err)
	}
	defer a.Close()
	for _, text := range o.warnings {
		a.Log.Warn(text)
	}
	locate(a, &flags)
	o.readPrompts(&flags)
	useGivenKey(a, o)
	if err := o.chooseModel(a.Host, &flags); err != nil {
		return inItsWords(err)
	}
	a.Agents = definition.Places{Project: []string{filepath.Join(flags.Project, "agents")}, User: []string{filepath.Join(flags.Agent, "agents")}}
	a.Sweep(context.Background())
	stop := cli.NotifyStop()
	cli.ForgetStart()
	chosen := piscesSettings(a, flags)
	code, err := pisces.Serve(context.Background(), pisces.Config{
		Host: a.Host, In: os.Stdin, Out: out, Log: a.Log, Flags: flags, Stop: stop.Asked,
		Settings: chosen, Extensions: startExtensions(a, flags, o, chosen), Page: writePage, BaseURL: a.Models.BaseURL,
		Skills: func() skill.Places { return a.SkillPlaces(flags.Cwd) },
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if s, ok := stop.Signal().(syscall.Signal); ok && code == cli.ExitOK {
		code = 128 + int(s)
	}
	if code != cli.ExitOK {
		return &cli.ExitError{Code: code}
	}
	return nil
}

// useGivenKey takes the key of the command line: it is of the provider named there, or in the model.
func useGivenKey(a *app.App, o *piscesOptions) {
	name := o.provider
	if i := strings.IndexByte(o.model, '/'); name == "" && i > 0 {
		name = o.model[:i]
	}
	if o.apiKey != "" && name != "" {
		a.Models.ForceKey(name, o.apiKey)
	}
}

// locate says where what is no session is kept.
func locate(a *app.App, flags *pisces.Flags) {
	flags.Project = os.Getenv("PI_CONFIG_DIR")
	if flags.Project == "" {
		flags.Project = ".pisces"
	}
	flags.Agent = os.Getenv("PI_CODING_AGENT_DIR")
	flags.Sessions = filepath.Join(flags.Agent, "sessions")
	if flags.Agent == "" {
		flags.Agent = filepath.Join(flags.Home, ".pisces", "agent")
		flags.Sessions = filepath.Join(a.Settings.Home, "pisces", "sessions")
	}
}

func piscesSettings(a *app.App, flags pisces.Flags) *pisces.Settings {
	files := pisces.SettingsFiles{
		Agent: flags.Agent, Project: filepath.Join(flags.Cwd, flags.Project), Chosen: filepath.Join(a.Settings.Home, "pisces.json"),
	}
	return pisces.ReadSettings(files, a.Log)
}

// writePage writes a session as an HTML page.
func writePage(w io.Writer, title string, records iter.Seq2[event.Record, error], blob func(address string) ([]byte, error)) error {
	return html.Write(w, records, html.Options{Title: title, Version: cli.Version, Blob: blob})
}

// exportPisces writes the page of a session, or of a session file, and prints its path.
func exportPisces(a *app.App, cmd *cobra.Command, o *piscesOptions) error {
	flags := o.flags
	flags.Home = config.HomeDir(os.Getenv)
	locate(a, &flags)
	var err error
	if flags.Cwd, err = os.Getwd(); err != nil {
		return err
	}
	saved, err := sessionfile.Find(context.Background(), a.Host, sessionfile.Folders{Cwd: flags.Cwd, Home: flags.Home, Agent: flags.Agent}, o.export)
	if err != nil {
		return err
	}
	path := saved.PageName
	if len(o.rest) > 0 {
		path = o.rest[0]
	}
	if err := cli.WriteFile(path, func(w io.Writer) error { return writePage(w, "", saved.Records, saved.Blob) }); err != nil {
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), path)
	return nil
}
