// Package snapshot finds out what a command changes in the files of a git repository, so that the changes can be undone. It
// has git write the work tree as a tree object before and after the command, into a git folder of its own: the user's
// index and objects stay as they are, and no program or conversion that the repository configures is used. Files that
// git ignores and nested repositories are left out.
package snapshot
