package pisces

import (
	"context"
	"errors"
	"time"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file is the commands of the person: one shell for the session, beside its runs.

const (
	bashLimit  = 300 * time.Second
	bashOutput = 50 << 10 // bytes of output in an answer
)

// runBash runs a command and answers with its end (bash). One at a time: those behind wait.
func (c *conn) runBash(m command, line string) {
	ctx, cancel := context.WithCancel(c.life)
	c.bash.Lock()
	before := c.bash.running
	done := make(chan struct{})
	c.bash.running, c.bash.cancel = done, append(c.bash.cancel, cancel)
	c.bash.Unlock()
	s := c.session
	c.aside(m, func(context.Context) (any, error) {
		defer close(done)
		defer cancel()
		if before != nil {
			<-before
		}
		ran, err := s.eng.RunCommand(ctx, engine.PersonCommand{Line: line, Limit: bashLimit, MaxBytes: bashOutput})
		if err != nil && ctx.Err() != nil && !errors.Is(err, engine.ErrClosed) {
			return bashResult(event.CommandRan{Cancelled: true, Lines: 1}), nil // it had not begun
		}
		return bashResult(ran), err
	})
}

// abortBash ends the commands of the person that run or wait.
func (c *conn) abortBash() {
	c.bash.Lock()
	defer c.bash.Unlock()
	for _, cancel := range c.bash.cancel {
		cancel()
	}
	c.bash.cancel = nil
}
