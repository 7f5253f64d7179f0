package snapshot

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"parley.dev/parley/internal/git"
	"parley.dev/parley/internal/program"
	"parley.dev/parley/internal/regular"
)

// A repository is a git folder of our own for the work tree of the user.
type repository struct {
	folder string // the git folder
	top    string // of the work tree
	spec   string // pathspec of the folder that snapshots are of
}

// attributes keep git from changing contents: lines end as they do, and no filter runs.
const attributes = "* -text -eol -crlf -ident -filter -working-tree-encoding\n"

// config is that of the git folder. Objects are small and short-lived, so they are not compressed.
const config = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tcompression = 0\n\tlooseCompression = 0\n"

// settings are those of git besides its own: contents stay as they are, and the index has the form that gitlinks reads.
var settings = []string{"core.autocrlf=false", "core.safecrlf=false", "index.version=2", "index.sparse=false", "core.splitIndex=false"}

// maxLine limits the small files of a git folder that are read, in bytes.
const maxLine = 64 << 10

// newRepository makes a git folder for the work tree top, whose own git folder is common, for snapshots of dir.
func newRepository(folder, top, common, dir string) (*repository, error) {
	files := map[string]string{
		"HEAD": "ref: refs/heads/snapshots\n", "config": config, "info/attributes": attributes,
	}
	if common != "" {
		if data, err := regular.ReadFile(filepath.Join(common, "info", "exclude"), maxLine); err == nil {
			files["info/exclude"] = string(data)
		}
		if data, err := regular.ReadFile(filepath.Join(common, "config"), maxLine); err == nil && !strings.Contains(strings.ToLower(string(data)), "objectformat") {
			files["objects/info/alternates"] = filepath.Join(common, "objects") + "\n" // what is there is not written again
		}
	}
	for _, sub := range []string{"info", "objects/info", "refs/heads"} {
		if err := os.MkdirAll(filepath.Join(folder, sub), 0o700); err != nil {
			return nil, err
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	r := &repository{folder: folder, top: top, spec: ":(top)"}
	if rel, err := filepath.Rel(top, dir); err == nil && rel != "." {
		r.spec = ":(top,literal)" + filepath.ToSlash(rel)
	}
	return r, nil
}

// write writes the files as a tree object and returns its id. Files that cannot be read are left out.
func (r *repository) write(ctx context.Context, run git.Runner) (tree string, err error) {
	if err := r.forgetNested(ctx, run); err != nil {
		return "", err
	}
	if _, err := r.git(ctx, run, nil, "add", "--all", "--ignore-errors", "--", r.spec); err != nil && !isPartial(err) {
		return "", err
	}
	out, err := r.git(ctx, run, nil, "write-tree")
	return strings.TrimSpace(string(out)), err
}

// forgetNested removes the nested repositories from the index. git add only reads the HEAD of one that is new; to compare one that is in the
// index, it would run in it, with the settings of that repository.
func (r *repository) forgetNested(ctx context.Context, run git.Runner) error {
	data, err := os.ReadFile(filepath.Join(r.folder, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	nested, err := gitlinks(data)
	if err != nil || len(nested) == 0 {
		return err
	}
	in, feed, err := os.Pipe()
	if err != nil {
		return err
	}
	defer in.Close()
	go func() {
		_, _ = feed.WriteString(strings.Join(nested, "\x00") + "\x00") // git reports what it lacks
		_ = feed.Close()
	}()
	_, err = r.git(ctx, run, in, "update-index", "--force-remove", "-z", "--stdin")
	return err
}

// isPartial reports whether git has done all but what it could not read.
func isPartial(err error) bool {
	failed, ok := errors.AsType[*git.Error](err)
	return ok && failed.Code == 1
}

// git runs git and returns its output.
func (r *repository) git(ctx context.Context, run git.Runner, stdin *os.File, args ...string) ([]byte, error) {
	out, err := run.Run(ctx, git.Command{
		Dir: r.top, Args: args, Settings: settings, Env: []string{"GIT_DIR=" + r.folder, "GIT_WORK_TREE=" + r.top},
		Writable: []string{r.folder}, Stdin: stdin, Limit: maxOutput,
	})
	switch {
	case errors.Is(err, program.ErrNotFound):
		return nil, ErrNone
	case errors.Is(err, git.ErrTooMuch):
		return nil, errTooMuch
	}
	return out, err
}

// readLine returns the first line of a small file.
func readLine(path string) (string, error) {
	data, err := regular.ReadFile(path, maxLine)
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(line), err
}
