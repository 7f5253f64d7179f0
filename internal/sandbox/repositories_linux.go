package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	gitName = ".git"
	// gitDepth is how many folders below a root are searched for repositories in the root,
	// and gitFolderLimit how many folders of one root in all, the nearest first.
	gitDepth       = 4
	gitFolderLimit = 1000
	// settled is how long ago a folder must have changed for a reading of it to be kept:
	// a change in the same tick of the file system's clock would not be seen.
	settled = 50 * time.Millisecond
)

// unsearched are folders with very many folders in them, where nobody works.
var unsearched = map[string]bool{gitName: true, "node_modules": true, ".venv": true, "__pycache__": true}

// repositories is shared by all Spawners: it holds nothing but what is on the disk.
var repositories = gitSearch{read: map[string]*reading{}}

// A gitSearch finds repositories below roots, and reads a folder again only when it has
// changed: a command in a known workspace costs a stat a folder.
type gitSearch struct {
	mu   sync.Mutex
	read map[string]*reading
}

// A reading is what was found in one folder.
type reading struct {
	inode   uint64
	changed int64 // ns
	git     bool
	folders []string
}

// gitReadings bounds the memory of a gitSearch.
const gitReadings = 20 * gitFolderLimit

// find returns every .git at most gitDepth folders below root, whatever kind of file it is.
func (s *gitSearch) find(root string) (gits []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.read) > gitReadings {
		clear(s.read)
	}
	level, left := []string{root}, gitFolderLimit
	for range gitDepth + 1 {
		var next []string
		for _, folder := range level {
			if left--; left < 0 {
				return gits
			}
			r := s.look(folder)
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

// look returns the reading of a folder, nil if it has none.
func (s *gitSearch) look(folder string) *reading {
	var stat syscall.Stat_t
	if err := syscall.Lstat(folder, &stat); err != nil || stat.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		delete(s.read, folder)
		return nil
	}
	changed := stat.Mtim.Nano()
	r := s.read[folder]
	if r != nil && r.inode == stat.Ino && r.changed == changed {
		return r
	}
	delete(s.read, folder)
	before := time.Now()
	r = readFolder(folder)
	if r == nil {
		return nil
	}
	r.inode, r.changed = stat.Ino, changed
	if before.Sub(time.Unix(0, changed)) > settled {
		s.read[folder] = r
	}
	return r
}

func readFolder(folder string) *reading {
	f, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(-1) // what was read before an error counts
	r := &reading{}
	for _, entry := range entries {
		if entry.Name() == gitName {
			r.git = true
		}
		if entry.IsDir() && !unsearched[entry.Name()] {
			r.folders = append(r.folders, filepath.Join(folder, entry.Name()))
		}
	}
	return r
}

// gitFolders are the folders that a .git stands for, beside itself: the .git of a worktree
// or a submodule is a file that names one, which names another; and a link has a target.
func gitFolders(git string) (folders []string) {
	info, err := os.Lstat(git)
	if err != nil {
		return nil
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := filepath.EvalSymlinks(git)
		if err != nil {
			return nil
		}
		return append(gitFolders(target), target)
	}
	folder := git
	if info.Mode().IsRegular() {
		named, ok := strings.CutPrefix(firstText(git), "gitdir:")
		if !ok {
			return nil
		}
		if folder, err = filepath.EvalSymlinks(absolute(strings.TrimSpace(named), filepath.Dir(git))); err != nil {
			return nil
		}
		folders = append(folders, folder)
	}
	if common := firstText(filepath.Join(folder, "commondir")); common != "" {
		if common, err = filepath.EvalSymlinks(absolute(common, folder)); err == nil {
			folders = append(folders, common)
		}
	}
	return folders
}

// firstText is the beginning of a small file, without space around it.
func firstText(path string) string {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() { // a pipe would never end
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text := make([]byte, 4<<10)
	n, _ := f.Read(text)
	return strings.TrimSpace(string(text[:n]))
}

func absolute(path, folder string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	return filepath.Clean(path)
}
