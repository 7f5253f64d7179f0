//go:build unix

package regular

import "syscall"

// noFollow is the flag with which a symbolic link is not opened.
const noFollow = syscall.O_NOFOLLOW
