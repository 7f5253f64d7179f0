package native

import (
	"fmt"
	"time"

	"parley.dev/parley/internal/wire/jsonrpc"
)

// defaultMaxFollows is how many sessions a connection may follow at once, unless Config says otherwise.
const defaultMaxFollows = 1000

// retryWait is what a client that has reached a limit should wait before it tries again.
const retryWait = time.Second

// limitReached returns the answer to a request that would exceed a limit.
func limitReached(message string) *jsonrpc.Error {
	return failure(CodeBusy, message, ErrorData{Kind: "limit", RetryMS: retryWait.Milliseconds()})
}

// checkFollows returns an error if the connection follows as many sessions as it may, besides s.
func (c *conn) checkFollows(s *session) error {
	most, follows := c.cfg.MaxFollows, 0
	if most == 0 {
		most = defaultMaxFollows
	}
	for _, other := range c.sessions {
		if other != s && other.watched.following {
			follows++
		}
	}
	if follows < most {
		return nil
	}
	return limitReached(fmt.Sprintf("the connection follows %d sessions, and not more are possible: end some with session/unfollow", follows))
}
