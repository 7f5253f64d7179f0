//go:build !unix

package sandbox

import (
	"context"
	"errors"
)

// A Spawner starts commands; on this system it cannot.
type Spawner struct{}

// A Process is a started command.
type Process struct{}

// NewSpawner returns a Spawner, which the caller must Close.
func NewSpawner(Options) *Spawner { return &Spawner{} }

// Start fails.
func (*Spawner) Start(context.Context, Command) (*Process, error) {
	return nil, errors.New("commands can be run on Unix systems only")
}

// Wait is never reached.
func (*Process) Wait() Exit { return Exit{Code: -1} }

// Close does nothing.
func (*Spawner) Close() {}
