//go:build unix

package file

import "syscall"

// noFollow makes opening a symbolic link fail, so that nothing is written to its target.
const noFollow = syscall.O_NOFOLLOW
