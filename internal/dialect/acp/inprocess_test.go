package acp

import (
	"context"
	"flag"
	"fmt"
	"io"

	"parley.dev/parley/internal/approval/grantfile"
	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/skill"
	"parley.dev/parley/internal/tool"
)

// serveInProcess returns the acp command without a process: real tools, tool servers, sandbox and journal, and the offline
// models only.
func serveInProcess(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	f, err := parseFlags(args[1:])
	if err == nil {
		err = CheckMode(f.Mode)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	p, err := dialecttest.Open(env, stderr)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return dialect.ExitFailed
	}
	defer p.Close()
	parts := p.Config(dialecttest.NewModels(p.Getenv), func(e *tool.Env) {
		e.PrivateNetwork = true
		places := skill.Places{Dir: e.Workspace.Dir(), Home: p.Getenv("HOME"), State: p.Getenv("PARLEY_HOME")}
		e.Skills = func() []skill.Skill { found, _ := skill.Find(places.Roots()); return found }
	})
	parts.Grants = grantfile.New(grantfile.Options{Folder: p.Getenv("PARLEY_HOME")})
	host := engine.NewHost(parts)
	return Serve(context.WithoutCancel(ctx), Config{
		Host: host, In: stdin, Out: stdout, Log: p.Log, Version: "0.0.0-test", Flags: f, Stop: ctx.Done(),
	})
}

// parseFlags reads what stands after "parley acp".
func parseFlags(args []string) (f Flags, err error) {
	set := flag.NewFlagSet("acp", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&f.Model, "model", "", "")
	set.StringVar(&f.Mode, "mode", "", "")
	set.BoolVar(&f.Unstable, "unstable", false, "")
	set.BoolVar(&f.V2, "v2", false, "")
	set.BoolVar(&f.NoFiles, "no-client-fs", false, "")
	set.BoolVar(&f.NoTerminal, "no-client-terminal", false, "")
	return f, set.Parse(args)
}
