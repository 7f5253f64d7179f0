package serve

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/cli/doctor"
	"parley.dev/parley/internal/cli/run"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/scaiflux"
)

// ScaiFlux returns the commands of the original: serve, prompt, repl and so on.
func ScaiFlux(j Joining) *cobra.Command {
	cmd := &cobra.Command{
		Use: "scaiflux", Short: "Serve the ScaiFlux serve protocol: NDJSON, one session per process",
	}
	prompt := run.Command(scaifluxPersona)
	prompt.Use = "prompt [TEXT]"
	cmd.AddCommand(scaifluxServe(caller{getenv: scaifluxEnv}, j.run), scaifluxRepl(), prompt, doctor.Command(scaifluxPersona), scaifluxManifests(), cli.VersionCommand())
	return cmd
}

func scaifluxServe(from caller, do runner) *cobra.Command {
	var f scaiflux.Flags
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve one session over stdin and stdout", Args: cli.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkScaifluxFlags(cmd, &f); err != nil {
				return err
			}
			return do(scaifluxService(from, f).withStore(cmd))
		},
	}
	addScaifluxFlags(cmd, &f)
	addServeFlags(cmd.Flags())
	standard := approval.FullAccess
	if from.limited {
		standard = approval.Prompt
	}
	cmd.Flags().String("permission-mode", string(standard), "permission mode (new sessions), which permission requests report: read-only, workspace-write, prompt, plan or danger-full-access")
	cli.SetChoices(cmd.Flags(), "permission-mode", cli.ModeWords...)
	return cmd
}

// addScaifluxFlags adds the flags of a session, but for --permission-mode.
func addScaifluxFlags(cmd *cobra.Command, f *scaiflux.Flags) {
	flags := cmd.Flags()
	flags.StringVarP(&f.Model, "model", "m", "", "model ID (default: the session's, the project's, or the configured one)")
	flags.IntVar(&f.MaxTokens, "max-tokens", 0, "maximum number of output tokens of a model call (default: derived from the context window)")
	flags.StringVarP(&f.Workspace, "workspace", "w", ".", "root folder for tools")
	flags.IntVar(&f.MaxIterations, "max-iterations", 0, fmt.Sprintf("maximum number of tool rounds in a turn (default %d)", scaiflux.DefaultIterations))
	flags.StringVar(&f.Resume, "resume", "", "continue a session: latest, its id, the beginning of its id, or its path")
}

// checkScaifluxFlags reports flags that are wrong. It sets the mode.
func checkScaifluxFlags(cmd *cobra.Command, f *scaiflux.Flags) error {
	for _, name := range []string{"max-tokens", "max-iterations"} {
		if n, _ := cmd.Flags().GetInt(name); cmd.Flags().Changed(name) && n < 1 {
			return fmt.Errorf("--%s must be at least 1", name)
		}
	}
	mode, err := cmd.Flags().GetString("permission-mode")
	if err != nil || mode == "" && !cmd.Flags().Changed("permission-mode") { // repl: the configured one
		return err
	}
	f.SetMode = cmd.Flags().Changed("permission-mode")
	f.Mode, err = approval.ParseMode(mode)
	return err
}

// scaifluxService returns what serves the protocol. Every failure before the connection is a line of the protocol, too:
// the controller reads nothing else.
func scaifluxService(from caller, f scaiflux.Flags) service {
	credentials, credentialsErr := scaiflux.ReadCredentials(config.HomeDir(os.Getenv), os.Getenv)
	credentials.Model = cmp.Or(from.model, credentials.Model)
	return service{
		dialect: "scaiflux",
		configure: func(settings *config.Config) error {
			f.Workspace = from.path(f.Workspace)
			if strings.ContainsRune(f.Resume, filepath.Separator) {
				f.Resume = from.path(f.Resume)
			}
			return cli.ResumePath(settings, &f.Resume)
		},
		adapt: func(a *app.App) { adaptToScaiflux(a, credentials, credentialsErr) },
		refuse: func(out io.Writer, err error) error {
			scaiflux.RefuseStart(out, err)
			return cli.Failed(err)
		},
		speak: func(ctx context.Context, a *app.App, c client) (int, error) {
			return scaiflux.Serve(ctx, scaiflux.Config{
				Host: c.sessions, Rights: c.rights, In: c.in, Out: c.out, Log: a.Log, Version: cli.Version, Flags: f, Credentials: credentials, Stop: c.stop,
			}), nil
		},
	}
}

// scaifluxEnv returns the environment with the persona's own log variable where ours is not set.
func scaifluxEnv(name string) string {
	value := os.Getenv(name)
	if name == "PARLEY_LOG" && value == "" {
		if level := os.Getenv("SCAIFLUX_LOG"); level != "" {
			if config.IsLogLevel(level) {
				return level
			}
			slog.Warn("SCAIFLUX_LOG is not error, warn, info or debug", "value", level)
		}
	}
	return value
}

func scaifluxManifests() *cobra.Command {
	return &cobra.Command{
		Use: "dump-manifests", Short: "Print tools and slash commands as JSON", Args: cli.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error { return cli.PrintJSON(cmd, scaiflux.Manifests()) },
	}
}
