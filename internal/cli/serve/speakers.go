package serve

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/dialect/codex"
	"parley.dev/parley/internal/dialect/native"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/host"
)

// This file makes a host speak the dialects.

// speakers returns the servers of the dialects for the clients of a host.
func speakers(a *app.App, shared hosting) map[string]host.Dialect {
	all := map[string]host.Dialect{}
	for name, parse := range map[string]func(caller, []string) (service, error){
		"native":   parseNative,
		"flint":    parseWith(flintCommand),
		"codex":    parseCodex(codex.NewProcess()), // which all its clients share
		"loaf":     parseWith(loafCommand),
		"agentair": parseWith(agentairCommand),
		"acp":      parseWith(acpCommand),
		"scaiflux": parseScaiflux,
		"pisces": func(from caller, args []string) (service, error) {
			o, err := parsePisces(from, args)
			if err != nil {
				return service{}, err
			}
			return o.service(from), o.notServed()
		},
	} {
		all[name] = func(_ context.Context, c host.Conn) (host.Serve, error) {
			s, err := parse(callerOf(c), c.Args)
			if err != nil {
				return nil, err
			}
			return s.hosted(a, shared, c)
		}
	}
	return all
}

// callerOf returns the caller that has started a relay, or that has connected. Without a folder of its own it works in that
// of its token.
func callerOf(c host.Conn) caller {
	p := c.Preamble
	dir, within, limited := p.Cwd, "", false
	if t := c.Token; t != nil {
		dir, within, limited = cmp.Or(dir, t.Workspace), t.Workspace, t.Role != string(native.Owner) || t.Limited()
	}
	getenv := func(name string) string {
		if !slices.Contains(travelling, name) {
			return ""
		}
		return p.Env[name]
	}
	return caller{getenv: getenv, dir: dir, within: within, model: getenv("PARLEY_MODEL"), limited: limited}
}

// parseWith returns what reads the command line of a command.
func parseWith(command func(caller, runner) *cobra.Command) func(caller, []string) (service, error) {
	return func(from caller, args []string) (s service, err error) {
		cmd := command(from, func(asked service) error {
			s = asked
			return nil
		})
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		cmd.SetOut(io.Discard)
		cmd.SetArgs(append([]string{}, args...)) // nil would be the arguments of this process
		cli.AcceptSynonyms(cmd.Flags())          // not FinishFlags: cobra stores completions of flags for as long as the process runs
		if err := cmd.Execute(); err != nil {
			return s, err
		}
		s.flags = cmd.Flags()
		if s.speak == nil { // --help
			return s, fmt.Errorf("the arguments %q serve no client", args)
		}
		return s, nil
	}
}

// parseNative reads a command line. Most clients give none, which needs no parser.
func parseNative(from caller, args []string) (service, error) {
	if len(args) == 0 {
		return nativeFlags{}.service(from), nil
	}
	return parseWith(nativeCommand)(from, args)
}

// parseScaiflux reads a command line after the name of the dialect: that of serve.
func parseScaiflux(from caller, args []string) (service, error) {
	if len(args) == 0 || args[0] != "serve" {
		return service{}, fmt.Errorf("the arguments %q serve no client: the first one has to be serve", args)
	}
	return parseWith(scaifluxServe)(from, args[1:])
}

// parseCodex returns what reads a command line after the name of the dialect: that of app-server.
func parseCodex(process *codex.Process) func(caller, []string) (service, error) {
	command := func(from caller, run runner) *cobra.Command { return codexAppServer(process, from, run) }
	return func(from caller, args []string) (service, error) {
		if len(args) == 0 || args[0] != codexServes {
			return service{}, fmt.Errorf("the arguments %q serve no client: the first one has to be %s", args, codexServes)
		}
		return parseWith(command)(from, args[1:])
	}
}

// withoutHost returns how a command does what a host does not. A client of the network wants the machine of the host, so that it can only
// leave the option out.
func withoutHost(c host.Conn) string {
	if c.Token != nil {
		return ": start it without that option"
	}
	return ": start it with --host off"
}

// checkHosted returns an error for flags that a host has of its own. A relay refuses them before it connects; a client without one
// has them in its preamble or address.
func (s service) checkHosted() error {
	switch {
	case s.flags != nil && s.flags.Changed("backend"):
		return errHostBackend
	case s.store.Changed():
		return errHostStore
	}
	return nil
}

// hosted returns what speaks to a client of a host.
func (s service) hosted(a *app.App, shared hosting, c host.Conn) (host.Serve, error) {
	if s.ownProcess != "" {
		return nil, fmt.Errorf("%s needs a process that serves no other client%s", s.ownProcess, withoutHost(c))
	}
	if err := s.checkHosted(); err != nil {
		return nil, err
	}
	settings := a.Settings
	if s.configure != nil {
		if err := s.configure(&settings); err != nil {
			return nil, err
		}
	}
	if settings.Home != a.Settings.Home {
		return nil, fmt.Errorf("the state folder of the host is %s, not %s%s", a.Settings.Home, settings.Home, withoutHost(c))
	}
	shared.closing = c.Closing
	if c.Signal == nil {
		c.Signal = func() os.Signal { return nil }
	}
	log := shared.auditor(c, a.Log)
	speak, served := s.speak, &client{
		in: c.In, out: c.Out, stop: c.Stop, signal: c.Signal, sessions: a.Host.For(accessOf(c, log)), host: &shared, token: c.Token, audit: log, relayed: c.Relay != "",
	}
	if c.Token != nil {
		served.rights = rights.New(c.Token.Role, served.sessions, log.requested)
		if err := s.permitted(served.rights, callerOf(c)); err != nil {
			return nil, err
		}
	}
	return func() (code int, err error) {
		ended := false
		defer func() {
			if !ended { // by a panic
				served.sessions.Abandon(context.Background())
			}
		}()
		code, err = speak(context.Background(), a, *served)
		ended = true
		return code, err
	}, nil
}
