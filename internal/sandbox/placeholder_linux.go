package sandbox

import (
	"os"
	"sync"
)

// placeholders are empty folders and files at paths where a command must not create anything: a
// mount needs an existing path. They are shared by all commands that need them and removed after
// the last one. When this process is killed, its reaper removes them. One that is left all the same, by a kill of both, is empty: git
// ignores such a folder, and the next command that needs it removes it; a file stays.
var placeholders = placeholderSet{users: map[string]int{}}

type placeholderSet struct {
	mu    sync.Mutex
	users map[string]int
}

// create creates folders and files, and returns those that are present now; the others can be
// created neither by this process nor by a command. The caller must pass the result to release.
func (s *placeholderSet) create(folders, files []string) (present []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range folders {
		if err := os.Mkdir(path, 0o700); err != nil && !os.IsExist(err) {
			continue
		}
		s.users[path]++
		present = append(present, path)
	}
	for _, path := range files {
		if s.users[path] > 0 || makeFile(path) {
			s.users[path]++
		} else if _, err := os.Lstat(path); err != nil {
			continue
		}
		present = append(present, path)
	}
	return present
}

// makeFile creates an empty file and reports whether it did; it fails if the path exists.
func makeFile(path string) bool {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return false
	}
	return f.Close() == nil
}

// has reports whether path is a placeholder of this process.
func (s *placeholderSet) has(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.users[path] > 0
}

// release undoes create. A folder or file that is not empty stays.
func (s *placeholderSet) release(paths []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range paths {
		if s.users[path] == 0 { // it was created by another process, and was only protected
			continue
		}
		if s.users[path]--; s.users[path] > 0 {
			continue
		}
		delete(s.users, path)
		if info, err := os.Lstat(path); err == nil && (info.IsDir() || info.Mode().IsRegular() && info.Size() == 0) {
			_ = os.Remove(path) // fails for a folder that is not empty, which is no placeholder
		}
	}
}
