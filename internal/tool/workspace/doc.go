// Package workspace is the folder that a session works in. It resolves the paths that models write, says
// which of them lie outside or are protected, and opens exactly what was resolved: through no symlink,
// whatever was swapped in meanwhile.
package workspace
