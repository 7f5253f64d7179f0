package doctor

import (
	"context"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/cli/backends"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/terminal"
)

// versionLimit bounds how long a program may take to print its version.
const versionLimit = 5 * time.Second

// examineBackends reports the back ends that are configured, and those that are installed.
func examineBackends(ctx context.Context, a *app.App) []cli.Finding {
	var findings []cli.Finding
	for _, name := range a.Settings.BackendNames() {
		_, configured := a.Settings.Backends[name]
		path, err := a.Backends.Program(name)
		f := cli.Finding{Check: "back end " + name, OK: err == nil, Detail: path}
		switch {
		case err != nil && !configured && name != a.Settings.Backend:
			continue
		case err != nil:
			f.Detail, f.Fix = err.Error(), "install it, or correct backends."+name+".command"
		default:
			if version := versionOf(ctx, path, a); version != "" {
				f.Detail = terminal.Line(version) + " (" + path + ")"
			}
		}
		findings = append(findings, f)
	}
	return findings
}

// versionOf returns what a program prints as its version in an empty folder; "": it prints none in time.
func versionOf(ctx context.Context, path string, a *app.App) string {
	folder, err := a.Temp.MakeNew("version")
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, versionLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env, cmd.Dir, cmd.WaitDelay = a.Environ(), folder, time.Second
	out, err := cmd.Output()
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(line) > 100 {
		return ""
	}
	return line
}

// doctorBackend starts a back end and prints what it can do.
func doctorBackend(cmd *cobra.Command, p cli.Persona, name string) error {
	settings, err := config.Load(p.Getenv)
	if err != nil {
		return cli.Failed(err)
	}
	a, err := p.Assemble(settings, ".")
	if err != nil {
		return cli.Failed(err)
	}
	defer a.Close()
	if err := backends.Try(cmd.Context(), a, name, cmd.OutOrStdout()); err != nil {
		return cli.Failed(err)
	}
	return nil
}
