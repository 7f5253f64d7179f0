package skill

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/frontmatter"
)

// Caps of a search.
const (
	maxDepth   = 6      // folders below a root
	maxFolders = 2000   // of a root
	maxEntries = 10_000 // of a folder
	maxErrors  = 100
)

// Find reads the skills below roots, in their order, and below each in the order of the
// paths. Folders whose names begin with "." are left out, and symlinks followed. Each
// folder counts once, wherever it can be reached from, and so do copies of a skill. What cannot be read is reported in
// errs, a sentence each, and left out; roots that do not exist are no error.
func Find(roots []string) (skills []Skill, errs []string) {
	f := finding{seen: map[string]bool{}}
	for _, root := range roots {
		first := len(f.skills)
		f.root(root)
		slices.SortStableFunc(f.skills[first:], func(a, b Skill) int { return cmp.Compare(a.Dir, b.Dir) })
	}
	return f.skills, f.errs
}

type finding struct {
	seen   map[string]bool // real paths of the folders looked into
	skills []Skill
	errs   []string
}

func (f *finding) fail(path string, err error) {
	switch {
	case len(f.errs) == maxErrors:
		f.errs = append(f.errs, "there are more errors")
	case len(f.errs) < maxErrors:
		f.errs = append(f.errs, oneLine(fmt.Sprintf("%s: %v", path, err)))
	}
}

// root looks below one root, folder by folder, the upper ones first.
func (f *finding) root(root string) {
	level, looked := []string{root}, 0
	for depth := 0; depth <= maxDepth && len(level) > 0; depth++ {
		var next []string
		for _, dir := range level {
			if _, err := os.Lstat(dir); depth == 0 && errors.Is(err, fs.ErrNotExist) {
				continue // as most roots: not worth a look at each folder above
			}
			real, err := filepath.EvalSymlinks(dir)
			if err != nil {
				if depth > 0 || !errors.Is(err, fs.ErrNotExist) {
					f.fail(dir, plain(err))
				}
				continue
			}
			if f.seen[real] {
				continue
			}
			f.seen[real] = true
			if looked++; looked > maxFolders {
				f.fail(root, fmt.Errorf("it has more than %d folders: the others are left out", maxFolders))
				return
			}
			next = append(next, f.folder(dir)...)
		}
		level = next
	}
}

// folder takes in the skill that dir may be, and returns the folders in it.
func (f *finding) folder(dir string) (folders []string) {
	entries, err := readFolder(dir)
	if err != nil {
		f.fail(dir, plain(err))
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		switch {
		case entry.Name() == FileName:
			s, err := read(dir)
			if err != nil {
				f.fail(path, err)
			}
			if s.Name != "" && !f.copied(s) {
				f.skills = append(f.skills, s)
			}
		case strings.HasPrefix(entry.Name(), "."):
		case isFolder(entry, path):
			folders = append(folders, path)
		}
	}
	return folders
}

// copied reports whether a skill is a copy of one that was found before: of the same name, with the
// same SKILL.md. Projects keep such copies for different agents.
func (f *finding) copied(s Skill) bool {
	for _, other := range f.skills {
		if other.Name != s.Name || other.Description != s.Description {
			continue
		}
		a, _, errA := readStart(other.Path(), maxText)
		b, _, errB := readStart(s.Path(), maxText)
		if errA == nil && errB == nil && bytes.Equal(a, b) {
			return true
		}
	}
	return false
}

func readFolder(dir string) ([]fs.DirEntry, error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	entries, err := folder.ReadDir(maxEntries)
	if err == io.EOF {
		err = nil
	}
	if len(entries) == maxEntries {
		err = fmt.Errorf("it has %d entries or more: the others are left out", maxEntries)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, err
}

// isFolder follows a symlink; a dangling one is none.
func isFolder(entry fs.DirEntry, path string) bool {
	if entry.Type()&fs.ModeSymlink == 0 {
		return entry.IsDir()
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// read reads the SKILL.md of dir. A Skill with a name can be used, whatever the error.
func read(dir string) (Skill, error) {
	data, _, err := readStart(filepath.Join(dir, FileName), maxHead)
	if err != nil {
		return Skill{}, err
	}
	head, body := frontmatter.Split(strings.ToValidUTF8(string(data), "\uFFFD"))
	fields, err := frontmatter.Parse(head)
	s := Skill{Dir: dir, Name: take(fields, "name"), Description: take(fields, "description")}
	s.Name = short(cmp.Or(oneLine(s.Name), oneLine(filepath.Base(dir))), maxName)
	s.Description = short(cmp.Or(oneLine(s.Description), paragraph(body), noDescription), maxDescription)
	s.Preview = preview(s.Description)
	for _, name := range []string{"disable-model-invocation", "disableModelInvocation", "hide"} {
		s.Hidden = s.Hidden || isTrue(fields[name])
	}
	if len(fields) > 0 {
		s.Fields = fields
	}
	return s, err
}

// isTrue reports whether a field of front matter is true, also in quotes.
func isTrue(field any) bool {
	if text, ok := field.(string); ok {
		return strings.EqualFold(strings.TrimSpace(text), "true")
	}
	return field == true
}

// take removes a field from fields and returns it; "" unless it is a text.
func take(fields map[string]any, name string) string {
	text, ok := fields[name].(string)
	if ok {
		delete(fields, name)
	}
	return text
}
