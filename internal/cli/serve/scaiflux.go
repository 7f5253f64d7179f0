package serve

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/cli/doctor"
	"parley.dev/parley/internal/cli/run"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/scaiflux"
	"parley.dev/parley/internal/wire"
)

// ScaiFlux returns the commands of the original: serve, prompt, repl and so on.
func ScaiFlux() *cobra.Command {
	cmd := &cobra.Command{
		Use: "scaiflux", Short: "Serve the ScaiFlux serve protocol: NDJSON, one session per process",
	}
	prompt := run.Command(scaifluxPersona)
	prompt.Use = "prompt [TEXT]"
	cmd.AddCommand(scaifluxServe(), scaifluxRepl(), prompt, doctor.Command(scaifluxPersona), scaifluxManifests(), cli.VersionCommand())
	return cmd
}

func scaifluxServe() *cobra.Command {
	var f scaiflux.Flags
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve one session over stdin and stdout", Args: cli.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkScaifluxFlags(cmd, &f); err != nil {
				return err
			}
			return serveScaiflux(f)
		},
	}
	addScaifluxFlags(cmd, &f)
	cmd.Flags().String("permission-mode", string(approval.FullAccess), "permission mode that permission requests report: read-only, workspace-write, prompt, plan or danger-full-access")
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
	f.Mode, err = approval.ParseMode(mode)
	return err
}

// serveScaiflux binds the protocol to stdin and stdout. Every failure before the connection is a
// line of the protocol too: the controller reads nothing else.
func serveScaiflux(f scaiflux.Flags) error {
	settings, err := config.Load(scaifluxEnv)
	if err != nil {
		return refuseStart(os.Stdout, err)
	}
	if err := cli.ResumePath(&settings, &f.Resume); err != nil {
		return refuseStart(os.Stdout, err)
	}
	credentials, credentialsErr := scaiflux.ReadCredentials(config.HomeDir(os.Getenv), os.Getenv)
	out, err := wire.ProtectStdout()
	if err != nil {
		return refuseStart(os.Stdout, err)
	}
	a, err := cli.Assemble(settings)
	if err != nil {
		return refuseStart(out, err)
	}
	defer a.Close()
	useGateway(a, credentials, credentialsErr)
	a.Hidden = []string{".scaiflux"}
	stop := cli.NotifyStop().Asked
	cli.ForgetStart()
	code := scaiflux.Serve(context.Background(), scaiflux.Config{
		Host: a.Host, In: os.Stdin, Out: out, Log: a.Log, Version: cli.Version, Flags: f, Credentials: credentials, Stop: stop,
	})
	if code != cli.ExitOK {
		return &cli.ExitError{Code: code}
	}
	return nil
}

// refuseStart reports a bootstrap failure before there is a connection.
func refuseStart(out io.Writer, err error) error {
	scaiflux.RefuseStart(out, err)
	return cli.Failed(err)
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
