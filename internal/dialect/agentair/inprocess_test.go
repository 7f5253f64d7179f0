package agentair

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/tool"
)

// serveInProcess returns the agentair command without a process: real tools and a real journal,
// and the offline models only.
func serveInProcess(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	f, err := parseFlags(args[1:], dialecttest.Getenv(env)("PWD"))
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
	host := engine.NewHost(p.Config(dialecttest.NewModels(p.Getenv), func(e *tool.Env) { e.PrivateNetwork = true }))
	return Serve(context.WithoutCancel(ctx), Config{
		Host: host, In: stdin, Out: stdout, Log: p.Log, Version: "0.0.0-test", Flags: f, Stop: ctx.Done(),
	})
}

// A watch serves in process and holds each process to a checker.
type watch struct{ t dialecttest.Tester }

func (w watch) serve(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	c := newChecker(args)
	return dialecttest.Tapped(serveInProcess, c.sent, c.line, func(rest string) {
		if ctx.Err() != nil {
			c.leaving = true
		}
		c.end()
		if rest != "" {
			c.fault("the last line has no end: %s", rest)
		}
		dialecttest.Report(w.t, env, c.problems)
	})(ctx, args, stdin, stdout, stderr, env)
}

// parseFlags reads what stands after "parley agentair".
func parseFlags(args []string, dir string) (Flags, error) {
	f := Flags{Policy: Interactive}
	set := flag.NewFlagSet("agentair", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&f.Model, "model", "", "")
	set.StringVar(&f.Cwd, "cwd", dir, "")
	set.BoolVar(&f.Extended, "extended", false, "")
	set.BoolVar(&f.RoundComplete, "round-complete", false, "")
	set.BoolVar(&f.SinglePermissions, "single-permissions", false, "")
	set.StringVar(&f.Resume, "resume", "", "")
	set.IntVar(&f.StepLimit, "max-rounds", 0, "")
	set.Func("policy", "", func(word string) error {
		p, ok := ParsePolicy(word)
		if !ok {
			return fmt.Errorf("unknown policy")
		}
		f.Policy = p
		return nil
	})
	word := set.String("sandbox", "", "")
	err := set.Parse(args)
	if err == nil {
		f.Sandbox, err = ParseSandbox(*word, f.Policy)
	}
	if !filepath.IsAbs(f.Cwd) {
		f.Cwd = filepath.Join(dir, f.Cwd)
	}
	return f, err
}
