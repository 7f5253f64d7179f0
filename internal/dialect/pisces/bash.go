package pisces

import (
	"context"
	"errors"
	"time"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
)

// This file contains the commands of the user: one shell for the session, beside its runs.

const (
	bashLimit  = 300 * time.Second
	bashOutput = 50 << 10 // bytes of output in an answer
)

// A userShell is where the commands of the user wait for each other.
type userShell struct {
	mu     lock.Mutex
	ctx    context.Context // of those that run or wait; nil: there was none yet
	cancel context.CancelFunc
	last   chan struct{} // closed when the last of them is over; nil: there was none
}

// enter takes the last place: before is closed when it is the first, leave gives it up.
func (s *userShell) enter(life context.Context) (ctx context.Context, before <-chan struct{}, leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx == nil {
		s.ctx, s.cancel = context.WithCancel(life)
	}
	before = s.last
	if before == nil {
		free := make(chan struct{})
		close(free)
		before = free
	}
	done := make(chan struct{})
	s.last = done
	return s.ctx, before, func() { close(done) }
}

// abort ends those that run or wait.
func (s *userShell) abort() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx != nil {
		s.cancel()
		s.ctx = nil
	}
}

// runBash runs a command and answers with its end (bash). One at a time: those after wait.
func (c *conn) runBash(m command, line string) {
	s := c.session
	ctx, before, leave := c.shell.enter(c.life)
	c.aside(m, func(context.Context) (any, error) {
		defer leave()
		<-before
		if ctx.Err() != nil {
			return message.BashResultOf(event.CommandRan{Cancelled: true}), nil
		}
		if ran, done := c.ext.userBash(ctx, s, line); done {
			if err := s.eng.RecordCommand(ran); err != nil {
				return nil, err
			}
			return message.BashResultOf(ran), s.eng.Save()
		}
		ran, err := s.eng.RunCommand(ctx, engine.UserCommand{Line: line, Limit: bashLimit, MaxBytes: bashOutput})
		if err != nil {
			return nil, err
		}
		if err := s.eng.Save(); err != nil && !errors.Is(err, engine.ErrClosed) { // also where there was no prompt yet
			return nil, err
		}
		return message.BashResultOf(ran), nil // a session that is closed was saved
	})
}
