package native

import "context"

// This file contains the requests that change the history of a session, or what lists show of it.

// branch moves the head of the history back (session/branch).
func (s *session) branch(_ context.Context, p *SessionBranchParams) (SessionBranchResult, error) {
	removed, err := s.eng.Branch(p.Head)
	return SessionBranchResult{removed}, err
}

// label names a record (session/label).
func (s *session) label(_ context.Context, p *SessionLabelParams) (Empty, error) {
	return Empty{}, s.eng.Log().Label(p.Target, p.Label)
}

// compact begins to summarise the history; a record contains the summary, or why there is none (session/compact).
func (s *session) compact(_ context.Context, p *SessionCompactParams) (Empty, error) {
	return Empty{}, s.eng.CompactNoticed(context.Background(), p.Guidance, s.conn.blocking.Go)
}

// save writes the session to disk before its first prompt (session/save).
func (s *session) save(context.Context, *SessionParams) (Empty, error) { return Empty{}, s.eng.Save() }
