package dialect

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// projectFile is how long a file of a project may be, in bytes: configurations and
// instructions are short.
const projectFile = 1 << 20

// ReadProject reads a file that a project brings with it, by its name below the project's
// folder. A stranger may have put it there: it has to be a regular file, symbolic links do
// not lead out of the folder, and it has an end.
func ReadProject(folder, name string) ([]byte, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	file, err := root.OpenFile(filepath.Clean(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(file, projectFile+1))
	if err == nil && len(data) > projectFile {
		return nil, fmt.Errorf("it is longer than %d bytes", projectFile)
	}
	return data, err
}
