package reexec

import (
	"syscall"
	"unsafe"
)

// Numbers of the mount calls and openat2(2), the same on every architecture.
const (
	sysOpenTree     = 428
	sysMoveMount    = 429
	sysOpenat2      = 437
	sysMountSetattr = 442

	atEmptyPath       = 0x1000
	atRecursive       = 0x8000
	openTreeClone     = 0x1
	moveFromEmptyPath = 0x4
	moveToEmptyPath   = 0x40
	mountReadOnly     = 0x1
	openPathOnly      = 0x200000 // O_PATH
	resolveNoSymlinks = 0x4
)

var (
	emptyPath  = [1]byte{}
	currentDir = -100 // AT_FDCWD
)

// applyMounts makes everything read-only but Writable, covers Hidden, makes Protected read-only again, and keeps
// RenameLocked from being renamed. Files are opened without following symbolic links and are
// mounted by descriptor, so that no other file can be put in their place in between.
func (p *Plan) applyMounts() *Failure {
	if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return confineFailure("keep mounts to itself", err.(syscall.Errno))
	}
	open, f := p.openHidden()
	if f != nil {
		return f
	}
	if len(p.Writable) != 1 || p.Writable[0] != "/" {
		if f := p.mountReadOnly(); f != nil {
			return f
		}
	}
	if f := p.hide(open); f != nil {
		return f
	}
	for _, path := range p.RenameLocked {
		if errno := lockName(path); errno != 0 && errno != syscall.ENOENT {
			return confineFailure("keep the name of "+path, errno)
		}
	}
	for _, path := range p.Protected {
		if errno := makeProtected(path); errno != 0 && errno != syscall.ENOENT {
			return confineFailure("protect "+path, errno)
		}
	}
	if p.Devices {
		p.mountDevices()
	}
	return nil
}

// mountReadOnly makes the root read-only and mounts Writable, cloned before, over it.
func (p *Plan) mountReadOnly() *Failure {
	trees := make([]int, len(p.Writable))
	for i, path := range p.Writable {
		tree, errno := cloneTree(path)
		if errno != 0 && errno != syscall.ENOENT {
			return confineFailure("keep "+path+" writable", errno)
		}
		trees[i] = tree
	}
	root, errno := openPath("/")
	if errno == 0 {
		errno = makeReadOnly(root)
		closeFile(root)
	}
	if errno != 0 {
		return confineFailure("make / read-only", errno)
	}
	for i, path := range p.Writable {
		if errno := attach(trees[i], path); errno != 0 {
			return confineFailure("keep "+path+" writable", errno)
		}
	}
	return nil
}

// mountDevices mounts private terminals and private shared memory, and adds Rules that allow them.
func (p *Plan) mountDevices() {
	const options = "newinstance,ptmxmode=0666,mode=0600"
	if syscall.Mount("devpts", "/dev/pts", "devpts", syscall.MS_NOSUID|syscall.MS_NOEXEC, options) == nil &&
		syscall.Mount("/dev/pts/ptmx", "/dev/ptmx", "", syscall.MS_BIND, "") == nil {
		p.Rules = append(p.Rules, Rule{"/dev/pts", ^uint64(0)}, Rule{"/dev/ptmx", ^uint64(0)})
	}
	if syscall.Mount("shm", "/dev/shm", "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=1777") == nil {
		p.Rules = append(p.Rules, Rule{"/dev/shm", ^uint64(0)})
	}
}

// openPath opens a path with O_PATH, without following symbolic links.
func openPath(path string) (fd int, errno syscall.Errno) {
	name, err := syscall.BytePtrFromString(path)
	if err != nil {
		return -1, syscall.EINVAL
	}
	how := struct{ flags, mode, resolve uint64 }{openPathOnly | syscall.O_CLOEXEC, 0, resolveNoSymlinks}
	n, _, errno := syscall.Syscall6(sysOpenat2, uintptr(currentDir), uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0)
	if errno == syscall.ENOSYS { // started by a confined command, whose filter has no openat2
		return openSteps(path)
	}
	return int(n), errno
}

// openSteps is openPath without openat2: it opens one folder after the other, none of them through
// a symbolic link.
func openSteps(path string) (fd int, errno syscall.Errno) {
	const flags = openPathOnly | syscall.O_CLOEXEC | syscall.O_NOFOLLOW
	fd, err := syscall.Open("/", flags, 0)
	for len(path) > 0 && err == nil {
		n := 0
		for n < len(path) && path[n] != '/' {
			n++
		}
		name := path[:n]
		path = path[min(n+1, len(path)):]
		if name == "" {
			continue
		}
		folder := fd
		fd, err = syscall.Openat(folder, name, flags, 0)
		closeFile(folder)
		var stat syscall.Stat_t
		if err == nil {
			err = syscall.Fstat(fd, &stat)
		}
		if err == nil && stat.Mode&syscall.S_IFMT == syscall.S_IFLNK {
			closeFile(fd)
			return -1, syscall.ELOOP
		}
	}
	if err != nil {
		errno, _ = err.(syscall.Errno)
		return -1, errno
	}
	return fd, 0
}

// cloneTree clones the mount of a path and the mounts below it; -1 and ENOENT if the path does not exist.
func cloneTree(path string) (tree int, errno syscall.Errno) {
	fd, errno := openPath(path)
	if errno != 0 {
		return -1, errno
	}
	defer closeFile(fd)
	n, _, errno := syscall.Syscall(sysOpenTree, uintptr(fd), uintptr(unsafe.Pointer(&emptyPath)), openTreeClone|atRecursive|atEmptyPath|syscall.O_CLOEXEC)
	return int(n), errno
}

// attach mounts a tree over a path and closes it.
func attach(tree int, path string) syscall.Errno {
	if tree < 0 {
		return 0
	}
	defer closeFile(tree)
	fd, errno := openPath(path)
	if errno != 0 {
		return errno
	}
	defer closeFile(fd)
	empty := uintptr(unsafe.Pointer(&emptyPath))
	_, _, errno = syscall.Syscall6(sysMoveMount, uintptr(tree), empty, uintptr(fd), empty, moveFromEmptyPath|moveToEmptyPath, 0)
	return errno
}

func makeReadOnly(tree int) syscall.Errno { return setReadOnly(tree, true) }

// setReadOnly makes a mount read-only, and those below it if recursive is set.
func setReadOnly(tree int, recursive bool) syscall.Errno {
	flags := uintptr(atEmptyPath)
	if recursive {
		flags |= atRecursive
	}
	attr := struct{ set, clear, propagation, userns uint64 }{set: mountReadOnly}
	_, _, errno := syscall.Syscall6(sysMountSetattr, uintptr(tree), uintptr(unsafe.Pointer(&emptyPath)), flags, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	return errno
}

// lockName mounts a folder over itself: a mount point cannot be renamed.
func lockName(path string) syscall.Errno {
	tree, errno := cloneTree(path)
	if errno != 0 {
		return errno
	}
	return attach(tree, path)
}

func makeProtected(path string) syscall.Errno {
	tree, errno := cloneTree(path)
	if errno != 0 {
		return errno
	}
	if errno := makeReadOnly(tree); errno != 0 {
		closeFile(tree)
		return errno
	}
	return attach(tree, path)
}
