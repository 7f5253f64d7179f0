package sandbox

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"parley.dev/parley/internal/program"
)

// bubblewrapFilter is the descriptor from which bwrap reads the seccomp filter.
const bubblewrapFilter = 3

// retainedCapabilityNames are the names that bwrap has for retainedCapabilities.
var retainedCapabilityNames = []string{
	"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_SETGID", "CAP_SETUID", "CAP_NET_BIND_SERVICE",
}

// bubblewrapArgs returns the arguments of bwrap that confine a command to paths.
func bubblewrapArgs(paths pathPlan, noNetwork bool) []string {
	args := []string{"--die-with-parent", "--unshare-ipc", "--cap-drop", "ALL"}
	if os.Geteuid() == 0 {
		for _, name := range retainedCapabilityNames {
			args = append(args, "--cap-add", name)
		}
	}
	if noNetwork {
		args = append(args, "--unshare-net")
	}
	args = append(args, "--ro-bind", "/", "/", "--dev", "/dev")
	for _, path := range paths.writable {
		args = append(args, "--bind", path, path)
	}
	for _, path := range paths.renameLocked {
		if !paths.hidden.contains(path) {
			args = append(args, "--bind", path, path)
		}
	}
	for _, path := range paths.protected {
		if !paths.hidden.contains(path) {
			args = append(args, "--ro-bind", path, path)
		}
	}
	return append(args, hideArgs(paths.hidden, paths.protected)...)
}

// hideArgs returns the arguments of bwrap that mount an empty folder over each hidden one, and in it what stays open, except
// for changes of what is protected. They come last: a mount of a folder above would show what is hidden.
func hideArgs(hidden hiddenPaths, protected []string) (args []string) {
	for _, folder := range hidden.existing() {
		args = append(args, "--tmpfs", folder)
		for _, path := range hidden.writable {
			if within(path, folder) {
				args = append(args, "--bind", path, path)
			}
			for _, inner := range protected {
				if within(inner, path) {
					args = append(args, "--ro-bind", inner, inner)
				}
			}
		}
		for _, path := range hidden.readable {
			if within(path, folder) {
				args = append(args, "--ro-bind", path, path)
			}
		}
		args = append(args, "--remount-ro", folder)
	}
	return args
}

// prepareBubblewrap returns a launch that makes bwrap start c.
func (m method) prepareBubblewrap(c Command, env []string) (*launch, error) {
	if err := unix.Access(c.Path, unix.X_OK); err != nil { // bwrap would report it on stderr only
		return nil, &os.PathError{Op: "exec", Path: c.Path, Err: err}
	}
	if !program.IsSafe(m.bubblewrap) {
		return nil, fmt.Errorf("commands may write %s, so it cannot confine them", m.bubblewrap)
	}
	paths := m.planPaths(c.Confine)
	if err := paths.hidden.check(c.Dir); err != nil {
		return nil, err
	}
	if len(paths.symlinks) > 0 {
		return nil, fmt.Errorf("bubblewrap cannot protect %s, which is a symbolic link", paths.symlinks[0])
	}
	created := placeholders.create(paths.missingFolders, paths.missingFiles)
	paths.protected = append(paths.protected, created...)
	l := &launch{path: m.bubblewrap, env: env, sys: noNamespaces.attr(false), hasMonitor: true, cleanup: func() { placeholders.release(created) }, placeholders: created}
	l.args = append([]string{m.bubblewrap}, bubblewrapArgs(paths, !c.Confine.Network)...)
	if m.filters {
		filter, err := newFilter(filterKind{ip: true, ipc: true})
		if err == nil {
			l.files = make([]*os.File, 1)
			l.files[0], err = sealedFile(filter)
		}
		if err == nil {
			_, err = l.files[0].Seek(0, 0)
		}
		if err != nil {
			l.discard()
			return nil, err
		}
		l.args = append(l.args, "--seccomp", strconv.Itoa(bubblewrapFilter))
	}
	l.args = append(l.args, "--chdir", c.Dir, "--", c.Path)
	l.args = append(l.args, c.Args...)
	return l, nil
}
