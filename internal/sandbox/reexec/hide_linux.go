package reexec

import "syscall"

// An openFolder is a folder below a hidden one that stays open.
type openFolder struct {
	path string
	tree int // a clone of its mount; -1: it does not exist any more
}

// openHidden clones the folders that stay open below Hidden, before they are covered.
func (p *Plan) openHidden() (open []openFolder, f *Failure) {
	for i, paths := range [][]string{p.HiddenWritable, p.HiddenReadable} {
		for _, path := range paths {
			tree, errno := cloneTree(path)
			if errno == 0 && i == 1 {
				errno = makeReadOnly(tree)
			}
			if errno != 0 && errno != syscall.ENOENT {
				return nil, confineFailure("open "+path, errno)
			}
			open = append(open, openFolder{path, tree})
		}
	}
	return open, nil
}

// hide mounts an empty folder over each of Hidden, and mounts open in it.
func (p *Plan) hide(open []openFolder) *Failure {
	for _, folder := range p.Hidden {
		fd, errno := openPath(folder)
		if errno == syscall.ENOENT {
			continue
		}
		if errno == 0 {
			errno = mountEmpty(fd)
			closeFile(fd)
		}
		if errno != 0 {
			return confineFailure("hide "+folder, errno)
		}
		for _, o := range open {
			if len(o.path) <= len(folder) || o.path[:len(folder)] != folder || o.path[len(folder)] != '/' {
				continue
			}
			makeFolders(folder, o.path)
			if errno := attach(o.tree, o.path); errno != 0 {
				return confineFailure("open "+o.path, errno)
			}
		}
		if fd, errno = openPath(folder); errno == 0 {
			errno = setReadOnly(fd, false)
			closeFile(fd)
		}
		if errno != 0 {
			return confineFailure("hide "+folder, errno)
		}
	}
	return nil
}

// mountEmpty mounts an empty file system over an open folder.
func mountEmpty(folder int) syscall.Errno {
	const flags = syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC
	err := syscall.Mount("none", "/proc/self/fd/"+decimal(folder), "tmpfs", flags, "mode=0755,size=64k,nr_inodes=4096")
	errno, _ := err.(syscall.Errno)
	return errno
}

// makeFolders creates path and the folders between it and folder. Errors show when it is used.
func makeFolders(folder, path string) {
	for i := len(folder) + 1; i <= len(path); i++ {
		if i == len(path) || path[i] == '/' {
			_ = syscall.Mkdir(path[:i], 0o755)
		}
	}
}

func decimal(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return decimal(n/10) + string(rune('0'+n%10))
}
