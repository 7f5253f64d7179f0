package engine

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/gitroot"
	"parley.dev/parley/internal/regular"
)

// This file finds and reads the context files of a project, and the user's own.

const (
	memoryCap = 64 << 10 // how much of one context file is read, in bytes
	nestedCap = 16 << 10 // of one below the workspace

	nestedFiles   = 20  // context files below the workspace that a prompt names
	nestedFolders = 500 // folders that are looked through for them
	nestedDepth   = 5
)

// otherContextFile is read in a folder that has none of Options.ContextFiles.
const otherContextFile = "CLAUDE.md"

// skippedFolders are not looked through for context files.
var skippedFolders = []string{"node_modules", "vendor", "target", "dist", "build"}

// A projectMemory is the text of the context files for a folder.
type projectMemory struct {
	dir, text string
}

// memory returns the text of the context files. They are read once for each folder that the session
// works in, and again after a compaction.
func (s *Session) memory() string {
	s.mu.Lock()
	dir, known := s.fold.State.Dir(), s.work.project
	s.mu.Unlock()
	if known.dir == dir {
		return known.text
	}
	known = projectMemory{dir, readMemory(dir, s.host.cfg.UserInstructions, s.opts.ContextFiles)}
	s.mu.Lock()
	s.work.project = known
	s.mu.Unlock()
	return known.text
}

// readMemory returns the text of the user's own file and of the project's context files, the
// outermost first, and the names of those below the workspace.
func readMemory(workspace, own string, names []string) string {
	var b strings.Builder
	add := func(title, path string) {
		data, err := readCapped(path, memoryCap)
		if err != nil || strings.TrimSpace(data) == "" {
			return
		}
		fmt.Fprintf(&b, "\n# %s from %s\n\n%s\n", title, path, strings.TrimSpace(data))
		if len(data) >= memoryCap {
			fmt.Fprintf(&b, "[cut after %d bytes: read the file for the rest]\n", memoryCap)
		}
	}
	if file, err := filepath.EvalSymlinks(own); err == nil && len(names) > 0 && own != "" {
		add("The user's own instructions", file)
	}
	own = b.String()
	for _, path := range MemoryFiles(workspace, names) {
		add("Project instructions", path)
	}
	nested := nestedMemoryFiles(workspace, names)
	if b.Len() > len(own) || len(nested) > 0 {
		b.WriteString("\nWhere instructions differ, those nearest to the code hold, and what the user says holds before all of them.\n")
	}
	if len(nested) > 0 {
		b.WriteString("\nThere are instructions for folders, too; you get them when you first read or change a file there:\n")
		for _, path := range nested {
			fmt.Fprintf(&b, "- %s\n", path)
		}
	}
	return b.String()
}

// MemoryFiles returns the context files of those names that exist, from the root of the workspace's
// repository down to the workspace. Outside a repository only the workspace counts. A folder without
// any has CLAUDE.md. Symbolic links are followed to Markdown files in the repository; the
// paths are those of the files.
func MemoryFiles(workspace string, names []string) []string {
	if len(names) == 0 {
		return nil
	}
	root := repositoryRoot(workspace)
	var paths []string
	for dir := workspace; ; dir = filepath.Dir(dir) {
		found := contextFiles(dir, root, names)
		slices.Reverse(found)
		paths = append(paths, found...)
		if dir == root || filepath.Dir(dir) == dir {
			break
		}
	}
	slices.Reverse(paths)
	return paths
}

// repositoryRoot returns the root of the repository that dir is in; dir where it is in none.
func repositoryRoot(dir string) string {
	if root, found := gitroot.Find(dir); found {
		return root
	}
	return dir
}

// contextFiles returns the context files in dir. A file that has two names counts once.
func contextFiles(dir, root string, names []string) (paths []string) {
	for _, name := range names {
		if path := contextFile(filepath.Join(dir, name), root); path != "" && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if len(paths) > 0 {
		return paths
	}
	if path := contextFile(filepath.Join(dir, otherContextFile), root); path != "" {
		return []string{path}
	}
	return nil
}

// contextFile returns path where it is a regular file, or the Markdown file below root that it links
// to; else "". A link of another kind may lead to a secret of the user's, such as .env.
func contextFile(path, root string) string {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return ""
	case info.Mode().IsRegular():
		return path
	case info.Mode()&fs.ModeSymlink == 0:
		return ""
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	if info, err := os.Lstat(target); err != nil || !info.Mode().IsRegular() || filepath.Ext(target) != ".md" || !liesBelow(root, target) {
		return ""
	}
	return target
}

// liesBelow reports whether path lies below dir, and not in git's own folder.
func liesBelow(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel) && !slices.Contains(strings.Split(rel, string(filepath.Separator)), ".git")
}

// nestedMemoryFiles returns context files below the workspace, relative to it. It looks through a
// limited number of folders.
func nestedMemoryFiles(workspace string, names []string) (found []string) {
	if len(names) == 0 {
		return nil
	}
	queue := []string{"."}
	for folders := 0; len(queue) > 0 && folders < nestedFolders && len(found) < nestedFiles; folders++ {
		dir := queue[0]
		queue = queue[1:]
		entries, err := os.ReadDir(filepath.Join(workspace, dir))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if name := e.Name(); e.IsDir() && !strings.HasPrefix(name, ".") && !slices.Contains(skippedFolders, name) &&
				strings.Count(dir, "/") < nestedDepth {
				queue = append(queue, filepath.Join(dir, name))
			}
		}
		if dir == "." {
			continue
		}
		for _, e := range entries {
			if slices.Contains(names, e.Name()) || e.Name() == otherContextFile && !hasAny(entries, names) {
				found = append(found, filepath.Join(dir, e.Name()))
			}
		}
	}
	return found[:min(len(found), nestedFiles)]
}

func hasAny(entries []os.DirEntry, names []string) bool {
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return slices.Contains(names, e.Name()) })
}

// touch remembers files that a call has read or changed, for noteInstructions.
func (t *turn) touch(paths []approval.Path) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	for _, p := range paths {
		if !p.Recursive {
			t.touched = append(t.touched, p.Path)
		}
	}
}

// noteInstructions records for the model the context files of the folders below the workspace in which it
// has touched files, those that the history does not have yet.
func (t *turn) noteInstructions() {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	touched := t.touched
	t.touched = nil
	known := map[string]bool{}
	for _, e := range s.fold.Entries {
		if e.Note != nil && e.Note.Topic == event.NoteInstructions {
			known[e.Note.Path] = true
		}
	}
	workspace := s.fold.State.Dir()
	root := repositoryRoot(workspace)
	for _, file := range touched {
		var dirs []string
		for dir := filepath.Dir(file); dir != workspace && liesBelow(workspace, dir); dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
		}
		for _, dir := range slices.Backward(dirs) {
			for _, path := range contextFiles(dir, root, s.opts.ContextFiles) {
				if known[path] || path == file {
					continue
				}
				known[path] = true
				data, err := readCapped(path, nestedCap)
				if err != nil || strings.TrimSpace(data) == "" {
					continue
				}
				s.log.Append(t.id, event.ContextNote{
					Topic: event.NoteInstructions, Path: path,
					Text: fmt.Sprintf("[Project instructions from %s, for the files in its folder]\n\n%s", path, strings.TrimSpace(data)),
				})
			}
		}
	}
}

func readCapped(path string, limit int64) (string, error) {
	f, err := regular.OpenNoFollow(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit))
	if len(data) == 0 && err != nil {
		return "", err
	}
	return strings.ToValidUTF8(string(data), "\uFFFD"), nil
}
