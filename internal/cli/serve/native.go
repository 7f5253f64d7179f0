package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/acp"
	"parley.dev/parley/internal/dialect/agentair"
	"parley.dev/parley/internal/dialect/codex"
	"parley.dev/parley/internal/dialect/flint"
	"parley.dev/parley/internal/dialect/loaf"
	"parley.dev/parley/internal/dialect/native"
	"parley.dev/parley/internal/dialect/pisces"
	"parley.dev/parley/internal/dialect/scaiflux"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lazy"
)

// nativeFlags is the command line of rpc.
type nativeFlags struct{ model, cwd string }

// Native returns the command that serves the program's own protocol.
func Native(j Joining) *cobra.Command { return nativeCommand(thisProcess, j.run) }

func nativeCommand(from caller, run runner) *cobra.Command {
	var f nativeFlags
	cmd := &cobra.Command{
		Use: "rpc", Short: "Serve Parley's own protocol: JSON-RPC lines, sessions and records as they are", Args: cli.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error { return run(f.service(from).withStore(cmd)) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.model, "model", "", "model of sessions that do not set one (default: the configured one)")
	flags.StringVarP(&f.cwd, "workspace", "w", "", "folder that relative workspaces begin at (default: the current one)")
	addServeFlags(flags)
	return cmd
}

// service returns what serves the protocol.
func (f nativeFlags) service(from caller) service {
	var cwd string
	return service{
		dialect: "native",
		configure: func(settings *config.Config) (err error) {
			settings.Model = cmp.Or(f.model, settings.Model)
			cwd, err = from.workspace(f.cwd)
			return err
		},
		speak: func(ctx context.Context, a *app.App, c client) (int, error) {
			return native.Serve(ctx, f.connection(from, cwd, a, c)), nil
		},
	}
}

// connection returns what a connection works with.
func (f nativeFlags) connection(from caller, cwd string, a *app.App, c client) *native.Config {
	cfg := &native.Config{
		Host: c.sessions, Role: native.Owner, Rights: c.rights, In: c.in, Out: c.out, Log: a.Log, Cwd: cwd, Profile: profiles(), Stop: c.stop,
		Settings: event.Settings{Mode: string(a.Settings.PermissionMode)}, Servers: config.ClientServers, Export: exporter(c.sessions),
	}
	cfg.Store = storeInfo(a)
	if h := c.host; h != nil {
		cfg.Info, cfg.Closing, cfg.Drain, cfg.Clients = h.info, h.closing, h.drain, h.clients
		cfg.Settings.Model, cfg.Tokens = cmp.Or(f.model, from.model), nativeTokens{h.tokens}
		cfg.Audit, cfg.Draining = c.audit.called, h.draining.Load
	} else {
		cfg.Info = hostInfo()
	}
	if c.token != nil {
		cfg.Role = native.Role(c.token.Role)
	}
	cfg.Hosts = hostsOf(a, c, cfg.Role)
	return cfg
}

// hostInfo describes this process.
func hostInfo() native.HostInfo {
	id := make([]byte, 2)
	_, _ = rand.Read(id) // never fails, says its documentation
	name, _ := os.Hostname()
	return native.HostInfo{ID: "h-" + hex.EncodeToString(id), Name: name, Version: cli.Version, Started: time.Now().UTC().Truncate(time.Second)}
}

// storeInfo describes the store.
func storeInfo(a *app.App) native.StoreInfo {
	return native.StoreInfo{Kind: a.StoreAddress.Kind, Namespace: a.StoreAddress.Stream.Namespace}
}

// exporter returns what writes sessions in the forms of the command sessions export.
func exporter(sessions *engine.Host) native.Exporter {
	return func(ctx context.Context, w io.Writer, id event.SessionID, format string) error {
		form, ok := cli.FindExportForm(format)
		if !ok {
			return fmt.Errorf("there is no form %q", format)
		}
		return form.Write(ctx, w, sessions, id)
	}
}

// ProfileOptions returns the options of sessions with that profile; false: there is no such profile.
func ProfileOptions(profile string) (engine.Options, bool) { return profiles()(profile) }

// profiles returns the options of sessions by their profile: the native ones, and those of the other dialects, as their
// commands have them without flags.
func profiles() func(string) (engine.Options, bool) {
	return func(name string) (engine.Options, bool) {
		options, known := allProfiles.Get()[name]
		if !known {
			return engine.Options{}, false
		}
		return options(), true
	}
}

// allProfiles returns what profiles chooses from, which all connections share.
var allProfiles = lazy.Value[map[string]func() engine.Options]{New: func() map[string]func() engine.Options {
	return map[string]func() engine.Options{
		native.DefaultProfile: func() engine.Options { return native.Options(nativeToolset.Get()) },
		"acp":                 acp.Options,
		"agentair":            func() engine.Options { return agentair.Options(agentair.Flags{Policy: agentair.Interactive}) },
		"codex":               codex.Options,
		"flint":               flint.Options,
		"loaf":                loaf.Options,
		"pisces":              func() engine.Options { return pisces.Options(pisces.Flags{}) },
		"scaiflux": func() engine.Options {
			return scaiflux.Options(scaiflux.Flags{MaxIterations: scaiflux.DefaultIterations})
		},
	}
}}

// nativeToolset returns the tools of the native profile, which all sessions share.
var nativeToolset = lazy.Value[[]engine.Binding]{New: func() []engine.Binding { return app.Toolset(true) }}
