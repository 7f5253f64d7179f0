package sandbox

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const (
	// gitDepth is the number of levels below a root that are searched for repositories, and
	// gitFolderLimit the number of folders of one root in all, the nearest first.
	gitDepth       = 4
	gitFolderLimit = 1000
	// mtimeResolution is the minimum age of a folder's last change for its listing to be cached:
	// a further change in the same tick of the file system's clock could not be detected.
	mtimeResolution = 50 * time.Millisecond
)

// skippedFolders are names of folders that contain very many folders and no work of the user.
var skippedFolders = map[string]bool{gitName: true, "node_modules": true, ".venv": true, "__pycache__": true}

// repositories is shared by all Spawners: it is only a cache of what is on the disk.
var repositories = gitSearch{listings: map[string]*listing{}}

// A gitSearch finds repositories below roots, and lists a folder again only when it has
// changed: a command in a known workspace costs one stat per folder.
type gitSearch struct {
	mu       sync.Mutex
	listings map[string]*listing
}

// A listing is the part of a folder's content that a gitSearch needs.
type listing struct {
	inode   uint64
	changed int64 // ns
	git     bool
	folders []string
}

// maxListings limits the memory of a gitSearch.
const maxListings = 20 * gitFolderLimit

// find returns every .git at most gitDepth folders below root, whatever kind of file it is.
func (s *gitSearch) find(root string) (gits []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.listings) > maxListings {
		clear(s.listings)
	}
	level, left := []string{root}, gitFolderLimit
	for range gitDepth + 1 {
		var next []string
		for _, folder := range level {
			if left--; left < 0 {
				return gits
			}
			r := s.list(folder)
			if r == nil {
				continue
			}
			if r.git {
				gits = append(gits, filepath.Join(folder, gitName))
			}
			next = append(next, r.folders...)
		}
		level = next
	}
	return gits
}

// list returns the listing of a folder, or nil if it is no folder or cannot be read.
func (s *gitSearch) list(folder string) *listing {
	var stat syscall.Stat_t
	if err := syscall.Lstat(folder, &stat); err != nil || stat.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		delete(s.listings, folder)
		return nil
	}
	changed := stat.Mtim.Nano()
	r := s.listings[folder]
	if r != nil && r.inode == stat.Ino && r.changed == changed {
		return r
	}
	delete(s.listings, folder)
	before := time.Now()
	r = listFolder(folder)
	if r == nil {
		return nil
	}
	r.inode, r.changed = stat.Ino, changed
	if before.Sub(time.Unix(0, changed)) > mtimeResolution {
		s.listings[folder] = r
	}
	return r
}

func listFolder(folder string) *listing {
	f, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(-1) // what was read before an error counts
	r := &listing{}
	for _, entry := range entries {
		if entry.Name() == gitName {
			r.git = true
		}
		if entry.IsDir() && !skippedFolders[entry.Name()] {
			r.folders = append(r.folders, filepath.Join(folder, entry.Name()))
		}
	}
	return r
}
