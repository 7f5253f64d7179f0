package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"parley.dev/parley/internal/git"
)

const (
	// maxChanges is how many files a command may change for their changes to be known.
	maxChanges = 2000
	// maxOutput is how much their contents may be, before and after together, in bytes.
	maxOutput = 128 << 20
)

// errTooMuch is of changes that are not worth keeping.
var errTooMuch = errors.New("too many files have changed, or too large ones")

// A Change is the change of one file.
type Change struct {
	Path          string // absolute
	Before, After File
}

// A File is a regular file at some time. The zero File is one that does not exist.
type File struct {
	Exists bool
	Mode   fs.FileMode // permission bits as git has them: 0644 or 0755
	Data   []byte
}

// Changes returns the changes of files between two snapshots of the same folder, sorted by path. Links and nested repositories
// that changed are not among them; whole reports that there are none of those.
func (t *Taker) Changes(ctx context.Context, before, after Snapshot, environ []string) (changes []Change, whole bool, err error) {
	if before.repo == nil || before.repo != after.repo {
		return nil, false, errors.New("the snapshots are of different folders")
	}
	if before.tree == after.tree {
		return nil, true, nil
	}
	ctx, cancel := context.WithTimeout(ctx, firstWait)
	defer cancel()
	r := before.repo
	list, err := r.git(ctx, t.runner(environ), nil, "diff-tree", "-r", "-z", "--no-renames", before.tree, after.tree, "--", r.spec)
	if err != nil {
		return nil, false, err
	}
	entries, whole, err := parseList(string(list))
	if err != nil {
		return nil, false, err
	}
	contents, err := r.contents(ctx, t.runner(environ), entries)
	if err != nil {
		return nil, false, err
	}
	for _, e := range entries {
		changes = append(changes, Change{filepath.Join(r.top, filepath.FromSlash(e.path)), e.before.file(contents), e.after.file(contents)})
	}
	return changes, whole, nil
}

// A side is a file in a tree object.
type side struct {
	mode string // as git writes it; "000000": there is none
	id   string // of its content
}

// plain reports whether it is a regular file, or none.
func (s side) plain() bool { return s.mode == "000000" || strings.HasPrefix(s.mode, "100") }

func (s side) file(contents map[string][]byte) File {
	if s.mode == "000000" {
		return File{}
	}
	mode, _ := strconv.ParseUint(s.mode, 8, 32) // git wrote it
	return File{true, fs.FileMode(mode) & fs.ModePerm, contents[s.id]}
}

// An entry is a changed path, relative to the work tree.
type entry struct {
	path          string
	before, after side
}

// parseList reads the output of git diff-tree -r -z: ":MODE MODE ID ID LETTER", NUL, the path, NUL.
func parseList(list string) (entries []entry, whole bool, err error) {
	whole = true
	fields := strings.Split(strings.TrimSuffix(list, "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		parts := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(parts) != 5 {
			return nil, false, fmt.Errorf("git reports a change as %q", fields[i])
		}
		e := entry{fields[i+1], side{parts[0], parts[2]}, side{parts[1], parts[3]}}
		if !e.before.plain() || !e.after.plain() {
			whole = false
			continue
		}
		if entries = append(entries, e); len(entries) > maxChanges {
			return nil, false, errTooMuch
		}
	}
	return entries, whole, nil
}

// contents returns the contents of the files of entries, by id.
func (r *repository) contents(ctx context.Context, run git.Runner, entries []entry) (map[string][]byte, error) {
	contents := map[string][]byte{}
	var wanted []string
	for _, e := range entries {
		for _, s := range []side{e.before, e.after} {
			if _, known := contents[s.id]; !known && s.mode != "000000" {
				contents[s.id] = nil
				wanted = append(wanted, s.id)
			}
		}
	}
	if len(wanted) == 0 {
		return contents, nil
	}
	in, feed, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	go func() {
		_, _ = feed.WriteString(strings.Join(wanted, "\n") + "\n") // git reports what it lacks
		_ = feed.Close()
	}()
	out, err := r.git(ctx, run, in, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	for _, id := range wanted {
		header, rest, ok := bytes.Cut(out, []byte("\n"))
		parts := strings.Fields(string(header))
		if !ok || len(parts) != 3 || parts[0] != id {
			return nil, fmt.Errorf("git reports the content of %s as %q", id, header)
		}
		size, err := strconv.Atoi(parts[2])
		if err != nil || size < 0 || size+1 > len(rest) {
			return nil, fmt.Errorf("git reports the content of %s as %q", id, header)
		}
		contents[id], out = rest[:size:size], rest[size+1:]
	}
	return contents, nil
}
