package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"parley.dev/parley/internal/dialect/pisces"
	"parley.dev/parley/internal/extension"
	"parley.dev/parley/internal/tool"
)

// extensionPaths is where extensions are: those of the project, of the agent's folder, of the
// command line, and of the settings. Of these, the last two have to be there.
func extensionPaths(flags pisces.Flags, asked []string, settings *pisces.Settings) (found, wanted []string) {
	found = []string{filepath.Join(flags.Cwd, flags.Project, "extensions"), filepath.Join(flags.Agent, "extensions")}
	for _, path := range append(slices.Clone(asked), settings.Extensions()...) {
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(flags.Home, rest)
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(flags.Cwd, path)
		}
		wanted = append(wanted, path)
	}
	return found, wanted
}

// startExtensions is what starts extensions once there is somebody to tell of them; nil: there
// are none, and that costs nothing.
func (a *app) startExtensions(flags pisces.Flags, o *piscesOptions, settings *pisces.Settings) func(context.Context, pisces.ExtensionSession) pisces.Extensions {
	if o.noExtensions {
		return nil
	}
	found, wanted := extensionPaths(flags, o.extensions, settings)
	modules, _ := extension.Find(found)
	named, missing := extension.Find(wanted)
	for _, module := range named {
		if !slices.Contains(modules, module) {
			modules = append(modules, module)
		}
	}
	if len(modules)+len(missing) == 0 {
		return nil
	}
	return func(ctx context.Context, session pisces.ExtensionSession) pisces.Extensions {
		for _, path := range missing {
			session.Failed(path, "load", "there is no extension")
		}
		if len(modules) == 0 {
			return nil
		}
		host, err := extension.Start(ctx, extension.Options{
			Spawner: a.spawner, Environ: a.environ(), State: a.settings.Home, Dir: flags.Cwd, Log: a.log,
		}, modules, guest{session})
		if err != nil {
			for _, module := range modules {
				session.Failed(module, "load", err.Error())
			}
			return nil
		}
		host.SetFlags(flagValues(host.Registered().Flags, o.args))
		a.extensions.Store(host)
		return hosted{host}
	}
}

// flagValues is what the command line says of the flags that extensions have.
func flagValues(flags []extension.RegisteredFlag, args []string) map[string]any {
	values := map[string]any{}
	for _, f := range flags {
		for i, arg := range args {
			value, isValue := strings.CutPrefix(arg, "--"+f.Name+"=")
			switch {
			case isValue && f.Type == "boolean":
				values[f.Name] = value != "false"
			case isValue:
				values[f.Name] = value
			case arg != "--"+f.Name:
			case f.Type == "boolean":
				values[f.Name] = true
			case i+1 < len(args):
				values[f.Name] = args[i+1]
			}
		}
	}
	return values
}

// guest is a session of the protocol as extensions have it.
type guest struct{ pisces.ExtensionSession }

func (g guest) Failed(f extension.Failure) { g.ExtensionSession.Failed(f.Path, f.Event, f.Problem) }

// hosted is extensions as the protocol has them.
type hosted struct{ *extension.Host }

func (h hosted) Commands() []pisces.SlashCommand {
	var commands []pisces.SlashCommand
	for _, c := range h.Registered().Commands {
		commands = append(commands, pisces.SlashCommand{Name: c.Name, Description: c.Description})
	}
	return commands
}

func (h hosted) Tools() []pisces.ExtensionTool {
	var tools []pisces.ExtensionTool
	for _, t := range h.Registered().Tools {
		tools = append(tools, pisces.ExtensionTool{Name: t.Name, Description: t.Description, Parameters: t.Parameters, Inactive: t.Inactive})
	}
	return tools
}

// A withExtensions is the source of a session's tool servers, which may be none, and the
// tools of extensions besides.
type withExtensions struct {
	servers    tool.Source // nil: none
	extensions *atomic.Pointer[extension.Host]
}

// Tools asks the servers, and takes what extensions have registered by now.
func (w withExtensions) Tools(ctx context.Context) []tool.Tool {
	tools := w.extensions.Load().Tools()
	if w.servers != nil {
		tools = append(tools, w.servers.Tools(ctx)...)
	}
	return tools
}

// Close leaves the servers.
func (w withExtensions) Close() {
	if w.servers != nil {
		w.servers.Close()
	}
}
