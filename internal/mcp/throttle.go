package mcp

import (
	"bytes"
	"context"
	"io"

	"golang.org/x/time/rate"
)

// How fast a program may write. A line costs as much as some hundred bytes, since each is
// decoded and logged: at this rate a flood uses less than a fifth of a processor.
const (
	bytesPerSecond = 8 << 20
	bytesAtOnce    = 64 << 20 // a large result is not slowed
	bytesOfLine    = 256
)

// A throttle slows what a program writes to its stdout and stderr: the program waits for its
// pipe. It calls flooded once, when it first does so.
type throttle struct {
	ctx     context.Context // ends the waiting
	limiter *rate.Limiter
	flooded func()
}

func newThrottle(ctx context.Context, flooded func()) *throttle {
	return &throttle{ctx, rate.NewLimiter(bytesPerSecond, bytesAtOnce), flooded}
}

// writer returns to, slowed. Only one goroutine may write to it at a time.
func (t *throttle) writer(to io.Writer) io.Writer { return throttled{t, to} }

type throttled struct {
	*throttle
	to io.Writer
}

func (w throttled) Write(text []byte) (int, error) {
	cost := min(len(text)+bytesOfLine*bytes.Count(text, []byte("\n")), bytesAtOnce)
	if w.limiter.Tokens() < float64(cost) {
		w.flooded()
	}
	_ = w.limiter.WaitN(w.ctx, cost) // after the end what is left is read at once
	return w.to.Write(text)
}
