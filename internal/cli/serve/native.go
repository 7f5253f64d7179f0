package serve

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"os"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/native"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire"
)

// nativeFlags is the command line of rpc.
type nativeFlags struct{ model, cwd string }

// Native returns the command that serves the program's own protocol.
func Native() *cobra.Command {
	var f nativeFlags
	cmd := &cobra.Command{
		Use: "rpc", Short: "Serve Parley's own protocol: JSON-RPC lines, sessions and records as they are", Args: cli.ExactArgs(),
		RunE: func(*cobra.Command, []string) error { return serveNative(f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.model, "model", "", "model of sessions that do not set one (default: the configured one)")
	flags.StringVarP(&f.cwd, "workspace", "w", "", "folder that relative workspaces begin at (default: the current one)")
	return cmd
}

// serveNative binds the protocol to stdin and stdout.
func serveNative(f nativeFlags) error {
	settings, err := config.Load(os.Getenv)
	if err != nil {
		return cli.Failed(err)
	}
	if f.model != "" {
		settings.Model = f.model
	}
	cwd, err := engine.Workspace(f.cwd)
	if err != nil {
		return cli.Failed(err)
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
	stop := cli.NotifyStop()
	cli.ForgetStart()
	code := native.Serve(context.Background(), native.Config{
		Host: a.Host, Info: hostInfo(), Role: native.Owner, In: os.Stdin, Out: out, Log: a.Log, Cwd: cwd, Profile: profiles(a),
		Settings: event.Settings{Mode: string(settings.PermissionMode)}, Stop: stop.Asked,
	})
	if code != cli.ExitOK {
		return &cli.ExitError{Code: code}
	}
	return nil
}

// hostInfo describes this process.
func hostInfo() native.HostInfo {
	id := make([]byte, 2)
	_, _ = rand.Read(id) // never fails, says its documentation
	name, _ := os.Hostname()
	return native.HostInfo{ID: "h-" + hex.EncodeToString(id), Name: name, Version: cli.Version, Started: time.Now().UTC().Truncate(time.Second)}
}

// profiles returns the options of sessions by their profile.
func profiles(a *app.App) func(string) (engine.Options, bool) {
	toolset := cli.Toolset(true)
	return func(name string) (engine.Options, bool) {
		return native.Options(toolset), name == native.DefaultProfile
	}
}
