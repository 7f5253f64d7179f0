package dialect

import (
	"os"

	"parley.dev/parley/internal/regular"
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
	return regular.ReadFileIn(root, name, projectFile)
}
