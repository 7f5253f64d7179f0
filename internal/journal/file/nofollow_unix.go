//go:build unix

package file

import "syscall"

// noFollow opens no symbolic link: what is written must not end where a link leads.
const noFollow = syscall.O_NOFOLLOW
