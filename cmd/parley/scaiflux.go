package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect/scaiflux"
	"parley.dev/parley/internal/wire"
)

var dialectVersions = map[string]int{"scaiflux": scaiflux.Protocol}

func scaifluxCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "scaiflux", Short: "The ScaiFlux serve protocol: NDJSON, one session a process",
	}
	prompt := runCommand()
	prompt.Use = "prompt TEXT"
	cmd.AddCommand(scaifluxServe(), prompt, doctorCommand(), scaifluxManifests(), versionCommand())
	return cmd
}

func scaifluxServe() *cobra.Command {
	var f scaiflux.Flags
	var mode string
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve one session over stdin and stdout", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if f.Mode, err = approval.ParseMode(mode); err != nil {
				return err
			}
			for _, name := range []string{"max-tokens", "max-iterations"} {
				if n, _ := cmd.Flags().GetInt(name); cmd.Flags().Changed(name) && n < 1 {
					return fmt.Errorf("--%s must be at least 1", name)
				}
			}
			return serveScaiflux(f)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.Model, "model", "m", "", "model slug (default: the session's, the project's, or the configured one)")
	flags.IntVar(&f.MaxTokens, "max-tokens", 0, "output cap of each model call (default: derived from the context window)")
	flags.StringVarP(&f.Workspace, "workspace", "w", ".", "root folder for tools")
	flags.StringVar(&mode, "permission-mode", string(approval.FullAccess), "reported in permission requests: read-only, workspace-write, prompt, plan or danger-full-access")
	flags.IntVar(&f.MaxIterations, "max-iterations", 0, fmt.Sprintf("tool rounds allowed in one turn (default %d)", scaiflux.DefaultIterations))
	flags.StringVar(&f.Resume, "resume", "", "go on with a session: latest, an id, or a path")
	return cmd
}

// serveScaiflux binds the protocol to stdin and stdout.
func serveScaiflux(f scaiflux.Flags) error {
	settings, err := loadSettings(scaifluxEnv)
	if err != nil {
		return failed(err)
	}
	if err := resumePath(&settings, &f.Resume); err != nil {
		return refuseStart(err)
	}
	credentials, err := scaiflux.ReadCredentials(homeDir(os.Getenv), os.Getenv)
	if err != nil {
		return refuseStart(err)
	}
	out, err := wire.ProtectStdout()
	if err != nil {
		return failed(err)
	}
	a, err := assemble(settings)
	if err != nil {
		return failed(err)
	}
	defer a.close()
	a.models.useGateway(credentials)
	stop := notifyStop().asked
	forgetStart()
	code := scaiflux.Serve(context.Background(), scaiflux.Config{
		Host: a.host, In: os.Stdin, Out: out, Log: a.log, Version: version, Flags: f, Credentials: credentials, Stop: stop,
	})
	if code != exitOK {
		return &exitError{code: code}
	}
	return nil
}

// refuseStart is a bootstrap failure before there is a connection.
func refuseStart(err error) error {
	scaiflux.RefuseStart(os.Stdout, err)
	return failed(err)
}

// scaifluxEnv is the environment with the persona's own log variable where ours is not set.
func scaifluxEnv(name string) string {
	value := os.Getenv(name)
	if name == "PARLEY_LOG" && value == "" {
		if level := os.Getenv("SCAIFLUX_LOG"); level != "" {
			if _, ok := logLevels[level]; ok {
				return level
			}
			slog.Warn("SCAIFLUX_LOG is not error, warn, info or debug", "value", level)
		}
	}
	return value
}

func scaifluxManifests() *cobra.Command {
	return &cobra.Command{
		Use: "dump-manifests", Short: "Print tools and slash commands as JSON", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return printJSON(cmd, scaiflux.Manifests()) },
	}
}
