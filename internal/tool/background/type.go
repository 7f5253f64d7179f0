package background

import (
	"context"
	"errors"
	"os"
	"time"
)

// typeLimit is how long a command may take to read what is typed: a pipe takes 64 KiB by itself.
const typeLimit = 10 * time.Second

// Write types text and says how much of it was taken, at most for typeLimit.
func (c *Command) Write(ctx context.Context, text string) (n int, err error) {
	c.typing.Lock()
	defer c.typing.Unlock()
	if text == "" {
		return 0, nil
	}
	_ = c.stdin.SetWriteDeadline(time.Now().Add(typeLimit)) // a closed one says so below
	late := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(late)
		_ = c.stdin.SetWriteDeadline(time.Unix(1, 0))
	})
	n, err = c.stdin.WriteString(text)
	if !stop() {
		<-late
	}
	return n, err
}

// StdinTrouble returns in words why something could not be typed.
func (c *Command) StdinTrouble(ctx context.Context, err error) string {
	switch {
	case ctx.Err() != nil:
		return "interrupted"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "the command does not read its input"
	case c.Running():
		return "the command's input is closed"
	}
	return "the command has ended: " + c.Status()
}
