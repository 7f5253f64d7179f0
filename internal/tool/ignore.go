package tool

import (
	"io"
	"os"
	"path"
	"strings"

	"github.com/git-pkgs/gitignore"

	"parley.dev/parley/internal/tool/workspace"
)

// maxIgnoreFile is how much of a .gitignore file counts, in bytes.
const maxIgnoreFile = 1 << 20

// ignoreRules are the rules of one .gitignore file and of those in the folders above.
// Nil is no rules. Values do not change, so that folders can be walked side by side.
type ignoreRules struct {
	folder  string // where the file lies: relative to the top with a final "/", or "" at the top
	matcher *gitignore.Matcher
	above   *ignoreRules
}

// rulesAbove returns the rules that hold in the folder base without those that lie in it, and
// the path of base from their top. Outside the workspace there are none. Nor are there
// any for a folder that is excluded itself: it was named on purpose.
func rulesAbove(w *workspace.Workspace, base string) (rules *ignoreRules, rel string) {
	if !workspace.Below(w.Dir(), base) {
		return nil, "."
	}
	dir, err := w.OpenDir(w.Dir())
	if err != nil {
		return nil, "."
	}
	defer func() { dir.Close() }()
	rules = repositoryRules(dir)
	if rel = w.Rel(base); rel == "." {
		return rules, rel
	}
	at := "."
	for name := range strings.SplitSeq(rel, "/") {
		rules = rules.in(dir, at)
		at = path.Join(at, name)
		if rules.ignores(at, true) {
			return nil, "."
		}
		next, err := workspace.EnterFolder(dir, name)
		if err != nil {
			return nil, "."
		}
		dir.Close()
		dir = next
	}
	return rules, rel
}

// repositoryRules are the rules that git keeps outside the working tree of top.
func repositoryRules(top *os.Root) *ignoreRules {
	git, err := workspace.EnterFolder(top, ".git")
	if err != nil {
		return nil
	}
	defer git.Close()
	info, err := workspace.EnterFolder(git, "info")
	if err != nil {
		return nil
	}
	defer info.Close()
	return (*ignoreRules)(nil).with(info, "exclude", ".")
}

// in returns the rules for what lies in the folder at, which is held open as dir.
func (r *ignoreRules) in(dir *os.Root, at string) *ignoreRules {
	return r.with(dir, ".gitignore", at)
}

// with adds the rules of the file name. One that is missing or a symlink has none, as in git.
func (r *ignoreRules) with(dir *os.Root, name, at string) *ignoreRules {
	file, err := workspace.OpenFile(dir, name)
	if err != nil {
		return r
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxIgnoreFile))
	if err != nil {
		return r
	}
	matcher := gitignore.New("")
	matcher.AddPatterns(data, "")
	folder := ""
	if at != "." {
		folder = at + "/"
	}
	return &ignoreRules{folder: folder, matcher: matcher, above: r}
}

// ignores reports whether path, relative to the top, is excluded. The nearest file with a
// rule for it decides. It does not ask whether a folder above path is excluded.
func (r *ignoreRules) ignores(path string, isFolder bool) bool {
	for ; r != nil; r = r.above {
		rel := strings.TrimPrefix(path, r.folder)
		if isFolder {
			rel += "/"
		}
		if rule := r.matcher.MatchDetail(rel); rule.Matched {
			return rule.Ignored
		}
	}
	return false
}
