package sandbox

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// bubblewrapFilter is the descriptor that bwrap reads the seccomp filter from.
const bubblewrapFilter = 3

// keptNames are the capabilities of root that a command keeps, as bwrap calls them; see
// keptCapabilities.
var keptNames = []string{
	"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_SETGID", "CAP_SETUID", "CAP_NET_BIND_SERVICE",
}

// bubblewrapArgs are bwrap's for a command on g.
func bubblewrapArgs(g ground, cutOff bool) []string {
	args := []string{"--die-with-parent", "--unshare-ipc", "--cap-drop", "ALL"}
	if os.Geteuid() == 0 {
		for _, name := range keptNames {
			args = append(args, "--cap-add", name)
		}
	}
	if cutOff {
		args = append(args, "--unshare-net")
	}
	args = append(args, "--ro-bind", "/", "/", "--dev", "/dev")
	for _, path := range g.writable {
		args = append(args, "--bind", path, path)
	}
	for _, path := range g.pinned {
		args = append(args, "--bind", path, path)
	}
	for _, path := range g.protected {
		args = append(args, "--ro-bind", path, path)
	}
	return args
}

// prepareBubblewrap makes bwrap start c.
func (m method) prepareBubblewrap(c Command, env []string) (*launch, error) {
	if err := unix.Access(c.Path, unix.X_OK); err != nil { // bwrap would only say so on stderr
		return nil, &os.PathError{Op: "exec", Path: c.Path, Err: err}
	}
	g := survey(c.Confine)
	if len(g.links) > 0 {
		return nil, fmt.Errorf("bubblewrap cannot protect %s, which is a symbolic link", g.links[0])
	}
	held := placeholders.put(g.missing)
	g.protected = append(g.protected, held...)
	l := &launch{path: m.bubblewrap, env: env, sys: noNamespaces.attr(false), monitored: true, over: func() { placeholders.take(held) }}
	l.args = append([]string{m.bubblewrap}, bubblewrapArgs(g, !c.Confine.Network)...)
	if m.filters {
		filter, err := newFilter(filterKind{ip: true})
		if err == nil {
			l.extra = make([]*os.File, 1)
			l.extra[0], err = planFile(filter)
		}
		if err == nil {
			_, err = l.extra[0].Seek(0, 0)
		}
		if err != nil {
			l.abandon()
			return nil, err
		}
		l.args = append(l.args, "--seccomp", strconv.Itoa(bubblewrapFilter))
	}
	l.args = append(l.args, "--chdir", c.Dir, "--", c.Path)
	l.args = append(l.args, c.Args...)
	return l, nil
}
