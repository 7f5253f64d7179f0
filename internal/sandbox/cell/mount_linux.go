package cell

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
	nothing = [1]byte{}
	here    = -100 // AT_FDCWD
)

// mount makes everything read-only but Writable, and Protected again, and keeps the names of Pinned. Files are reached
// by descriptors, without symbolic links: nobody can put another in between.
func (p *Plan) mount() *Failure {
	if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return trouble("keep mounts to itself", err.(syscall.Errno))
	}
	if len(p.Writable) != 1 || p.Writable[0] != "/" {
		if f := p.mountReadOnly(); f != nil {
			return f
		}
	}
	for _, path := range p.Pinned {
		if errno := pin(path); errno != 0 && errno != syscall.ENOENT {
			return trouble("keep the name of "+path, errno)
		}
	}
	for _, path := range p.Protected {
		if errno := protect(path); errno != 0 && errno != syscall.ENOENT {
			return trouble("protect "+path, errno)
		}
	}
	if p.Devices {
		p.devices()
	}
	return nil
}

// mountReadOnly puts copies of Writable, made before, over what it makes read-only.
func (p *Plan) mountReadOnly() *Failure {
	trees := make([]int, len(p.Writable))
	for i, path := range p.Writable {
		tree, errno := cloneTree(path)
		if errno != 0 && errno != syscall.ENOENT {
			return trouble("keep "+path+" writable", errno)
		}
		trees[i] = tree
	}
	root, errno := openPath("/")
	if errno == 0 {
		errno = makeReadOnly(root)
		closeFile(root)
	}
	if errno != 0 {
		return trouble("make / read-only", errno)
	}
	for i, path := range p.Writable {
		if errno := attach(trees[i], path); errno != 0 {
			return trouble("keep "+path+" writable", errno)
		}
	}
	return nil
}

// devices mounts terminals and shared memory that nobody outside sees, and allows them.
func (p *Plan) devices() {
	const options = "newinstance,ptmxmode=0666,mode=0600"
	if syscall.Mount("devpts", "/dev/pts", "devpts", syscall.MS_NOSUID|syscall.MS_NOEXEC, options) == nil &&
		syscall.Mount("/dev/pts/ptmx", "/dev/ptmx", "", syscall.MS_BIND, "") == nil {
		p.Rules = append(p.Rules, Rule{"/dev/pts", ^uint64(0)}, Rule{"/dev/ptmx", ^uint64(0)})
	}
	if syscall.Mount("shm", "/dev/shm", "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=1777") == nil {
		p.Rules = append(p.Rules, Rule{"/dev/shm", ^uint64(0)})
	}
}

// openPath opens a path without the right to read or write, and without symbolic links.
func openPath(path string) (fd int, errno syscall.Errno) {
	name, err := syscall.BytePtrFromString(path)
	if err != nil {
		return -1, syscall.EINVAL
	}
	how := struct{ flags, mode, resolve uint64 }{openPathOnly | syscall.O_CLOEXEC, 0, resolveNoSymlinks}
	n, _, errno := syscall.Syscall6(sysOpenat2, uintptr(here), uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0)
	return int(n), errno
}

// cloneTree copies the mount of a path and those below it; -1 and ENOENT if there is none.
func cloneTree(path string) (tree int, errno syscall.Errno) {
	fd, errno := openPath(path)
	if errno != 0 {
		return -1, errno
	}
	defer closeFile(fd)
	n, _, errno := syscall.Syscall(sysOpenTree, uintptr(fd), uintptr(unsafe.Pointer(&nothing)), openTreeClone|atRecursive|atEmptyPath|syscall.O_CLOEXEC)
	return int(n), errno
}

// attach puts a tree over a path and gives it up.
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
	empty := uintptr(unsafe.Pointer(&nothing))
	_, _, errno = syscall.Syscall6(sysMoveMount, uintptr(tree), empty, uintptr(fd), empty, moveFromEmptyPath|moveToEmptyPath, 0)
	return errno
}

func makeReadOnly(tree int) syscall.Errno {
	attr := struct{ set, clear, propagation, userns uint64 }{set: mountReadOnly}
	_, _, errno := syscall.Syscall6(sysMountSetattr, uintptr(tree), uintptr(unsafe.Pointer(&nothing)), atEmptyPath|atRecursive, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	return errno
}

// pin mounts a folder over itself: what something is mounted on is not renamed.
func pin(path string) syscall.Errno {
	tree, errno := cloneTree(path)
	if errno != 0 {
		return errno
	}
	return attach(tree, path)
}

func protect(path string) syscall.Errno {
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
