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
	var stored func(context.Context) error // nil: there is nothing to wait for
	start := func(answer func()) {
		if stored == nil {
			answer() // before what the next request is answered
			return
		}
		c.blocking.Go(answer)
	}
	s.watched.pump.AroundAwaited(start, func() func() [][]byte {
		result, err := handle()
		if err == nil {
			stored = s.eng.Log().Storing()
		}
		return func() [][]byte {
			if stored != nil {
				err = c.awaitStored(stored)
			}
			return [][]byte{answerLine(r.id, result, err)}
		}
	})
}

// awaitStored waits with what [engine.Log.Storing] has returned. For a disk it waits also after the input has ended: that answers.
func (c *conn) awaitStored(stored func(context.Context) error) error {
	if !c.cfg.Host.Deferred() {
		return stored(context.Background())
	}
	ctx, cancel := context.WithTimeout(c.life, storedLimit)
	defer cancel()
	return stored(ctx)
}
