// Package regular opens and reads regular files at paths that a project, a client or another
// user may have filled with something else. Opening never waits for the other end of a pipe,
// a device is never read, and a read has a limit.
//
// It does not decide which paths may be opened: see tool.Workspace for paths in tool calls.
package regular

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// ErrNotRegular reports that a path is a folder, pipe, socket or device instead of a file.
var ErrNotRegular = errors.New("it is not a regular file")

// ErrSymlink reports a symbolic link at a path where links are not followed.
var ErrSymlink = errors.New("it is a symbolic link")

// A TooLargeError reports a file that is larger than the limit of the caller.
type TooLargeError struct{ Limit int64 } // bytes

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("it is longer than %d bytes", e.Limit)
}

// Open opens the file at path for reading and follows symbolic links.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return open(path, info, os.OpenFile, 0)
}

// OpenNoFollow is Open for a path whose last element must not be a symbolic link; ErrSymlink
// if it is one.
func OpenNoFollow(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		return nil, pathError(path, ErrSymlink)
	}
	return open(path, info, os.OpenFile, noFollow)
}

// OpenIn opens the file name in root for reading. Symbolic links are followed as far as they
// stay in root.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	name = filepath.Clean(name)
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	return open(name, info, root.OpenFile, 0)
}

// open opens the file that info describes. It checks the opened file again, since another process
// may have replaced it meanwhile, and does not block if it is a pipe.
func open(path string, info os.FileInfo, openFile func(string, int, os.FileMode) (*os.File, error), flags int) (*os.File, error) {
	if !info.Mode().IsRegular() {
		return nil, pathError(path, ErrNotRegular)
	}
	file, err := openFile(path, os.O_RDONLY|syscall.O_NONBLOCK|flags, 0)
	if errors.Is(err, syscall.ELOOP) && flags&noFollow != 0 {
		return nil, pathError(path, ErrSymlink)
	}
	if err != nil {
		return nil, err
	}
	info, err = file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = pathError(path, ErrNotRegular)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// ReadFile reads the file at path, and follows symbolic links. It returns a *TooLargeError if the
// file has more than limit bytes.
func ReadFile(path string, limit int64) ([]byte, error) {
	return readLimited(path, limit)(Open(path))
}

// ReadFileNoFollow is ReadFile for a path whose last element must not be a symbolic link.
func ReadFileNoFollow(path string, limit int64) ([]byte, error) {
	return readLimited(path, limit)(OpenNoFollow(path))
}

// ReadFileIn is ReadFile for the file name in root.
func ReadFileIn(root *os.Root, name string, limit int64) ([]byte, error) {
	return readLimited(name, limit)(OpenIn(root, name))
}

func readLimited(path string, limit int64) func(*os.File, error) ([]byte, error) {
	return func(file *os.File, err error) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			return nil, err
		}
		if info.Size() > limit {
			return nil, pathError(path, &TooLargeError{limit})
		}
		data := make([]byte, 0, info.Size()+1) // as large as needed at once, unless the file grows
		for {
			n, err := file.Read(data[len(data):cap(data)])
			data = data[:len(data)+n]
			if int64(len(data)) > limit {
				return nil, pathError(path, &TooLargeError{limit})
			}
			if err == io.EOF {
				return data, nil
			}
			if err != nil {
				return nil, err
			}
			if len(data) == cap(data) {
				data = append(data, 0)[:len(data)]
			}
		}
	}
}

func pathError(path string, err error) error {
	return &os.PathError{Op: "open", Path: path, Err: err}
}
