package native

import (
	"context"
	"time"
)

// storedLimit is how long the answer to a request waits until a deferred store has acknowledged what it has recorded.
const storedLimit = 10 * time.Second

// awaiting marks a method whose answer waits until what it has recorded, or what it shows of the session, is stored.
func awaiting(m method) method {
	m.awaits = true
	return m
}

// answerAround answers a request of a session with what handle returns; see [dialect.Pump.Around].
func (c *conn) answerAround(s *session, r request, handle func() (any, error)) {
	if !methodOf(r.method).awaits {
		s.watched.pump.Around(func() [][]byte {
			result, err := handle()
			return [][]byte{answerLine(r.id, result, err)}
		})
		return
	}
	s.watched.pump.AroundAwaited(c.blocking.Go, func() func() [][]byte {
		result, err := handle()
		return func() [][]byte {
			if err == nil {
				err = c.awaitStored(s)
			}
			return [][]byte{answerLine(r.id, result, err)}
		}
	})
}

// awaitStored waits until everything that was recorded is stored. For a disk it waits also after the input has ended: that answers.
func (c *conn) awaitStored(s *session) error {
	if !c.cfg.Host.Deferred() {
		return s.eng.Log().AwaitStored(context.Background())
	}
	ctx, cancel := context.WithTimeout(c.life, storedLimit)
	defer cancel()
	return s.eng.Log().AwaitStored(ctx)
}
