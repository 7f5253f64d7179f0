package stream

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// codeUnavailable is the code of JetStream for "temporarily unavailable": no server leads the stream now.
const codeUnavailable jetstream.ErrorCode = 10008

// available calls request until a server answers it, for AnswerTimeout at most. The request must be one that may
// be repeated. It returns what the last attempt has returned.
func available[T any](ctx context.Context, c *Client, request func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, AnswerTimeout)
	defer cancel()
	return repeat(ctx, c.unavailable, request)
}

// repeat calls request until it returns no error that again accepts, or ctx ends.
func repeat[T any](ctx context.Context, again func(error) bool, request func(context.Context) (T, error)) (T, error) {
	var pause Backoff
	for {
		answer, err := request(ctx)
		if err == nil || !again(err) || pause.Wait(ctx, maxRetryDelay) != nil {
			return answer, err
		}
	}
}

// unavailable reports whether an error only means that no server could answer yet: the servers elect a leader, or
// the connection is interrupted.
func (c *Client) unavailable(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	switch {
	case ok:
		return api.ErrorCode == codeUnavailable
	case errors.Is(err, nats.ErrConnectionClosed): // also of a request whose connection was replaced
		return !c.conn.IsClosed()
	}
	return errors.Is(err, nats.ErrNoResponders) || errors.Is(err, nats.ErrReconnectBufExceeded)
}
