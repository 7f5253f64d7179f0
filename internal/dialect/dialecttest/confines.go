package dialecttest

import "parley.dev/parley/internal/sandbox"

// Confines reports whether this machine can confine commands.
func Confines() bool {
	s := sandbox.NewSpawner(sandbox.Options{})
	defer s.Close()
	return s.Confinement().Available
}
