package sandbox

import "golang.org/x/sys/unix"

// The system calls of modeCalls and openCalls that only older architectures have.
var (
	archModeCalls = map[uint32]uint32{unix.SYS_CHMOD: 1, unix.SYS_CREAT: 1, unix.SYS_MKNOD: 1}
	archOpenCalls = map[uint32]uint32{unix.SYS_OPEN: 1}
)
