package tool

import (
	"fmt"
	"maps"
	"sync"
)

// A ProgramSet is the running programs of a client, by the ids that the client gave them. The zero value is empty; it is safe
// for use by several goroutines.
type ProgramSet struct {
	mu      sync.Mutex
	running map[string]*RunningProgram // nil: it is being started
}

// Start starts a program under an id that no running program has. The id is free again when the program has ended.
func (s *ProgramSet) Start(id string, start func() (*RunningProgram, error)) (*RunningProgram, error) {
	s.mu.Lock()
	maps.DeleteFunc(s.running, func(_ string, r *RunningProgram) bool { return r != nil && r.ended() })
	if _, taken := s.running[id]; taken {
		s.mu.Unlock()
		return nil, fmt.Errorf("a program with the id %q runs already", id)
	}
	if s.running == nil {
		s.running = map[string]*RunningProgram{}
	}
	s.running[id] = nil
	s.mu.Unlock()
	r, err := start()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		delete(s.running, id)
		return nil, err
	}
	s.running[id] = r
	return r, nil
}

// Find returns the running program with that id.
func (s *ProgramSet) Find(id string) (*RunningProgram, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.running[id]; r != nil && !r.ended() {
		return r, nil
	}
	return nil, fmt.Errorf("no program with the id %q runs", id)
}
