package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// probeKernel asks the kernel.
func probeKernel(ctx context.Context) Report {
	return Report{probeLandlock(), probeSeccomp(), probeNamespaces(ctx)}
}

// probeLandlock reads the ABI version (landlock_create_ruleset(2)).
func probeLandlock() Mechanism {
	m := Mechanism{Name: "landlock"}
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	switch errno {
	case 0:
		m.Available, m.Detail = true, fmt.Sprintf("ABI %d", abi)
	case unix.EOPNOTSUPP:
		m.Detail, m.Fix = "built into the kernel, but switched off", `add "landlock" to the kernel parameter lsm=`
	default:
		m.Detail, m.Fix = "not in this kernel: "+errno.Error(), "use Linux 5.13 or newer with CONFIG_SECURITY_LANDLOCK"
	}
	return m
}

// probeSeccomp asks whether a filter may make system calls fail (seccomp(2)).
func probeSeccomp() Mechanism {
	m := Mechanism{Name: "seccomp"}
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	if errno != 0 {
		m.Detail, m.Fix = "no filters: "+errno.Error(), "use a kernel with CONFIG_SECCOMP_FILTER"
		return m
	}
	m.Available, m.Detail = true, "filters"
	return m
}

// probeNamespaces starts a program in a user and a network namespace of its own.
func probeNamespaces(ctx context.Context) Mechanism {
	m := Mechanism{Name: "namespaces"}
	c := exec.CommandContext(ctx, "/bin/sh", "-c", ":")
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	if out, err := c.CombinedOutput(); err != nil {
		m.Detail = "user and network namespaces are refused: " + firstLine(string(out), err)
		m.Fix = "set the sysctls user.max_user_namespaces above 0 and kernel.apparmor_restrict_unprivileged_userns to 0"
		return m
	}
	m.Available, m.Detail = true, "user and network"
	return m
}
