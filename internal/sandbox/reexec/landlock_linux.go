package reexec

import (
	"syscall"
	"unsafe"
)

// Numbers of landlock(7), the same on every architecture.
const (
	sysLandlockCreateRuleset = 444
	sysLandlockAddRule       = 445
	sysLandlockRestrictSelf  = 446

	rulePathBeneath = 1
	// rightsOfFiles are the rights that a rule for a file may allow: execute, write, read,
	// truncate and ioctl.
	rightsOfFiles = 1<<0 | 1<<1 | 1<<2 | 1<<14 | 1<<15
)

// applyLandlock restricts this thread to p.Rules.
func (p *Plan) applyLandlock() *Failure {
	attr := struct{ files, ports, scoped uint64 }{files: p.HandledRights, scoped: p.Scopes}
	ruleset, _, errno := syscall.RawSyscall(sysLandlockCreateRuleset, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return confineFailure("make a Landlock ruleset", errno)
	}
	for _, r := range p.Rules {
		if errno := r.add(ruleset, p.HandledRights); errno != 0 {
			return confineFailure("allow writing to "+r.Path, errno)
		}
	}
	if _, _, errno := syscall.RawSyscall(sysLandlockRestrictSelf, ruleset, 0, 0); errno != 0 {
		return confineFailure("restrict itself with Landlock", errno)
	}
	closeFile(int(ruleset))
	return nil
}

// add adds r to a ruleset. It skips a path that no longer exists, and a symbolic link: a process
// that may write its folder could make it point anywhere.
func (r Rule) add(ruleset uintptr, handled uint64) syscall.Errno {
	fd, errno := openPath(r.Path)
	if errno == syscall.ENOENT || errno == syscall.ELOOP {
		return 0
	}
	if errno != 0 {
		return errno
	}
	defer closeFile(fd)
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil {
		return err.(syscall.Errno)
	}
	rights := r.Rights & handled
	if stat.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		rights &= rightsOfFiles
	}
	if rights == 0 {
		return 0
	}
	var attr [12]byte // packed: the rights, then the descriptor
	*(*uint64)(unsafe.Pointer(&attr[0])) = rights
	*(*int32)(unsafe.Pointer(&attr[8])) = int32(fd)
	_, _, errno = syscall.RawSyscall6(sysLandlockAddRule, ruleset, rulePathBeneath, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	return errno
}
