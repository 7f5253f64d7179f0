package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"parley.dev/parley/internal/tool"
)

// errPrivate reports a file of the program's own.
var errPrivate = errors.New("it belongs to the program's state or configuration")

// ErrNotInWorkspace reports that the real path of a file is not in the workspace.
var ErrNotInWorkspace = errors.New("it is not in the workspace")

// A FilePiece is a part of a file.
type FilePiece struct {
	Data []byte
	Size int64  // of the whole file, in bytes
	Kind string // of the whole file: text, image or binary
}

// ReadWorkspace reads at most limit bytes of the regular file at path, from offset on. Relative paths begin at dir, and
// symlinks are followed as long as they stay there. ErrNoFolder, ErrNotInWorkspace, also for the program's own state
// and configuration, fs.ErrNotExist.
func (h *Host) ReadWorkspace(dir, path string, offset int64, limit int) (piece FilePiece, err error) {
	env, err := h.cfg.Env(dir)
	if err != nil {
		return piece, fmt.Errorf("%w: %w", ErrNoFolder, err)
	}
	defer env.Workspace.Close()
	real, err := env.Workspace.Resolve(path, false)
	if errors.Is(err, syscall.ENOTDIR) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return piece, err
	}
	if real.Outside {
		return piece, ErrNotInWorkspace
	}
	file, err := env.Workspace.Open(real)
	if err != nil {
		return piece, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return piece, err
	}
	piece.Size = info.Size()
	if piece.Kind, err = tool.FileKind(file); err != nil {
		return piece, err
	}
	piece.Data = make([]byte, max(0, min(int64(limit), piece.Size-offset)))
	n, err := file.ReadAt(piece.Data, offset)
	piece.Data = piece.Data[:n]
	if err == io.EOF {
		err = nil // it became shorter
	}
	return piece, err
}

// FindFiles finds the files in dir whose paths are most like query; see tool.FindFiles. ErrNoFolder.
func (h *Host) FindFiles(ctx context.Context, dir, query string, limit int) (tool.FoundFiles, error) {
	env, err := h.cfg.Env(dir)
	if err != nil {
		return tool.FoundFiles{}, fmt.Errorf("%w: %w", ErrNoFolder, err)
	}
	defer env.Workspace.Close()
	return tool.FindFiles(ctx, env.Workspace, query, limit)
}

// IndexFiles returns the files in some folders, for several searches. ErrNoFolder.
func (h *Host) IndexFiles(ctx context.Context, dirs []string) (*tool.FileIndex, error) {
	x := &tool.FileIndex{}
	for _, dir := range dirs {
		env, err := h.cfg.Env(dir)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoFolder, err)
		}
		err = x.Add(ctx, env.Workspace)
		env.Workspace.Close()
		if err != nil {
			return nil, err
		}
	}
	return x, nil
}

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
