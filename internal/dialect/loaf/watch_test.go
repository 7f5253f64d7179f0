package loaf

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"sync"
)

// A tester is what tests and benchmarks have in common.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// watched serves in process, and holds what each process says to the rules of order.
type watched struct{ t tester }

func (w watched) serve(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	return w.serveWith(ctx, args, stdin, stdout, stderr, env, nil)
}

func (w watched) serveWith(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string, in SignIn) int {
	f, err := parseFlags(args[1:], lookupIn(env))
	if err != nil {
		w.t.Fatalf("%v", err)
	}
	c := newChecker(f.Format)
	var mu sync.Mutex // of c
	heard := &lineTap{each: func(line []byte) { mu.Lock(); defer mu.Unlock(); c.received(line) }}
	out := &lineTap{to: stdout, each: func(line []byte) { mu.Lock(); defer mu.Unlock(); c.line(line) }}
	code := serveInProcess(ctx, args, io.TeeReader(stdin, heard), out, stderr, env, in)
	mu.Lock()
	defer mu.Unlock()
	c.end(ctx.Err() != nil)
	if out.rest.Len() > 0 {
		c.fault("the last line has no end: %s", out.rest.String())
	}
	for _, problem := range c.problems {
		w.t.Errorf("%s: %s", filepath.Base(filepath.Dir(filepath.Dir(lookupIn(env)("PWD")))), problem)
	}
	return code
}

// A lineTap shows each whole line that is written through it, before it goes on.
type lineTap struct {
	to   io.Writer // nil: nowhere
	each func(line []byte)
	rest bytes.Buffer
}

func (l *lineTap) Write(p []byte) (int, error) {
	l.rest.Write(p)
	for {
		i := bytes.IndexByte(l.rest.Bytes(), '\n')
		if i < 0 {
			break
		}
		l.each(bytes.Clone(l.rest.Next(i + 1)))
	}
	if l.to == nil {
		return len(p), nil
	}
	return l.to.Write(p)
}
