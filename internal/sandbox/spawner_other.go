//go:build !unix

package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"parley.dev/parley/internal/sandbox/watchdog"
)

// A Spawner would start commands; on this system it cannot.
type Spawner struct{}

// A Process is a started command.
type Process struct{}

// NewSpawner returns a Spawner, which the caller must Close.
func NewSpawner(Options) *Spawner { return &Spawner{} }

// Start returns an error.
func (*Spawner) Start(context.Context, Command) (*Process, error) {
	return nil, errors.New("commands can be run on Unix systems only")
}

// Confinement returns one that is not available.
func (*Spawner) Confinement() Confinement {
	return Confinement{Detail: "commands can be run on Unix systems only"}
}

// Check returns an error for every Policy.
func (*Spawner) Check(Policy) error { return errors.New("commands can be run on Unix systems only") }

// Watch returns a Watchdog without commands.
func (*Spawner) Watch(time.Duration, error) *watchdog.Watchdog { return &watchdog.Watchdog{} }

// TempName returns the name of a new folder in that for temporary files.
func (*Spawner) TempName(what string) string { return "parley-" + what + "-" + rand.Text() }

// Wait exists for the compiler; there is no Process.
func (*Process) Wait() Exit { return Exit{Code: -1} }

// Close does nothing.
func (*Spawner) Close() {}
