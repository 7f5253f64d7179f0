package transcript

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// commit makes a repository of the workspace or of a folder in it, unless it is one, and commits
// everything in it.
func (p folders) commit(text string) error {
	dir := p.work
	if first, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "in ") {
		name := strings.TrimSpace(first[len("in "):])
		if !filepath.IsLocal(name) {
			return fmt.Errorf("git in %s: it has to be a folder of the workspace", name)
		}
		dir, text = filepath.Join(p.work, name), rest
	}
	message := strings.TrimSpace(text)
	if message == "" {
		message = "First"
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"add", "--all"},
		{"-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "commit.gpgsign=false", "commit", "-q", "--allow-empty", "-m", message},
	} {
		if _, err := p.git(dir, args...); err != nil {
			return err
		}
	}
	return nil
}

// git runs git with the environment of the transcript's programs.
func (p folders) git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// has checks a file of the workspace: "NAME TEXT".
func (p folders) has(text string) error {
	name, quoted, _ := strings.Cut(text, " ")
	data, err := os.ReadFile(filepath.Join(p.work, filepath.FromSlash(name)))
	if quoted == "none" {
		if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("there is a file %s: %q, %w", name, data, errors.Join(err))
		}
		return nil
	}
	want, _ := strconv.Unquote(quoted) // it was parsed before
	if err != nil {
		return err
	}
	if string(data) != want {
		return fmt.Errorf("the file %s has %q, want %q", name, data, want)
	}
	return nil
}

// clean checks that nothing is left of copies of the workspace's repository.
func (p folders) clean() error {
	trees, err := p.git(p.work, "worktree", "list", "--porcelain")
	if err != nil {
		return err
	}
	branches, err := p.git(p.work, "branch", "--list", "--format=%(refname:short)")
	if err != nil {
		return err
	}
	left, _ := filepath.Glob(filepath.Join(p.home, ".parley.trees", "*-*")) // the pattern is valid
	if n := strings.Count(trees, "worktree "); n != 1 || branches != "main\n" || len(left) > 0 {
		return fmt.Errorf("left are the worktrees\n%sthe branches\n%sand the copies %q", trees, branches, left)
	}
	return nil
}
