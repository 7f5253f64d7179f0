package cli

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
)

// DiskFix returns what the user can do if a state folder cannot be written and its disk is the cause; "": it is not.
func DiskFix(err error, home string) string {
	file, ok := errors.AsType[*fs.PathError](err)
	switch {
	case !ok || home == "" || !strings.HasPrefix(file.Path, home) && !strings.HasPrefix(home, file.Path):
		return ""
	case errors.Is(err, syscall.ENOSPC):
		return "the disk is full: remove old sessions, such as with `parley sessions rm --older 90d`, or other files on it, or set PARLEY_HOME to a folder on another disk"
	case errors.Is(err, syscall.EDQUOT):
		return "the user's disk quota is used up: remove old sessions, such as with `parley sessions rm --older 90d`, or other files, or set PARLEY_HOME to a folder without that quota"
	case errors.Is(err, syscall.EROFS):
		return "the file system is read-only: mount it writable, or set PARLEY_HOME to a folder that can be written"
	}
	return ""
}
