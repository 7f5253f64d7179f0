package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/regular"
	"parley.dev/parley/internal/sandbox"
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

// safe are settings that keep git from running programs, whatever the user's own configuration says.
var safe = []string{
	"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "core.autocrlf=false",
	"-c", "core.safecrlf=false", "-c", "core.sparseCheckout=false", "-c", "advice.addEmbeddedRepo=false", "-c", "core.quotePath=false",
}

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
func (r *repository) write(ctx context.Context, spawner *sandbox.Spawner, environ []string) (tree string, err error) {
	if _, err := r.git(ctx, spawner, environ, nil, "add", "--all", "--ignore-errors", "--", r.spec); err != nil && !isPartial(err) {
		return "", err
	}
	out, err := r.git(ctx, spawner, environ, nil, "write-tree")
	return strings.TrimSpace(string(out)), err
}

// A gitError is an error that git reports.
type gitError struct {
	verb, text string
	code       int
}

func (e *gitError) Error() string {
	return fmt.Sprintf("git %s ended with code %d: %s", e.verb, e.code, e.text)
}

// isPartial reports whether git has done all but what it could not read.
func isPartial(err error) bool {
	failed, ok := errors.AsType[*gitError](err)
	return ok && failed.code == 1
}

// git runs git and returns its output.
func (r *repository) git(ctx context.Context, spawner *sandbox.Spawner, environ []string, stdin *os.File, args ...string) ([]byte, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, ErrNone
	}
	var problem bytes.Buffer
	out := &limited{room: maxOutput}
	process, err := spawner.Start(ctx, sandbox.Command{
		Path: program, Args: slices.Concat(safe, args), Dir: r.top, Env: r.environ(environ), Stdin: stdin,
		Stdout: out, Stderr: &problem, Confine: sandbox.Policy{Level: sandbox.Full},
	})
	if err != nil {
		return nil, err
	}
	exit := process.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case exit.Killed != nil:
		return nil, fmt.Errorf("git was killed: %w", exit.Killed)
	case exit.Code != 0:
		text := strings.TrimSpace(strings.ToValidUTF8(problem.String(), "\uFFFD"))
		return nil, &gitError{args[0], text[:min(len(text), 2000)], exit.Code}
	case out.over:
		return nil, errTooMuch
	}
	return out.Bytes(), nil
}

// environ returns the environment of git: the user's, but for what would lead it elsewhere or make it wait.
func (r *repository) environ(environ []string) []string {
	env := slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		return strings.HasPrefix(entry, "GIT_") || strings.HasPrefix(entry, "LC_ALL=") || strings.HasPrefix(entry, "LANGUAGE=")
	})
	return append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_DIR="+r.folder, "GIT_WORK_TREE="+r.top)
}

// limited is a buffer that drops what it has no room for.
type limited struct {
	bytes.Buffer
	room int
	over bool
}

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > l.room {
		l.over = true
		return len(p), nil
	}
	return l.Buffer.Write(p)
}

// readLine returns the first line of a small file.
func readLine(path string) (string, error) {
	data, err := regular.ReadFile(path, maxLine)
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(line), err
}
