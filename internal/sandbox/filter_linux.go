package sandbox

import (
	"encoding/binary"
	"fmt"
	"maps"
	"runtime"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// A filterKind selects what a seccomp filter allows in addition to what every filter allows.
type filterKind struct {
	ip      bool // sockets of IPv4 and IPv6
	tracing bool // of processes: something else restricts it to the command's own
	ipc     bool // System V IPC and message queues: the command has a namespace of its own for them
}

// deniedCalls are system calls that no confined command needs, each a way to circumvent the other rules.
var deniedCalls = []uint32{
	// The kernel carries out operations for these without applying the filter.
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	// Another view of the file system or of the caller's identity.
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_SETNS, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_QUOTACTL,
	// Files and memory of other processes.
	unix.SYS_PIDFD_GETFD, unix.SYS_PROCESS_MADVISE, unix.SYS_KCMP,
	// Keys of the user.
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	// Programs in the kernel, and calls that were used to attack it.
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE,
	unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	// The machine as a whole.
	unix.SYS_REBOOT, unix.SYS_ACCT, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_FANOTIFY_INIT,
}

// tracingCalls are the system calls that read and write other processes.
var tracingCalls = []uint32{unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV}

// ipcCalls are the system calls of System V IPC, and those that open message queues: all processes of the user can use what one has made.
var ipcCalls = []uint32{
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
	unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
}

// filterArch is the kernel's number for this architecture's native system calls; 0: unknown.
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
	deny  = returnErrno(unix.EPERM)
)

func returnErrno(errno unix.Errno) bpf.Instruction {
	return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(errno)}
}

// newFilter returns a filter program in the encoding of seccomp(2).
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

// filterProgram returns a program that refuses the system calls which are known to circumvent the
// confinement. All others are allowed, since it is not known which ones a compiler or a test needs.
func filterProgram(kind filterKind) []bpf.Instruction {
	program := []bpf.Instruction{
		loadArch,
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: filterArch, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS}, // a 32-bit program: its calls have other numbers
		loadNumber,
	}
	if runtime.GOARCH == "amd64" {
		program = append(program, bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: x32Bit, SkipFalse: 1}, returnErrno(unix.ENOSYS))
	}
	calls := deniedCalls
	if !kind.tracing {
		calls = append(calls[:len(calls):len(calls)], tracingCalls...)
	}
	if !kind.ipc {
		calls = append(calls[:len(calls):len(calls)], ipcCalls...)
	}
	for _, call := range calls {
		program = append(program, onCall(call, deny)...)
	}
	// The flags of clone3 are in memory, which a filter cannot read; the C libraries fall
	// back to clone.
	program = append(program, onCall(unix.SYS_CLONE3, returnErrno(unix.ENOSYS))...)
	for _, call := range []uint32{unix.SYS_CLONE, unix.SYS_UNSHARE} {
		program = append(program, onCall(call, loadArgument(0),
			bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: newNamespaces, SkipFalse: 1}, deny, allow)...)
	}
	// Simulated input to the terminal.
	program = append(program, onCall(unix.SYS_IOCTL, loadArgument(1),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.TIOCSTI, SkipTrue: 1},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.TIOCLINUX, SkipFalse: 1}, deny, allow)...)
	// The limits of other processes; 0 is the caller.
	program = append(program, onCall(unix.SYS_PRLIMIT64, loadArgument(0),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1}, deny, allow)...)
	program = append(program, filterSockets(kind.ip)...)
	program = append(program, filterModes()...)
	return append(program, allow)
}

// setID are the bits of a mode that make a program run as its file's owner or group.
const setID = unix.S_ISUID | unix.S_ISGID

// filterModes refuses to set setID bits on a file: other users could run it after the command has
// ended. The mode of openat2 is in memory, which a filter cannot read; programs fall back to openat.
func filterModes() []bpf.Instruction {
	program := onCall(unix.SYS_OPENAT2, returnErrno(unix.ENOSYS))
	for call, mode := range modeCalls() {
		program = append(program, onCall(call, loadArgument(mode),
			bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: setID, SkipFalse: 1}, deny, allow)...)
	}
	for call, flags := range openCalls() {
		program = append(program, onCall(call, loadArgument(flags),
			bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY, SkipTrue: 1}, allow,
			loadArgument(flags+1),
			bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: setID, SkipFalse: 1}, deny, allow)...)
	}
	return program
}

// modeCalls returns the system calls that set a mode, with the index of that argument; openCalls
// returns those that open files, with the index of the flags, which the mode follows.
func modeCalls() map[uint32]uint32 {
	calls := map[uint32]uint32{unix.SYS_FCHMOD: 1, unix.SYS_FCHMODAT: 2, unix.SYS_FCHMODAT2: 2, unix.SYS_MKNODAT: 2}
	maps.Copy(calls, archModeCalls)
	return calls
}

func openCalls() map[uint32]uint32 {
	calls := map[uint32]uint32{unix.SYS_OPENAT: 2}
	maps.Copy(calls, archOpenCalls)
	return calls
}

// filterSockets decides about sockets when they are created, since the addresses of later calls
// are in memory, which a filter cannot read. Sockets of AF_UNIX connect to services with all the
// user's rights; a pair is harmless, unless it is of datagrams, which can be sent to any address.
func filterSockets(ip bool) []bpf.Instruction {
	socket := onCall(unix.SYS_SOCKET, deny)
	if ip {
		socket = onCall(unix.SYS_SOCKET, loadArgument(0),
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET, SkipTrue: 5},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET6, SkipTrue: 4},
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.AF_NETLINK, SkipTrue: 2},
			loadArgument(2), // only addresses and routes can be queried
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.NETLINK_ROUTE, SkipTrue: 1},
			deny, allow)
	}
	const typeMask = 0xf
	return append(socket, onCall(unix.SYS_SOCKETPAIR, loadArgument(0),
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.AF_UNIX, SkipTrue: 3},
		loadArgument(1),
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: typeMask},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SOCK_DGRAM, SkipTrue: 1},
		deny, allow)...)
}

// onCall returns instructions that run body, which must return, for one system call.
func onCall(call uint32, body ...bpf.Instruction) []bpf.Instruction {
	return append([]bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpEqual, Val: call, SkipFalse: uint8(len(body))}}, body...)
}
