package serve

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/pisces"
	"parley.dev/parley/internal/extension"
)

// A choice is the extensions that there are.
type choice struct {
	modules []string // that run, in their order
	missing []string // paths that were named, where nothing is
	refused []string // modules of a project that is not trusted
}

// chooseExtensions finds extensions: those of the project, of the agent's folder, of the command
// line, and of the settings. What only the project has named runs if the project is trusted.
func chooseExtensions(a *app.App, flags pisces.Flags, asked []string, settings *pisces.Settings) (c choice) {
	own, ofProject := settings.Extensions()
	trusted := a.Settings.Trusts(flags.Cwd)
	for _, place := range []struct {
		paths      []string
		base       string
		named, own bool
	}{
		{[]string{filepath.Join(flags.Project, "extensions")}, flags.Cwd, false, false},
		{[]string{"extensions"}, flags.Agent, false, true},
		{asked, flags.Cwd, true, true},
		{own, flags.Agent, true, true},
		{ofProject, flags.Cwd, true, false},
	} {
		found, missing := extension.Find(absolute(place.paths, place.base))
		if place.named {
			c.missing = append(c.missing, missing...)
		}
		if place.own || trusted {
			c.modules = append(c.modules, found...)
		} else {
			c.refused = append(c.refused, found...)
		}
	}
	c.modules, c.missing = once(c.modules), once(c.missing)
	c.refused = slices.DeleteFunc(once(c.refused), func(module string) bool { return slices.Contains(c.modules, module) })
	return c
}

// absolute is paths as users write them, below base where they say no more.
func absolute(paths []string, base string) (all []string) {
	for _, path := range paths {
		path = config.ExpandHome(path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(base, path)
		}
		all = append(all, path)
	}
	return all
}

// once returns a list without what was there before.
func once(list []string) (rest []string) {
	for _, one := range list {
		if !slices.Contains(rest, one) {
			rest = append(rest, one)
		}
	}
	return rest
}

// startExtensions returns what starts extensions once there is a client to report them to; nil: there
// are none, and that costs nothing.
func startExtensions(a *app.App, flags pisces.Flags, o *piscesOptions, settings *pisces.Settings) func(context.Context, extension.Session) *extension.Host {
	if o.noExtensions {
		return nil
	}
	chosen := chooseExtensions(a, flags, o.extensions, settings)
	if len(chosen.modules)+len(chosen.missing)+len(chosen.refused) == 0 {
		return nil
	}
	return func(ctx context.Context, session extension.Session) *extension.Host {
		for _, path := range chosen.missing {
			session.Failed(extension.Failure{Path: path, Event: "load", Problem: "there is no extension"})
		}
		for _, path := range chosen.refused {
			session.Failed(extension.Failure{Path: path, Event: "load", Problem: untrusted(a, flags.Cwd)})
		}
		if len(chosen.modules) == 0 {
			return nil
		}
		host, err := extension.Start(ctx, extension.Options{
			Spawner: a.Spawner, Environ: a.Environ(), State: a.Settings.Home, Dir: flags.Cwd, Log: a.Log,
		}, chosen.modules, session)
		if err != nil {
			for _, module := range chosen.modules {
				session.Failed(extension.Failure{Path: module, Event: "load", Problem: err.Error()})
			}
			return nil
		}
		host.SetFlags(flagValues(host.Registered().Flags, o.args))
		a.SetExtensions(host)
		return host
	}
}

// untrusted returns why a folder's extensions do not run, and what to do to run them.
func untrusted(a *app.App, dir string) string {
	return fmt.Sprintf("not run: the folder %s is not trusted. If you trust it, add it to \"trusted_folders\" in %s, or to PARLEY_TRUSTED_FOLDERS; "+
		"to run one extension alone, give its path with -e", dir, a.Settings.File)
}

// flagValues returns what the command line says of the flags that extensions have.
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
