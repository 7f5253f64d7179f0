// Package worktree isolates work on a folder. It makes a copy of the folder, including uncommitted
// changes, returns the changes in the copy as a patch, applies them to the folder or to a branch,
// and removes the copy, also after the process was killed. It runs git; it does not know what
// works in the copy.
package worktree
