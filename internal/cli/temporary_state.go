package cli

import (
	"crypto/rand"
	"fmt"
	"path/filepath"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/tempdir"
	"parley.dev/parley/internal/tool/workspace"
)

// TemporaryFolder makes a folder for this process below the state folder of the settings: what is confined cannot reach it, unlike one in
// the machine's folder for temporary files. Only the user can read it. If this process is killed, a later one that makes such a folder
// removes it.
func TemporaryFolder(settings config.Config) (folder string, remove func(), err error) {
	state, err := filepath.Abs(settings.Home)
	if err == nil {
		state, err = workspace.RealPath(state)
	}
	if err == nil {
		err = config.GuardState(state)
	}
	if err != nil {
		return "", nil, fmt.Errorf("state folder: %w", err)
	}
	temp := tempdir.New(filepath.Join(state, "tmp", tempdir.Prefix+"own-"+rand.Text()))
	if folder, err = temp.MakeNew("state"); err != nil {
		_ = temp.Close()
		return "", nil, fmt.Errorf("make a folder for temporary files in the state folder: %w", err)
	}
	return folder, func() { _ = temp.Close() }, nil // a later process removes what cannot be removed
}
