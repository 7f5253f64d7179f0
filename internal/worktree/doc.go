// Package worktree isolates work on a folder: it makes a copy of the folder as it is now,
// uncommitted changes included, tells what was changed in the copy as a patch, brings that
// back as a patch or a branch, and leaves nothing behind, not even when the process is
// killed. It knows the git program and nothing of who works in the copy, or why.
package worktree
