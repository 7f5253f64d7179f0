package rpc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley.dev/parley/internal/backend"
)

var errNotReady = errors.New("the agent is not ready")

// Begin calls begin, which shakes hands and opens a session, with a context that ends after limit. After an error the process has
// ended. The error is that of begin, where an agent that is gone, or not ready in time, has failed to start.
func (c *Conn) Begin(ctx context.Context, limit time.Duration, begin func(context.Context) error) error {
	within, cancel := context.WithTimeoutCause(ctx, limit, errNotReady)
	defer cancel()
	err := begin(within)
	if err == nil {
		return nil
	}
	c.process.Kill()
	<-c.ended
	if errors.Is(err, errNotReady) {
		return c.process.Failure(backend.CodeStart, fmt.Sprintf("it was not ready after %s", limit))
	}
	if failed, ok := errors.AsType[*backend.Error](err); ok && failed.Code == backend.CodeGone {
		failed.Code = backend.CodeStart
	}
	return err
}
