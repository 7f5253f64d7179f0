package program

import "sync"

// A status is whether the connection is there, for what shows it.
type status struct {
	mu     sync.Mutex
	lost   bool
	report func(lost bool) // nil: nothing shows it yet
}

// set notes a report of the link.
func (s *status) set(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if lost := err != nil; lost != s.lost {
		s.lost = lost
		if s.report != nil {
			s.report(lost)
		}
	}
}

// show has changes reported from now on, and the present state if the connection is lost. report must not wait.
func (s *status) show(report func(lost bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.report = report; s.lost {
		report(true)
	}
}
