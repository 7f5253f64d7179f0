//go:build unix

package sandbox

import (
	"os"
	"syscall"
)

// A launch is the process that has to be started for a command: the command itself, or a program
// that executes or starts it.
type launch struct {
	path  string
	args  []string // with the program's name
	env   []string
	dir   string
	sys   *syscall.SysProcAttr
	files []*os.File // descriptors 3 …, closed once it is started
	// awaitExec waits until the command itself runs, or returns why it does not; nil: it runs at once.
	awaitExec func() error
	// hasMonitor means that the leader is not the command but waits for it, and must see it end.
	hasMonitor bool
	cleanup    func() // runs when the command has ended or was not started; may be nil
	// placeholders are the paths that the launch has created, see placeholderSet. cleanup removes them.
	placeholders []string
}

// plainLaunch returns the launch of an unconfined command.
func plainLaunch(c Command, env []string) *launch {
	return &launch{path: c.Path, args: append([]string{c.Path}, c.Args...), env: env, dir: c.Dir, sys: &syscall.SysProcAttr{Setpgid: true}}
}

// discard releases the resources of a launch that is not used.
func (l *launch) discard() {
	for _, f := range l.files {
		if f != nil {
			f.Close()
		}
	}
	l.release()
}

func (l *launch) release() {
	if l.cleanup != nil {
		l.cleanup()
	}
}
