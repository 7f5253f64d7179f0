package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"parley.dev/parley/internal/sandbox/cell"
)

// What this machine has is tried out once a process, when it is first asked for.
var (
	landlockABI    = sync.OnceValues(tryLandlock)
	filtersWork    = sync.OnceValue(trySeccomp)
	namespacesHere = sync.OnceValues(tryNamespaces)
	bubblewrapPath = sync.OnceValues(tryBubblewrap)
)

// A namespaces is how a process gets namespaces of its own.
type namespaces int

const (
	noNamespaces   namespaces = iota
	rootNamespaces            // with the rights of root
	userNamespaces            // by way of a user namespace
)

// tryLandlock reads the ABI version (landlock_create_ruleset(2)).
func tryLandlock() (abi int, err error) {
	n, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// trySeccomp asks whether a filter may make system calls fail (seccomp(2)).
func trySeccomp() error {
	if _, err := newFilter(filterKind{}); err != nil {
		return err
	}
	action := uint32(unix.SECCOMP_RET_ERRNO)
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action))); errno != 0 {
		return errno
	}
	return nil
}

// tryNamespaces starts cells that end once they are confined.
func tryNamespaces() (namespaces, error) {
	var errs []error
	for _, kind := range []namespaces{rootNamespaces, userNamespaces} {
		if kind == rootNamespaces && os.Geteuid() != 0 {
			continue
		}
		err := tryCell(kind)
		if err == nil {
			return kind, nil
		}
		errs = append(errs, err)
	}
	return noNamespaces, errors.Join(errs...)
}

func tryCell(kind namespaces) error {
	b, err := newCell(&cell.Plan{Mounts: true, Loopback: true, Devices: true})
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
	b.started()
	failed := b.begun()
	state, err := process.Wait()
	if failed != nil {
		return failed
	}
	if err == nil && !state.Success() {
		err = errors.New(state.String())
	}
	return err
}

// The capabilities that a cell needs to arrange its namespaces.
var arranging = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN}

// attr starts a process in namespaces of its own; of the network too, if it is cut off.
func (n namespaces) attr(cutOff bool) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true} // no terminal, and a group all the same
	if n == noNamespaces {
		return attr
	}
	attr.Cloneflags = unix.CLONE_NEWNS | unix.CLONE_NEWIPC
	if cutOff {
		attr.Cloneflags |= unix.CLONE_NEWNET
	}
	if n == userNamespaces {
		uid, gid := os.Geteuid(), os.Getegid()
		attr.Cloneflags |= unix.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		attr.AmbientCaps = arranging
	}
	return attr
}

// tryBubblewrap runs a program confined as commands are.
func tryBubblewrap() (path string, err error) {
	if path, err = exec.LookPath("bwrap"); err != nil {
		return "", errors.New("bwrap is not on PATH")
	}
	args := append(bubblewrapArgs(ground{}, true), "--", "/bin/sh", "-c", ":")
	if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s fails: %s", path, firstLine(string(out), err))
	}
	return path, nil
}

// firstLine is the first line of what a program wrote, or else how it failed.
func firstLine(out string, err error) string {
	if line, _, _ := strings.Cut(strings.TrimSpace(out), "\n"); line != "" {
		return line
	}
	return err.Error()
}
