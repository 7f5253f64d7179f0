package loaf

import (
	"context"
	"io"

	"parley.dev/parley/internal/dialect/dialecttest"
)

// watched serves in process, and holds what each process says to the rules of order.
type watched struct {
	t  dialecttest.Tester
	in SignIn // nil: one that is not configured
}

func (w watched) serve(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	f, err := parseFlags(args[1:], dialecttest.Getenv(env))
	if err != nil {
		w.t.Fatalf("%v", err)
	}
	serve := func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
		return serveInProcess(ctx, args, stdin, stdout, stderr, env, w.in)
	}
	c := newChecker(f.Format)
	return dialecttest.Tapped(serve, c.received, c.line, func(rest string) {
		c.end(ctx.Err() != nil)
		if rest != "" {
			c.fault("the last line has no end: %s", rest)
		}
		dialecttest.Report(w.t, env, c.problems)
	})(ctx, args, stdin, stdout, stderr, env)
}
