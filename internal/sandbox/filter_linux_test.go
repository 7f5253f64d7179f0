package sandbox

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

func TestFilter(t *testing.T) {
	if filterArch == 0 {
		t.Skip("this architecture has no filter")
	}
	const (
		pass   = unix.SECCOMP_RET_ALLOW
		refuse = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
		absent = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
		high   = 1 << 32 // the kernel looks at the low half of these arguments only
	)
	off, ip := filterKind{}, filterKind{ip: true, tracing: true, ipc: true}
	for _, row := range []struct {
		name string
		kind filterKind
		call uint32
		args []uint64
		want uint32
	}{
		{"read", off, unix.SYS_READ, nil, pass},
		{"execve", off, unix.SYS_EXECVE, nil, pass},
		{"connect", off, unix.SYS_CONNECT, nil, pass},
		{"IPv4", off, unix.SYS_SOCKET, []uint64{unix.AF_INET}, refuse},
		{"IPv4 with", ip, unix.SYS_SOCKET, []uint64{unix.AF_INET}, pass},
		{"IPv6", off, unix.SYS_SOCKET, []uint64{unix.AF_INET6}, refuse},
		{"IPv6 with", ip, unix.SYS_SOCKET, []uint64{unix.AF_INET6}, pass},
		{"unix", off, unix.SYS_SOCKET, []uint64{unix.AF_UNIX}, refuse},
		{"unix with IP", ip, unix.SYS_SOCKET, []uint64{unix.AF_UNIX}, refuse},
		{"unix in disguise", ip, unix.SYS_SOCKET, []uint64{high | unix.AF_UNIX}, refuse},
		{"routes", ip, unix.SYS_SOCKET, []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, pass},
		{"audit", ip, unix.SYS_SOCKET, []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT}, refuse},
		{"vsock", ip, unix.SYS_SOCKET, []uint64{unix.AF_VSOCK, unix.SOCK_STREAM}, refuse},
		{"packets", ip, unix.SYS_SOCKET, []uint64{unix.AF_PACKET, unix.SOCK_RAW}, refuse},
		{"pair of streams", off, unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, pass},
		{"pair of packets", off, unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, unix.SOCK_SEQPACKET}, pass},
		{"pair of datagrams", ip, unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, unix.SOCK_DGRAM | unix.SOCK_NONBLOCK}, refuse},
		{"pair of others", ip, unix.SYS_SOCKETPAIR, []uint64{unix.AF_TIPC, unix.SOCK_STREAM}, refuse},
		{"fork", off, unix.SYS_CLONE, []uint64{uint64(unix.SIGCHLD)}, pass},
		{"thread", off, unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_THREAD}, pass},
		{"user namespace", ip, unix.SYS_CLONE, []uint64{unix.CLONE_NEWUSER | uint64(unix.SIGCHLD)}, refuse},
		{"clone3", ip, unix.SYS_CLONE3, nil, absent},
		{"unshare files", ip, unix.SYS_UNSHARE, []uint64{unix.CLONE_FILES}, pass},
		{"unshare mounts", ip, unix.SYS_UNSHARE, []uint64{unix.CLONE_NEWNS}, refuse},
		{"ask the terminal", off, unix.SYS_IOCTL, []uint64{0, unix.TCGETS}, pass},
		{"type", off, unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI}, refuse},
		{"type in disguise", off, unix.SYS_IOCTL, []uint64{0, high | unix.TIOCSTI}, refuse},
		{"paste", off, unix.SYS_IOCTL, []uint64{0, unix.TIOCLINUX}, refuse},
		{"own limits", off, unix.SYS_PRLIMIT64, []uint64{0}, pass},
		{"limits of others", off, unix.SYS_PRLIMIT64, []uint64{1}, refuse},
		{"shared memory of the user", off, unix.SYS_SHMGET, nil, refuse},
		{"shared memory of the user by its id", off, unix.SYS_SHMAT, nil, refuse},
		{"own shared memory", ip, unix.SYS_SHMGET, nil, pass},
		{"semaphores of the user", off, unix.SYS_SEMGET, nil, refuse},
		{"queues of the user", off, unix.SYS_MQ_OPEN, nil, refuse},
		{"trace", off, unix.SYS_PTRACE, nil, refuse},
		{"trace its own", ip, unix.SYS_PTRACE, nil, pass},
		{"io_uring", ip, unix.SYS_IO_URING_SETUP, nil, refuse},
		{"mount", ip, unix.SYS_MOUNT, nil, refuse},
		{"keys", ip, unix.SYS_KEYCTL, nil, refuse},
		{"mode", ip, unix.SYS_FCHMOD, []uint64{3, 0o100755}, pass},
		{"setuid", ip, unix.SYS_FCHMOD, []uint64{3, 0o104755}, refuse},
		{"setgid", off, unix.SYS_FCHMODAT, []uint64{3, 0, 0o2755}, refuse},
		{"sticky", off, unix.SYS_FCHMODAT, []uint64{3, 0, 0o1777}, pass},
		{"setuid with flags", ip, unix.SYS_FCHMODAT2, []uint64{3, 0, 0o4755}, refuse},
		{"open", ip, unix.SYS_OPENAT, []uint64{3, 0, unix.O_RDWR, 0o4755}, pass},
		{"create", ip, unix.SYS_OPENAT, []uint64{3, 0, unix.O_RDWR | unix.O_CREAT, 0o755}, pass},
		{"create setuid", ip, unix.SYS_OPENAT, []uint64{3, 0, unix.O_RDWR | unix.O_CREAT, 0o4755}, refuse},
		{"create setuid without a name", ip, unix.SYS_OPENAT, []uint64{3, 0, unix.O_RDWR | unix.O_TMPFILE, 0o4755}, refuse},
		{"a folder", ip, unix.SYS_OPENAT, []uint64{3, 0, unix.O_RDONLY | unix.O_DIRECTORY, 0o4755}, pass},
		{"create in another way", ip, unix.SYS_OPENAT2, nil, absent},
		{"setuid node", ip, unix.SYS_MKNODAT, []uint64{3, 0, unix.S_IFREG | 0o4755}, refuse},
		{"pipe", ip, unix.SYS_MKNODAT, []uint64{3, 0, unix.S_IFIFO | 0o644}, pass},
	} {
		if got := judge(t, row.kind, filterArch, row.call, row.args); got != row.want {
			t.Errorf("%s: %#x, want %#x", row.name, got, row.want)
		}
	}
	if got := judge(t, ip, unix.AUDIT_ARCH_I386, 1, nil); got != unix.SECCOMP_RET_KILL_PROCESS {
		t.Errorf("a 32-bit call: %#x", got)
	}
	if filterArch == unix.AUDIT_ARCH_X86_64 {
		if got := judge(t, ip, filterArch, x32Bit|unix.SYS_SOCKET, []uint64{unix.AF_INET}); got != absent {
			t.Errorf("a call of x32: %#x", got)
		}
	}
	for call, mode := range modeCalls() {
		args := make([]uint64, mode+1)
		args[mode] = 0o4755
		if got := judge(t, ip, filterArch, call, args); got != refuse {
			t.Errorf("setuid by call %d: %#x", call, got)
		}
	}
	for _, call := range deniedCalls {
		if got := judge(t, ip, filterArch, call, nil); got != refuse {
			t.Errorf("call %d: %#x", call, got)
		}
	}
}

// judge runs the filter with package bpf, which reads all numbers as big endian, and returns its verdict.
func judge(t *testing.T, kind filterKind, arch, call uint32, args []uint64) uint32 {
	t.Helper()
	// The virtual machine limits its result to the size of its packet, hence small numbers for verdicts.
	program := filterProgram(kind)
	for i, instruction := range program {
		if r, ok := instruction.(bpf.RetConstant); ok {
			program[i] = bpf.RetConstant{Val: verdict(r.Val)}
		}
	}
	vm, err := bpf.NewVM(program)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 64)
	binary.BigEndian.PutUint32(data[0:], call)
	binary.BigEndian.PutUint32(data[4:], arch)
	for i, arg := range args {
		binary.BigEndian.PutUint32(data[16+8*i:], uint32(arg))
		binary.BigEndian.PutUint32(data[20+8*i:], uint32(arg>>32))
	}
	n, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	for val, small := range verdicts {
		if uint32(n) == small {
			return val
		}
	}
	t.Fatalf("%d is no verdict", n)
	return 0
}

var verdicts = map[uint32]uint32{
	unix.SECCOMP_RET_ALLOW:                       1,
	unix.SECCOMP_RET_KILL_PROCESS:                2,
	unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM):  3,
	unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS): 4,
}

func verdict(val uint32) uint32 { return verdicts[val] }
