package security

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// burglaries are escapes that a shell cannot try. They change nothing where they work.
var burglaries = map[string]func(args []string) error{
	"dial": func(args []string) error {
		c, err := net.Dial(args[0], args[1])
		if err == nil {
			c.Close()
		}
		return err
	},
	"datagram": func(args []string) error { // over a pair, which needs no socket of its own
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(pair[0], []byte("x"), 0, &unix.SockaddrUnix{Name: args[0]})
	},
	"packets": func([]string) error {
		_, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0)
		return err
	},
	"memory": func(args []string) error {
		f, err := os.Open("/proc/" + args[0] + "/mem")
		if err == nil {
			f.Close()
		}
		return err
	},
	"trace": func(args []string) error {
		const seize = 0x4206
		_, _, errno := unix.Syscall6(unix.SYS_PTRACE, seize, uintptr(number(args[0])), 0, 0, 0, 0)
		return failed(errno)
	},
	"getfd": func(args []string) error {
		process, err := unix.PidfdOpen(number(args[0]), 0)
		if err != nil {
			return err
		}
		_, err = unix.PidfdGetfd(process, 2, 0)
		return err
	},
	"limit": func(args []string) error {
		var old unix.Rlimit
		if err := unix.Prlimit(number(args[0]), unix.RLIMIT_CORE, nil, &old); err != nil {
			return err
		}
		return unix.Prlimit(number(args[0]), unix.RLIMIT_CORE, &old, nil)
	},
	"setns": func(args []string) error {
		f, err := os.Open("/proc/" + args[0] + "/ns/net")
		if err != nil {
			return err
		}
		defer f.Close()
		return unix.Setns(int(f.Fd()), unix.CLONE_NEWNET)
	},
	"uring": func([]string) error {
		var params [120]byte
		_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
		return failed(errno)
	},
	"handle": func(args []string) error {
		handle, _, err := unix.NameToHandleAt(unix.AT_FDCWD, args[0], 0)
		if err != nil {
			return err
		}
		root, err := unix.Open("/", unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		fd, err := unix.OpenByHandleAt(root, handle, unix.O_RDONLY)
		if err == nil {
			unix.Close(fd)
		}
		if !errors.Is(err, unix.EPERM) && err != nil { // it may, only the handle is of another disk
			return nil
		}
		return err
	},
	"keys": func([]string) error {
		_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true)
		return err
	},
	"bpf": func([]string) error {
		attributes := struct{ kind, keySize, valueSize, entries uint32 }{2, 4, 4, 1} // an array
		_, _, errno := unix.Syscall(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&attributes)), unsafe.Sizeof(attributes))
		return failed(errno)
	},
	"chroot": func([]string) error { return unix.Chroot("/") },
	"clock": func([]string) error {
		var unchanged unix.Timex
		unchanged.Modes = 0x4000 // ADJ_TICK
		if _, err := unix.Adjtimex(&unix.Timex{}); err != nil {
			return err
		}
		unchanged.Tick = int64(10 * time.Millisecond / time.Microsecond)
		_, err := unix.Adjtimex(&unchanged)
		return err
	},
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err) // a script of these tests is wrong
	}
	return n
}

func failed(errno unix.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

// burgle plays the burglary that the command line names, if it names one, and exits: 0 if it worked.
func burgle() {
	if len(os.Args) < 3 || os.Args[1] != "burgle" {
		return
	}
	if err := burglaries[os.Args[2]](os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, os.Args[2]+":", err)
		os.Exit(1)
	}
	os.Exit(0)
}
