package engine

import (
	"errors"
	"fmt"
	"os"
)

// errPrivate reports a file of the program's own.
var errPrivate = errors.New("it belongs to the program's state or configuration")

// A MentionedFile is a regular file that a prompt names. The caller closes it.
type MentionedFile struct {
	*os.File
	Inside bool // its real path lies in the workspace
}

// OpenMentioned opens the regular file at path, which a prompt of a session in dir names; relative
// paths begin there. It fails for files of running processes, and for the program's own
// state and configuration: what it opens is sent to the model.
func (h *Host) OpenMentioned(dir, path string) (MentionedFile, error) {
	env, err := h.cfg.Env(dir) // its own: that of the session may change or close meanwhile
	if err != nil {
		return MentionedFile{}, fmt.Errorf("%w: %w", ErrNoFolder, err)
	}
	defer env.Workspace.Close()
	real, err := env.Workspace.Resolve(path, false)
	if err != nil {
		return MentionedFile{}, err
	}
	if real.Protected {
		return MentionedFile{}, errPrivate
	}
	file, err := env.Workspace.Open(real)
	return MentionedFile{file, !real.Outside}, err
}
