package companion

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"parley.dev/parley/internal/program"
)

// The programs beside parley.
const (
	Console = "parley-console" // the terminal console
	Host    = "parley-host"    // parley with stores on NATS, batches and telemetry
)

// ErrMissing is the error for a program that is not installed.
var ErrMissing = errors.New("is neither beside parley nor in PATH; build it with `make build`, or `go install parley.dev/parley/cmd/...`")

// Distrust has Find pass over folders of PATH that commands will write, relative to the current folder: a workspace, before it is open.
// What is no folder is left out.
func Distrust(folders ...string) {
	for _, folder := range folders {
		absolute, err := filepath.Abs(folder)
		if err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(absolute); err == nil && isFolder(real) {
			program.Distrust(real)
		}
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Find returns the absolute path of one of the programs: beside parley, which is an absolute path, beside the file that this is a link
// to, or in PATH, but for folders that commands may write, see [program.Find]. Beside a program of a release, such as
// parley-1.2.3-linux-amd64, it may have the name of that release. The error is ErrMissing with the name.
func Find(name, parley string) (string, error) {
	places := []string{parley}
	if resolved, err := filepath.EvalSymlinks(parley); err == nil {
		places = append(places, resolved)
	}
	for _, place := range places {
		release := strings.TrimPrefix(strings.TrimPrefix(filepath.Base(place), "parley"), strings.TrimPrefix(Host, "parley"))
		for _, name := range []string{name, name + release} {
			if path, err := exec.LookPath(filepath.Join(filepath.Dir(place), name)); err == nil { // it can be executed
				return path, nil
			}
		}
	}
	path, err := program.Find(name)
	if err == nil {
		return path, nil
	}
	if passed, err := exec.LookPath(name); err == nil {
		return "", fmt.Errorf("the program %s %w; %s is passed over, since commands may write it", name, ErrMissing, passed)
	}
	return "", fmt.Errorf("the program %s %w", name, ErrMissing)
}
