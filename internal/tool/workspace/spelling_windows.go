package workspace

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// spelling returns the name that a file called name has in folder: Windows ignores case, and many files have a second, short name such
// as GIT~1. It returns name if there is no such file.
func spelling(folder, name string) string {
	path, err := windows.UTF16PtrFromString(filepath.Join(folder, name))
	if err != nil {
		return name
	}
	var found windows.Win32finddata
	search, err := windows.FindFirstFile(path, &found)
	if err != nil {
		return name
	}
	_ = windows.FindClose(search)
	return windows.UTF16ToString(found.FileName[:])
}
