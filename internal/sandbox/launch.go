//go:build unix

package sandbox

import (
	"os"
	"syscall"
)

// A launch is what has to be started for a command, which may be something that starts
// the command in turn.
type launch struct {
	path  string
	args  []string // with the program's name
	env   []string
	dir   string
	sys   *syscall.SysProcAttr
	extra []*os.File // descriptors 3 …, closed once it is started
	// begun waits until the command itself runs and says why it does not; nil: it does at once.
	begun func() error
	// monitored: the leader is not the command but waits for it, and must see it end.
	monitored bool
	over      func() // once all is over, or nothing was started; may be nil
}

// plainLaunch starts c as it is.
func plainLaunch(c Command, env []string) *launch {
	return &launch{path: c.Path, args: append([]string{c.Path}, c.Args...), env: env, dir: c.Dir, sys: &syscall.SysProcAttr{Setpgid: true}}
}

// abandon gives back what a launch holds.
func (l *launch) abandon() {
	for _, f := range l.extra {
		if f != nil {
			f.Close()
		}
	}
	l.end()
}

func (l *launch) end() {
	if l.over != nil {
		l.over()
	}
}
