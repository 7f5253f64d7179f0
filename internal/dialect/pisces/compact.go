package pisces

import (
	"context"
	"errors"
)

var errAlreadyCompacted = errors.New("Already compacted") //nolint:staticcheck // the protocol's words

// compact summarises the older messages, and answers with the summary (compact). A run ends first.
func (c *conn) compact(ctx context.Context, m command, guidance string) {
	s := c.session
	if err := s.abort(ctx); err != nil {
		c.reply(m, nil, err)
		return
	}
	if s.compactedLast() {
		c.reply(m, nil, errAlreadyCompacted)
		return
	}
	wait, err := s.eng.Compact(context.Background(), guidance)
	if err != nil {
		c.reply(m, nil, err)
		return
	}
	summed := make(chan struct{})
	s.summed = summed
	c.beside.Go(func() {
		defer close(summed)
		_, err := wait()
		s.pump.Later(func() [][]byte { // after its record: the view knows of it then
			s.mu.Lock()
			defer s.mu.Unlock()
			return [][]byte{outcome(m, s.view.summary, err)}
		})
	})
}

// compactedLast reports whether nothing was said since the last compaction.
func (s *session) compactedLast() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.view.context
	n := len(c.messages)
	return n > 0 && !c.lost && c.messages[n-1].seq <= c.summed
}
