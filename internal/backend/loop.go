package backend

import (
	"context"
	"fmt"
	"time"
)

// A Loop takes what an agent sends in a turn, and bounds how long it may say nothing. F is a frame of its protocol.
type Loop[F any] struct {
	Process *Process
	Frames  <-chan F
	// Take handles a frame. It returns whether the turn is over, or why the agent cannot go on.
	Take func(F) (over bool, err error)
	// Interrupt asks the agent to end the turn. An error: it cannot be asked.
	Interrupt func() error
	// Waits reports whether the agent waits for someone, and may say nothing for any time.
	Waits func() bool
	// Silence is how long the agent may say nothing.
	Silence time.Duration
	// Timer is for the driver, which has Expired called when it fires; nil: there is none.
	Timer   <-chan time.Time
	Expired func()
}

// Run takes frames until the turn is over. After an error the process has ended: *Error, or the cause of ctx, which interrupts
// the turn when it ends.
func (l *Loop[F]) Run(ctx context.Context) error {
	quiet := time.NewTimer(l.Silence)
	defer quiet.Stop()
	interrupted := ctx.Done()
	var limit <-chan time.Time // of an interrupted turn
	for {
		select {
		case f := <-l.Frames:
			quiet.Reset(l.Silence)
			over, err := l.Take(f)
			if err != nil {
				l.Process.Kill()
				return err
			}
			if over {
				return nil
			}
		case <-l.Timer:
			l.Expired()
		case <-quiet.C:
			if l.Waits() || limit != nil {
				quiet.Reset(l.Silence)
				continue
			}
			l.Process.Kill()
			return l.Process.Failure(CodeSilent, fmt.Sprintf("it has said nothing for %s", l.Silence))
		case <-interrupted:
			interrupted = nil
			if l.Interrupt() != nil {
				l.Process.Kill()
				return context.Cause(ctx)
			}
			timer := time.NewTimer(l.Process.program.Grace)
			defer timer.Stop()
			limit = timer.C
		case <-limit:
			l.Process.Kill()
			return context.Cause(ctx)
		}
	}
}
