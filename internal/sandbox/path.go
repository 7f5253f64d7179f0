package sandbox

import (
	"path/filepath"
	"strings"
)

// within reports whether path is folder or is below it; both are clean.
func within(path, folder string) bool {
	return path == folder || folder == "/" || strings.HasPrefix(path, folder) && path[len(folder)] == filepath.Separator
}
