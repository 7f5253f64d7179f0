package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/program"
	"parley.dev/parley/internal/sandbox/reexec"
)

// What this machine supports is detected once per process, when it is first needed.
var (
	landlockABI         = lazy.Values[int, error]{New: detectLandlock}
	filtersError        = lazy.Value[error]{New: detectSeccomp}
	availableNamespaces = lazy.Values[namespaces, error]{New: detectNamespaces}
	bubblewrapPath      = lazy.Values[string, error]{New: detectBubblewrap}
)

// A namespaces is the way in which a process gets namespaces of its own.
type namespaces int

const (
	noNamespaces   namespaces = iota
	rootNamespaces            // with the rights of root
	userNamespaces            // within a new user namespace
)

// detectLandlock returns the ABI version (landlock_create_ruleset(2)).
func detectLandlock() (abi int, err error) {
	n, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// detectSeccomp returns an error unless a filter can make system calls fail (seccomp(2)).
func detectSeccomp() error {
	if _, err := newFilter(filterKind{}); err != nil {
		return err
	}
	action := uint32(unix.SECCOMP_RET_ERRNO)
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action))); errno != 0 {
		return errno
	}
	return nil
}

// detectNamespaces returns the first kind of namespaces in which this program can start again and confine itself.
func detectNamespaces() (namespaces, error) {
	var errs []error
	for _, kind := range []namespaces{rootNamespaces, userNamespaces} {
		if kind == rootNamespaces && os.Geteuid() != 0 {
			continue
		}
		err := probeReexec(kind)
		if err == nil {
			return kind, nil
		}
		errs = append(errs, err)
	}
	return noNamespaces, errors.Join(errs...)
}

func probeReexec(kind namespaces) error {
	b, err := newReexec(&reexec.Plan{Mounts: true, Loopback: true, Devices: true})
	if err != nil {
		return err
	}
	defer b.close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	process, err := os.StartProcess(ownProgram, []string{"parley"}, &os.ProcAttr{
		Env:   b.env(""),
		Files: append([]*os.File{null, null, null}, b.files()...),
		Sys:   kind.attr(true),
	})
	if err != nil {
		return err
	}
	b.closeChildFiles()
	confineErr := b.awaitExec()
	state, err := process.Wait()
	if confineErr != nil {
		return confineErr
	}
	if err == nil && !state.Success() {
		err = errors.New(state.String())
	}
	return err
}

// setupCapabilities are the capabilities that the child needs to set up its namespaces.
var setupCapabilities = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN}

// attr returns the attributes of a process that starts in namespaces of its own, including one of
// the network if noNetwork is set.
func (n namespaces) attr(noNetwork bool) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true} // no terminal; a new session also has a new group
	if n == noNamespaces {
		return attr
	}
	attr.Cloneflags = unix.CLONE_NEWNS | unix.CLONE_NEWIPC
	if noNetwork {
		attr.Cloneflags |= unix.CLONE_NEWNET
	}
	if n == userNamespaces {
		uid, gid := os.Geteuid(), os.Getegid()
		attr.Cloneflags |= unix.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		attr.AmbientCaps = setupCapabilities
	}
	return attr
}

// detectBubblewrap finds bwrap and runs a confined program with it.
func detectBubblewrap() (path string, err error) {
	if path, err = program.Find("bwrap"); err != nil {
		return "", err
	}
	args := append(bubblewrapArgs(pathPlan{}, true), "--", "/bin/sh", "-c", ":")
	if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s fails: %s", path, firstLine(string(out), err))
	}
	return path, nil
}

// firstLine returns the first line of a program's output, or else the text of err.
func firstLine(out string, err error) string {
	if line, _, _ := strings.Cut(strings.TrimSpace(out), "\n"); line != "" {
		return line
	}
	return err.Error()
}
