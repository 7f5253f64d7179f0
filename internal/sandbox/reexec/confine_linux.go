package reexec

import (
	"syscall"
	"unsafe"
)

// confine removes the rights. Mounts come first, since Landlock forbids them; the filter comes
// last, since it may refuse what the other steps need.
func (p *Plan) confine() *Failure {
	if p.Mounts {
		if f := p.applyMounts(); f != nil {
			return f
		}
	}
	if p.Loopback {
		raiseLoopback()
	}
	if errno := dropCapabilities(p.Capabilities); errno != 0 {
		return confineFailure("give up capabilities", errno)
	}
	if errno := prctl(prSetNoNewPrivs, 1, 0, 0); errno != 0 {
		return confineFailure("give up new privileges", errno)
	}
	if p.HandledRights != 0 {
		if f := p.applyLandlock(); f != nil {
			return f
		}
	}
	if len(p.Filter) > 0 {
		if errno := installFilter(p.Filter); errno != 0 {
			return confineFailure("filter system calls", errno)
		}
	}
	return nil
}

func confineFailure(what string, errno syscall.Errno) *Failure {
	return &Failure{Stage: StageConfine, Errno: uint32(errno), What: what}
}

// Numbers of prctl(2) and capabilities(7).
const (
	prSetSeccomp    = 22
	prSetNoNewPrivs = 38
	prCapAmbient    = 47

	modeFilter         = 2
	ambientClearAll    = 4
	capabilityVersion3 = 0x20080522
)

func prctl(option, arg2, arg3, arg4 uintptr) syscall.Errno {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, option, arg2, arg3, arg4, 0, 0)
	return errno
}

// dropCapabilities drops all capabilities but keep permanently: with no_new_privs, which is set
// after it, not even root regains one by executing a program.
func dropCapabilities(keep uint64) syscall.Errno {
	_ = prctl(prCapAmbient, ambientClearAll, 0, 0) // Linux before 4.3 has none
	header := struct {
		version uint32
		pid     int32
	}{version: capabilityVersion3}
	var sets [2]struct{ effective, permitted, inheritable uint32 }
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CAPGET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&sets)), 0); errno != 0 {
		return errno
	}
	for i := range sets {
		half := uint32(keep >> (32 * i))
		sets[i].effective &= half
		sets[i].permitted &= half
		sets[i].inheritable = 0
	}
	_, _, errno := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&sets)), 0)
	return errno
}

// installFilter installs a seccomp filter.
func installFilter(program []byte) syscall.Errno {
	prog := struct {
		length uint16
		first  *byte
	}{uint16(len(program) / 8), &program[0]}
	return prctl(prSetSeccomp, modeFilter, uintptr(unsafe.Pointer(&prog)), 0)
}

// raiseLoopback brings up the loopback interface, so that the command's processes can connect to
// each other over 127.0.0.1. If it fails, they cannot.
func raiseLoopback() {
	const setFlags, up = 0x8914, 0x1 // SIOCSIFFLAGS, IFF_UP
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return
	}
	request := struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}{name: [16]byte{'l', 'o'}, flags: up}
	_, _, _ = syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(fd), setFlags, uintptr(unsafe.Pointer(&request)))
	closeFile(fd)
}
