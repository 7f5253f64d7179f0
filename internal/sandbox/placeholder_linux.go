package sandbox

import (
	"os"
	"sync"
)

// placeholders are empty folders that stand where nothing may be made: something can be
// mounted only over what is there. They are shared by all commands that need them and
// taken away with the last. One that a kill leaves behind is an empty folder, which git
// takes no notice of, and which the next command adopts.
var placeholders = placeholderSet{users: map[string]int{}}

type placeholderSet struct {
	mu    sync.Mutex
	users map[string]int
}

// put returns those of paths that are there now; the others could not be made, neither by
// this process nor by a command. take must follow with what it returned.
func (s *placeholderSet) put(paths []string) (there []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range paths {
		if err := os.Mkdir(path, 0o700); err != nil && !os.IsExist(err) {
			continue
		}
		s.users[path]++
		there = append(there, path)
	}
	return there
}

// take undoes put. What is not an empty folder stays.
func (s *placeholderSet) take(paths []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range paths {
		if s.users[path]--; s.users[path] == 0 {
			delete(s.users, path)
			_ = os.Remove(path) // somebody else put something in it: then it is no placeholder
		}
	}
}
