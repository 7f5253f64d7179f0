package engine

import (
	"context"
	"fmt"

	"parley.dev/parley/internal/tool"
)

type (
	// Program is a program that a client runs, outside of any session.
	Program = tool.Program
	// ProgramResult is the result of a Program.
	ProgramResult = tool.ProgramResult
	// RunningProgram is a Program that was started.
	RunningProgram = tool.RunningProgram
	// ProgramSet is the running programs of a client.
	ProgramSet = tool.ProgramSet
	// Stream is an output of a Program.
	Stream = tool.Stream
	// FileIndex is the files in some folders, for several searches.
	FileIndex = tool.FileIndex
)

// StartProgram starts a program of a client in dir, outside of any session; see tool.StartProgram. ErrNoFolder.
func (h *Host) StartProgram(ctx context.Context, dir string, p tool.Program) (*tool.RunningProgram, error) {
	env, err := h.cfg.Env(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoFolder, err)
	}
	defer env.Workspace.Close() // what the program may touch is known once it is started
	return tool.StartProgram(ctx, env, p)
}
