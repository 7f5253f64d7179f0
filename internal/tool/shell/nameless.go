package shell

import "os"

// removed returns a new file that has lost its name: nothing else can open it.
func removed() (*os.File, error) {
	file, err := os.CreateTemp("", "parley-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}
