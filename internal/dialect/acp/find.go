package acp

import "parley.dev/parley/internal/event"

// find returns the session of a request, which was opened before and is not being loaded.
func (c *conn) find(id string) (*session, error) {
	s := c.sessions[event.SessionID(id)]
	switch {
	case c.loading[event.SessionID(id)]:
		return nil, errLoading
	case s == nil:
		return nil, noSession(id)
	}
	if err := s.eng.Moved(); err != nil {
		return nil, err
	}
	if s.eng.Ended() != "" {
		return nil, noSession(id)
	}
	return s, nil
}
