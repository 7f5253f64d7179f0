//go:build unix && !linux && !darwin

package sandbox

import "errors"

var errNoMethod = errors.New("nothing is known that confines commands on this system")

// A method is the way in which a Spawner confines commands; on this system there is none.
type method struct{}

func chooseMethod(Options) method { return method{} }

func (method) confinement() Confinement { return Confinement{Detail: errNoMethod.Error()} }

func (method) prepare(Command, []string) (*launch, error) { return nil, errNoMethod }
