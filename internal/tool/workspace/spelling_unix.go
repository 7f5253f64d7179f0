//go:build unix

package workspace

// spelling returns name: a folder has a file under one name only, or under names of the same spelling.
func spelling(_, name string) string { return name }
