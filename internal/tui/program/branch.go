package program

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley.dev/parley/internal/gitroot"
	"parley.dev/parley/internal/regular"
	"parley.dev/parley/internal/tui/screen"
)

// branchPause is how often the branch is read.
const branchPause = 5 * time.Second

// branches sends the branch of the workspace to the screen whenever it changes.
func (h *host) branches(ctx context.Context, workspace string) {
	var last string
	for {
		if branch := branchOf(workspace); branch != last {
			last = branch
			h.send(screen.Branch(branch))
		}
		select {
		case <-time.After(branchPause):
		case <-ctx.Done():
			return
		}
	}
}

// headLimit is how long a file HEAD or .git may be.
const headLimit = 4096

// branchOf returns the branch of git in a folder, or the beginning of a commit; "": there is none.
func branchOf(folder string) string {
	root, found := gitroot.Find(folder)
	if !found {
		return ""
	}
	git := filepath.Join(root, ".git")
	if link, ok := strings.CutPrefix(readLine(git), "gitdir: "); ok { // a worktree
		git = link
		if !filepath.IsAbs(git) {
			git = filepath.Join(root, git)
		}
	}
	head := readLine(filepath.Join(git, "HEAD"))
	if branch, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
		return branch
	}
	return head[:min(7, len(head))]
}

// readLine returns the first line of a small regular file; "": there is none.
func readLine(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > headLimit {
		return ""
	}
	data, err := regular.ReadFile(path, headLimit)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(line)
}
