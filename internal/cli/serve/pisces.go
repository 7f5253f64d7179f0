package serve

import (
	"context"
	"fmt"
	"io"
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
	"parley.dev/parley/internal/skill"
	"parley.dev/parley/internal/subagent/definition"
)

// Pisces returns the command that serves the Pisces protocol, with the other modes of the original.
func Pisces(j Joining) *cobra.Command {
	return &cobra.Command{
		Use: "pisces --mode rpc", Aliases: []string{"omp"}, DisableFlagParsing: true, // what is not known is ignored
		Short: "Serve the RPC mode of the pi family: JSON lines, one session at a time",
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := parsePisces(thisProcess, args)
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
				return runAs(cmd, sessions.List(), o.store.Args()...)
			case o.listModels:
				return runAs(cmd, models.Command())
			case o.export != "":
				cmd.Flags().AddFlagSet(o.set)
				return cli.WithReader(func(a *app.App, cmd *cobra.Command, _ []string) error { return exportPisces(a, cmd, o) })(cmd, nil)
			case o.mode != "rpc":
				return inItsWords(o.badMode())
			}
			return j.run(o.service(thisProcess))
		},
	}
}

// inItsWords ends the program with an error as the original says it.
func inItsWords(err error) error {
	fmt.Fprintln(os.Stderr, err)
	return &cli.ExitError{Code: cli.ExitFailed}
}

// runAs runs another command.
func runAs(cmd, other *cobra.Command, args ...string) error {
	other.SetArgs(append([]string{}, args...))
	other.SetOut(cmd.OutOrStdout())
	return other.Execute()
}

// service returns what serves the protocol.
func (o *piscesOptions) service(from caller) service {
	flags, remove := o.flags, func() {}
	s := service{dialect: "pisces", ownProcess: o.ownProcess(), store: o.store, flags: o.set}
	s.configure = func(settings *config.Config) (err error) {
		settings.Grace = time.Second
		flags.Home = config.HomeDir(os.Getenv)
		flags.ErrorIDs = from.getenv("PARLEY_RPC_ERROR_IDS") == "1"
		flags.DefaultModel = from.model
		if flags.Cwd, err = from.workspace(o.dir(from, flags.Home)); err != nil || !flags.NoSession {
			return err
		}
		temporary, end, err := cli.TemporaryFolder(*settings)
		if err != nil {
			return err
		}
		remove = end
		settings.Home, settings.StoreSettings = temporary, config.StoreSettings{}
		return nil
	}
	s.ended = func() { remove() }
	s.adapt = func(a *app.App) {
		locate(from, a, &flags)
		useGivenKey(a, o)
		a.Agents = definition.Places{Project: []string{filepath.Join(flags.Project, "agents")}, User: []string{filepath.Join(flags.Agent, "agents")}}
		a.Sweep(context.Background())
	}
	s.speak = func(ctx context.Context, a *app.App, c client) (int, error) {
		for _, text := range o.warnings {
			a.Log.Warn(text)
		}
		locate(from, a, &flags)
		if err := o.readPrompts(&flags); err != nil {
			return cli.ExitUsage, err
		}
		if err := o.chooseModel(c.sessions, &flags); err != nil {
			return cli.ExitFailed, err
		}
		chosen := piscesSettings(a, flags)
		cfg := pisces.Config{
			Host: c.sessions, Rights: c.rights, In: c.in, Out: c.out, Log: a.Log, Flags: flags, Stop: c.stop, Settings: chosen, Page: cli.WritePage, BaseURL: a.Models.BaseURL,
			Skills: func() skill.Places { return a.SkillPlaces(flags.Cwd) },
		}
		if c.host == nil { // an extension is part of the program, and would work in all sessions
			cfg.Extensions = startExtensions(a, flags, o, chosen)
		}
		code, err := pisces.Serve(ctx, cfg)
		if sig, ok := c.signal().(syscall.Signal); ok && code == cli.ExitOK {
			code = 128 + int(sig)
		}
		return code, err
	}
	return s
}

// ownProcess returns the option that asks for what a host cannot do for one client; "": there is none.
func (o *piscesOptions) ownProcess() string {
	switch {
	case o.flags.NoSession:
		return "--no-session"
	case o.apiKey != "":
		return "--api-key"
	case len(o.extensions) > 0:
		return "--extension"
	}
	return ""
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
func locate(from caller, a *app.App, flags *pisces.Flags) {
	flags.Project = from.getenv("PI_CONFIG_DIR")
	if flags.Project == "" {
		flags.Project = ".pisces"
	}
	flags.Agent = from.getenv("PI_CODING_AGENT_DIR")
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

// exportPisces writes the page of a session, or of a session file, and prints its path.
func exportPisces(a *app.App, cmd *cobra.Command, o *piscesOptions) error {
	flags := o.flags
	flags.Home = config.HomeDir(os.Getenv)
	locate(thisProcess, a, &flags)
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
	if err := cli.WriteFile(path, func(w io.Writer) error { return cli.WritePage(cmd.Context(), w, "", saved.Records, saved.Blob) }); err != nil {
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), path)
	return nil
}
