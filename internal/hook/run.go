package hook

import (
	"context"
	"errors"
	"os"
	"slices"

	"parley.dev/parley/internal/sandbox"
)

// The caps of what a hook may say, in bytes.
const (
	maxOutput = 1 << 20
	maxErrors = 64 << 10 // the rest of stderr is dropped
)

var (
	errTimedOut = errors.New("the hook took too long")
	errTooMuch  = errors.New("the hook wrote too much")
)

// A collector keeps the first bytes of what is written, up to its limit.
type collector struct {
	limit int
	kept  []byte
	full  func() // called for what is beyond; may be nil
}

func (c *collector) Write(p []byte) (int, error) {
	kept := p[:min(len(p), c.limit-len(c.kept))]
	c.kept = append(c.kept, kept...)
	if len(kept) < len(p) && c.full != nil {
		c.full()
	}
	return len(p), nil
}

// run starts a hook's command with input on its stdin, and returns when nothing of it is
// left. It is ended when ctx ends, when its time is over, and when it says too much. The
// error means that it never ran.
func (s *Set) run(ctx context.Context, h ready, dir string, input []byte) (said, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ctx, stop := context.WithTimeoutCause(ctx, h.Limit, errTimedOut)
	defer stop()
	stdin, feed, err := os.Pipe()
	if err != nil {
		return said{}, err
	}
	stdout := &collector{limit: maxOutput, full: func() { cancel(errTooMuch) }}
	stderr := &collector{limit: maxErrors}
	process, err := s.options.Spawner.Start(ctx, sandbox.Command{
		Path: "/bin/sh", Args: []string{"-c", h.Command}, Dir: dir,
		Env:   append(slices.Clip(s.options.Environ), "CLAUDE_PROJECT_DIR="+dir),
		Stdin: stdin, Stdout: stdout, Stderr: stderr,
		Confine: sandbox.Policy{Level: sandbox.Full},
	})
	stdin.Close()
	if err != nil {
		feed.Close()
		return said{}, err
	}
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		_, _ = feed.Write(input) // a hook need not read it
		feed.Close()
	}()
	exit := process.Wait()
	feed.Close() // ends a blocked write: a process that escaped may have the other end open
	<-fed
	cause := context.Cause(ctx)
	return said{
		exit: exit, stdout: stdout.kept, stderr: stderr.kept,
		timedOut: exit.Interrupted && errors.Is(cause, errTimedOut), tooMuch: errors.Is(cause, errTooMuch),
	}, nil
}
