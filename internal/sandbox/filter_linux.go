package sandbox

import (
	"encoding/binary"
	"fmt"
	"runtime"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// A filterKind is what a seccomp filter lets through beside what it always does.
type filterKind struct {
	ip      bool // sockets of IPv4 and IPv6
	tracing bool // of processes: something else keeps it to the command's own
}

// refused are system calls that no confined command needs, each a way round the rest.
var refused = []uint32{
	// The kernel works on behalf of these, past filters.
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	// Another view of the files, or of who one is.
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_SETNS, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_QUOTACTL,
	// Files and memory of other processes.
	unix.SYS_PIDFD_GETFD, unix.SYS_PROCESS_MADVISE, unix.SYS_KCMP,
	// Keys of the user.
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	// Programs in the kernel, and what has served to attack it.
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE,
	unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	// The machine as a whole.
	unix.SYS_REBOOT, unix.SYS_ACCT, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_FANOTIFY_INIT,
}

// tracing are the calls that read and write other processes.
var tracing = []uint32{unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV}

// filterArch is what the kernel calls this architecture's own system calls; 0: unknown.
var filterArch = map[string]uint32{
	"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64,
	"riscv64": unix.AUDIT_ARCH_RISCV64, "loong64": unix.AUDIT_ARCH_LOONGARCH64,
}[runtime.GOARCH]

const (
	x32Bit = 0x40000000 // in the numbers of amd64's other ABI

	newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWUSER | unix.CLONE_NEWNET | unix.CLONE_NEWPID |
		unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWTIME
)

// Offsets in seccomp_data; the low half of an argument comes first on all of filterArch.
var (
	loadNumber = bpf.LoadAbsolute{Off: 0, Size: 4}
	loadArch   = bpf.LoadAbsolute{Off: 4, Size: 4}
)

func loadArgument(n uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: 16 + 8*n, Size: 4} }

var (
	allow = bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	deny  = failing(unix.EPERM)
)

func failing(errno unix.Errno) bpf.Instruction {
	return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(errno)}
}

// newFilter is the program for seccomp(2), ready for the kernel.
func newFilter(kind filterKind) ([]byte, error) {
	if filterArch == 0 {
		return nil, fmt.Errorf("the system calls of %s are not known", runtime.GOARCH)
	}
	raw, err := bpf.Assemble(filterProgram(kind))
	if err != nil {
		return nil, fmt.Errorf("assemble the seccomp filter: %w", err)
	}
	var program []byte
	for _, i := range raw { // struct sock_filter
		program = binary.NativeEndian.AppendUint16(program, i.Op)
		program = append(program, i.Jt, i.Jf)
		program = binary.NativeEndian.AppendUint32(program, i.K)
	}
	return program, nil
}

// filterProgram refuses what is known to be a way round; all else is allowed, since what a
// compiler or a test calls is not known.
func filterProgram(kind filterKind) []bpf.Instruction {
	program := []bpf.Instruction{
		loadArch,
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: filterArch, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS}, // a 32-bit program: its calls have other numbers
		loadNumber,
	}
	if runtime.GOARCH == "amd64" {
		program = append(program, bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: x32Bit, SkipFalse: 1}, failing(unix.ENOSYS))
	}
	calls := refused
	if !kind.tracing {
		calls = append(calls[:len(calls):len(calls)], tracing...)
	}
	for _, call := range calls {
		program = append(program, on(call, deny)...)
	}
	// What clone3 makes lies in memory that a filter cannot read; the C libraries fall
	// back to clone.
	program = append(program, on(unix.SYS_CLONE3, failing(unix.ENOSYS))...)
	for _, call := range []uint32{unix.SYS_CLONE, unix.SYS_UNSHARE} {
		program = append(program, on(call, loadArgument(0),
			bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: newNamespaces, SkipFalse: 1}, deny, allow)...)
	}
	// Typing into the terminal.
	program = append(program, on(unix.SYS_IOCTL, loadArgument(1),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.TIOCSTI, SkipTrue: 1},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.TIOCLINUX, SkipFalse: 1}, deny, allow)...)
	// The limits of other processes; 0 is the caller.
	program = append(program, on(unix.SYS_PRLIMIT64, loadArgument(0),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1}, deny, allow)...)
	program = append(program, filterSockets(kind.ip)...)
	return append(program, allow)
}

// filterSockets decides about sockets where they are made, since an address lies in
// memory. Those of AF_UNIX lead to services with all the user's rights; a pair is
// harmless, unless it is of datagrams: those can be sent to any address.
func filterSockets(ip bool) []bpf.Instruction {
	socket := on(unix.SYS_SOCKET, deny)
	if ip {
		socket = on(unix.SYS_SOCKET, loadArgument(0),
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET, SkipTrue: 5},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET6, SkipTrue: 4},
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.AF_NETLINK, SkipTrue: 2},
			loadArgument(2), // addresses and routes can be asked for, nothing else
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.NETLINK_ROUTE, SkipTrue: 1},
			deny, allow)
	}
	const typeMask = 0xf
	return append(socket, on(unix.SYS_SOCKETPAIR, loadArgument(0),
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.AF_UNIX, SkipTrue: 3},
		loadArgument(1),
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: typeMask},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SOCK_DGRAM, SkipTrue: 1},
		deny, allow)...)
}

// on runs body, which must return, for one system call.
func on(call uint32, body ...bpf.Instruction) []bpf.Instruction {
	return append([]bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpEqual, Val: call, SkipFalse: uint8(len(body))}}, body...)
}
