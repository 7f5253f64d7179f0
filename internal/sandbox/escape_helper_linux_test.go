package sandbox

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// escapeHelpers are escapes that a shell cannot try: the test program tries them, see TestMain.
var escapeHelpers = map[string]func(args []string) error{
	"truncate": func(args []string) error { return unix.Truncate(args[0], 0) },
	"open-truncate": func(args []string) error {
		f, err := os.OpenFile(args[0], os.O_RDONLY|os.O_TRUNC, 0)
		if err == nil {
			f.Close()
		}
		return err
	},
	"rename": func(args []string) error { return os.Rename(args[0], args[1]) },
	"exchange": func(args []string) error {
		return unix.Renameat2(unix.AT_FDCWD, args[0], unix.AT_FDCWD, args[1], unix.RENAME_EXCHANGE)
	},
	"setuid": func(args []string) error {
		fd, err := unix.Openat(unix.AT_FDCWD, args[0], unix.O_CREAT|unix.O_WRONLY, 0o4755)
		_ = unix.Close(fd)
		return err
	},
	"setuid2": func(args []string) error {
		fd, err := unix.Openat2(unix.AT_FDCWD, args[0], &unix.OpenHow{Flags: unix.O_CREAT | unix.O_WRONLY, Mode: 0o4755})
		_ = unix.Close(fd)
		return err
	},
	"connect": func(args []string) error {
		c, err := net.Dial(args[0], args[1])
		if err == nil {
			c.Close()
		}
		return err
	},
	"local": func([]string) error { // talk to itself over the loopback
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer l.Close()
		c, err := net.Dial("tcp4", l.Addr().String())
		if err == nil {
			c.Close()
		}
		return err
	},
	"send": func(args []string) error {
		c, err := net.Dial("udp4", args[0])
		if err != nil {
			return err
		}
		defer c.Close()
		if _, err := c.Write([]byte("x")); err != nil {
			return err
		}
		if err := c.SetDeadline(time.Now().Add(testTimeout)); err != nil {
			return err
		}
		_, err = c.Read(make([]byte, 1)) // the answer: it has come to where it was sent
		return err
	},
	"pair": func(args []string) error { // a datagram of a pair goes where it is sent
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(pair[0], []byte("x"), 0, &unix.SockaddrUnix{Name: args[0]})
	},
	"stream": func([]string) error {
		_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		return err
	},
	"socket": func(args []string) error {
		n := make([]int, 3)
		for i := range n {
			n[i], _ = strconv.Atoi(args[i])
		}
		_, err := unix.Socket(n[0], n[1], n[2])
		return err
	},
	"trace": func(args []string) error {
		pid, _ := strconv.Atoi(args[0])
		return ptraceSeize(pid)
	},
	"poke": func(args []string) error {
		pid, _ := strconv.Atoi(args[0])
		text := []byte("x")
		local := []unix.Iovec{{Base: &text[0], Len: 1}}
		_, err := unix.ProcessVMWritev(pid, local, []unix.RemoteIovec{{Base: 8, Len: 1}}, 0)
		if err == unix.EFAULT { // it may, only there is nothing at that address
			return nil
		}
		return err
	},
	"take": func(args []string) error {
		pid, _ := strconv.Atoi(args[0])
		process, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			return err
		}
		_, err = unix.PidfdGetfd(process, 0, 0)
		return err
	},
	"limit": func(args []string) error {
		pid, _ := strconv.Atoi(args[0])
		return unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
	},
	"uring": func([]string) error {
		var params [120]byte
		_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
		return errnoError(errno)
	},
	"attach": func(args []string) error { // shared memory that another process has made
		id, _ := strconv.Atoi(args[0])
		memory, err := unix.SysvShmAttach(id, 0, 0)
		if err == nil {
			memory[0] = 'x'
		}
		return err
	},
	"keys": func([]string) error {
		_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true)
		return err
	},
	"clone3": func([]string) error {
		var args [64]byte
		*(*uint64)(unsafe.Pointer(&args[0])) = unix.CLONE_NEWUSER
		*(*uint64)(unsafe.Pointer(&args[32])) = uint64(unix.SIGCHLD)
		pid, _, errno := syscall.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), 64, 0)
		if errno == 0 && pid == 0 {
			syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
		}
		return errnoError(errno)
	},
	"terminal": func([]string) error {
		f, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCSPTLCK, 0); err != nil {
			return err
		}
		n, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPTN)
		if err != nil {
			return err
		}
		slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
		if err == nil {
			slave.Close()
		}
		return err
	},
	"capabilities": func([]string) error {
		status, err := os.ReadFile("/proc/self/status")
		fmt.Print(string(status))
		return err
	},
	"nested": func(args []string) error { return nested(args[0]) },
	"widen":  func(args []string) error { return widen(args[0]) },
}

func errnoError(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

func ptraceSeize(pid int) error {
	const seize = 0x4206
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, seize, uintptr(pid), 0, 0, 0, 0)
	return errnoError(errno)
}

// runEscapeHelper tries one escape and exits: with 0 if it worked.
func runEscapeHelper(name string, args []string) {
	if err := escapeHelpers[name](args); err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(1)
	}
	os.Exit(0)
}
