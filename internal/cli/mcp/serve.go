package mcpcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/mcpserver"
	"parley.dev/parley/internal/wire"
)

func mcpServe() *cobra.Command {
	var model, dir, mode, sandbox string
	cmd := &cobra.Command{
		Use: "serve", Short: "Be a tool server (MCP) on stdio, so that other agents can give work to Parley", Args: cli.ExactArgs(),
		Long: `Be a tool server that speaks the Model Context Protocol on stdin and stdout. Its tools are
parley, which starts a session with a task and returns the last answer, and parley-reply,
which continues a session.

The server ends with its input, or at SIGTERM; turns that still run are interrupted.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg := mcpserver.Config{Model: model, Sandbox: approval.SandboxKind(sandbox)}
			switch cfg.Sandbox {
			case approval.SandboxReadOnly, approval.SandboxWorkspace, approval.SandboxNone:
			default:
				return fmt.Errorf("--sandbox %q is none of read-only, workspace-write and full-access", sandbox)
			}
			if mode != "" {
				var err error
				if cfg.Mode, err = approval.ParseMode(mode); err != nil {
					return err
				}
			}
			return cli.Failed(serveMCP(cfg, dir, cli.StoreFlagsOf(cmd)))
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&model, "model", "m", "", "model of sessions that do not set one (default: the configured one)")
	flags.StringVarP(&dir, "workspace", "w", "", "folder of sessions that do not set one (default: the current one)")
	flags.StringVar(&mode, "permission-mode", "", "permission mode of sessions that do not set one, and the widest that they can set (default: the configured one)")
	flags.StringVar(&sandbox, "sandbox", string(approval.SandboxWorkspace), "the widest sandbox that a session can ask for in place of a permission mode: read-only, workspace-write or full-access")
	cli.AddStoreFlags(flags)
	cli.SetChoices(flags, "permission-mode", cli.ModeWords...)
	cli.SetChoices(flags, "sandbox", cli.SandboxWords...)
	return cmd
}

// serveMCP binds the server to stdin and stdout.
func serveMCP(cfg mcpserver.Config, dir string, store cli.StoreFlags) error {
	settings, err := config.Load(os.Getenv)
	if err != nil {
		return err
	}
	if err := store.Apply(&settings.Settings); err != nil {
		return err
	}
	settings.Grace = time.Second
	if cfg.Mode == "" {
		cfg.Mode = settings.PermissionMode
	}
	if cfg.Dir, err = engine.Workspace(dir); err != nil {
		return err
	}
	out, err := wire.ProtectStdout()
	if err != nil {
		return err
	}
	a, err := cli.Assemble(settings)
	if err != nil {
		return err
	}
	defer a.Close()
	if err := a.Join(context.Background()); err != nil {
		return err
	}
	stop := cli.NotifyStop()
	cli.ForgetStart()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-stop.Asked:
			cancel()
		case <-ctx.Done():
		}
	}()
	cfg.Host, cfg.In, cfg.Out, cfg.Log, cfg.Version = a.Host, os.Stdin, out, a.Log, cli.Version
	cfg.Options = engine.Defaults()
	cfg.Options.Toolset = app.Toolset(true)
	err = mcpserver.Serve(ctx, cfg)
	if cerr := a.Host.Close(context.Background()); err == nil || errors.Is(err, context.Canceled) {
		err = cerr
	}
	return err
}
