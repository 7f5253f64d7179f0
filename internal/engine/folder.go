package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Workspace returns the folder's absolute path with symlinks resolved.
func Workspace(dir string) (string, error) {
	resolved, err := realFolder(dir)
	switch {
	case errors.Is(err, errNotFolder):
		return "", fmt.Errorf("workspace %s is not a folder", dir)
	case err != nil:
		return "", fmt.Errorf("workspace %s: %w", dir, err)
	}
	return resolved, nil
}

// FormerWorkspace is Workspace for a folder that may be gone, in which sessions have worked.
func FormerWorkspace(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("workspace %s: %w", dir, err)
	}
	gone := ""
	for parent := abs; ; parent = filepath.Dir(parent) {
		switch _, err := os.Lstat(parent); {
		case errors.Is(err, fs.ErrNotExist) && parent != filepath.Dir(parent):
			gone = filepath.Join(filepath.Base(parent), gone)
		case gone == "":
			return Workspace(dir)
		default:
			resolved, err := realFolder(parent)
			if err != nil {
				return "", fmt.Errorf("workspace %s: %w", dir, err)
			}
			return filepath.Join(resolved, gone), nil
		}
	}
}

var errNotFolder = errors.New("it is not a folder")

// realFolder returns the folder's absolute path with symlinks resolved. The error does not name it.
func realFolder(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	resolved, err := filepath.EvalSymlinks(abs)
	if err != nil {
		if detail, ok := errors.AsType[*fs.PathError](err); ok {
			err = detail.Err // the caller names the folder, as it was written
		}
		return "", err
	}
	info, err := os.Stat(resolved)
	if err == nil && !info.IsDir() {
		err = errNotFolder
	}
	if err != nil {
		return "", err
	}
	return resolved, nil
}
