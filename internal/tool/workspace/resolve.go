package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is how many symlinks one path may lead through, as in the kernel.
const maxLinks = 40

// RealPath returns the absolute path with all symlinks followed that exist. Unlike
// filepath.EvalSymlinks it keeps what does not exist as it was written, follows a
// dangling link to where it would write, and takes ".." as the kernel does: after the
// link before it.
func RealPath(path string) (string, error) {
	volume := filepath.VolumeName(path)
	real, rest, links := volume+string(filepath.Separator), path[len(volume):], 0
	for rest != "" {
		var name string
		name, rest, _ = strings.Cut(filepath.ToSlash(rest), "/")
		switch name {
		case "", ".":
			continue
		case "..":
			real = filepath.Dir(real)
			continue
		}
		next := filepath.Join(real, spelling(real, name))
		target, err := LinkTarget(next)
		if err != nil {
			return "", err
		}
		if target == "" {
			real = next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("too many symlinks at %s", next)
		}
		if filepath.IsAbs(target) {
			volume := filepath.VolumeName(target)
			real, target = volume+string(filepath.Separator), target[len(volume):]
		}
		rest = target + "/" + rest
	}
	return real, nil
}

// LinkTarget returns where the symlink path points to; "" if it is none, or does not exist. A junction
// of Windows, which Go does not report as a symlink, is one.
func LinkTarget(path string) (string, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) == 0:
		return "", nil
	}
	return os.Readlink(path)
}
