package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"syscall"

	"parley.dev/parley/internal/lazy"
)

const seatbelt = "/usr/bin/sandbox-exec"

// seatbeltWorks runs a confined program to detect sandbox-exec, once per process.
var seatbeltWorks = lazy.Value[error]{New: func() error {
	c := Command{Path: "/bin/sh", Args: []string{"-c", ":"}, Confine: Policy{Level: ReadOnly}}
	if out, err := exec.Command(seatbelt, seatbeltArgs(c, Options{})...).CombinedOutput(); err != nil {
		return errors.New(seatbelt + " fails: " + string(out) + err.Error())
	}
	return nil
}}

var mechanisms = []func() Mechanism{func() Mechanism {
	if err := seatbeltWorks.Get(); err != nil {
		return Mechanism{Name: nameSeatbelt, Detail: err.Error(), Fix: "commands can only be run without a sandbox here"}
	}
	return Mechanism{Name: nameSeatbelt, Available: true, Detail: seatbelt}
}}

// A method is the way in which a Spawner confines commands on macOS: sandbox-exec, or none.
type method struct {
	err     error
	options Options
}

func chooseMethod(o Options) method {
	switch {
	case o.Sandbox == Off:
		return method{err: errors.New("it is switched off by the setting sandbox")}
	case o.Sandbox == Landlock || o.Sandbox == Bubblewrap || slices.Contains(o.Without, nameSeatbelt):
		return method{err: errors.New("macOS has only sandbox-exec, which is not to be used")}
	}
	return method{err: seatbeltWorks.Get(), options: o}
}

func (m method) confinement() Confinement {
	if m.err != nil {
		return Confinement{Detail: m.err.Error()}
	}
	return Confinement{Available: true, Files: nameSeatbelt, Network: nameSeatbelt, Detail: "files and network: sandbox-exec"}
}

func (m method) prepare(c Command, env []string) (*launch, error) {
	if _, err := os.Stat(c.Path); err != nil { // sandbox-exec would report it on stderr only
		return nil, err
	}
	return &launch{
		path: seatbelt, args: append([]string{seatbelt}, seatbeltArgs(c, m.options)...), env: env, dir: c.Dir,
		sys: &syscall.SysProcAttr{Setsid: true},
	}, nil
}
