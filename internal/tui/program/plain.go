package program

import (
	"context"
	"os"
	"syscall"

	"parley.dev/parley/internal/tui/plain"
)

// runPlain runs the plain mode and returns the exit code.
func (c *console) runPlain() int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	interrupts, lost := make(chan struct{}, 1), make(chan bool, 1)
	defer c.signals.on(func(signal syscall.Signal) {
		if signal != syscall.SIGINT {
			cancel()
			return
		}
		select {
		case interrupts <- struct{}{}:
		default: // one that the console has not seen yet says the same
		}
	})()
	c.status.show(func(now bool) {
		select {
		case <-lost: // an older state
		default:
		}
		lost <- now
	})
	return c.signals.code(plain.Run(ctx, c.link, plain.Options{
		In: os.Stdin, Out: os.Stdout, Interrupts: interrupts, Lost: lost, Workspace: c.o.Workspace, Session: c.opened.ID, Prompt: c.o.Prompt,
		Settings: c.settings(), Embedded: c.link.Embedded(), Export: c.export,
	}))
}
