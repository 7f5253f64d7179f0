package sandbox

import (
	"bytes"
	"iter"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A stray is a process that left its command's group: by setsid, or as a daemon. It is
// found by the mark in the environment that it was started with.

// straysLimit bounds how long strays are hunted that have more and more children, or that
// the kernel cannot end at once.
const straysLimit = time.Second

// searchAll is from how many numbers on the whole process table is searched instead of
// trying each. A number without a process costs 0.25 µs, a process 3 µs.
const searchAll = 4096

// killStrays kills every process that carries mark, among the numbers that search yields,
// and waits for their end. It searches until none is left, since they may have forked, and
// nobody who may turn out to be one.
func killStrays(mark []byte, search iter.Seq[int]) {
	for limit := time.Now().Add(straysLimit); time.Now().Before(limit); {
		found := false
		for pid := range search {
			environ, err := readEnviron(pid)
			switch {
			case err != nil:
			case bytes.Contains(environ, mark):
				found = kill(pid, mark, limit) || found
			case len(environ) == 0:
				found = executing(pid) || found
			}
		}
		if !found {
			return
		}
	}
}

// signalStrays signals every process that carries mark outside of the group, once. It
// searches until there is nobody left who may turn out to be one.
func signalStrays(mark []byte, group int, sig syscall.Signal) {
	signalled := map[int]bool{}
	for limit := time.Now().Add(straysLimit); time.Now().Before(limit); {
		unknown := false
		for pid := range everywhere {
			if owner, err := unix.Getpgid(pid); err != nil || owner == group || signalled[pid] {
				continue
			}
			environ, err := readEnviron(pid)
			switch {
			case err != nil:
			case bytes.Contains(environ, mark):
				_ = unix.Kill(pid, sig)
				signalled[pid] = true
			case len(environ) == 0:
				unknown = executing(pid) || unknown
			}
		}
		if !unknown {
			return
		}
	}
}

// signalMembers signals every process of a group but its leader.
func signalMembers(group int, sig syscall.Signal) {
	for pid := range everywhere {
		if owner, err := unix.Getpgid(pid); err == nil && owner == group && pid != group {
			_ = unix.Kill(pid, sig)
		}
	}
}

// kill kills pid, which carried mark, waits for its end and tells whether it did. The mark
// is read again once the process is held, so that no successor of the number is hit.
func kill(pid int, mark []byte, limit time.Time) bool {
	handle, err := unix.PidfdOpen(pid, 0)
	if err == unix.ENOSYS { // Linux before 5.3
		return unix.Kill(pid, unix.SIGKILL) == nil
	}
	if err != nil {
		return false
	}
	defer unix.Close(handle)
	if !carries(pid, mark) || unix.PidfdSendSignal(handle, unix.SIGKILL, nil, 0) != nil {
		return false
	}
	left := max(0, int(time.Until(limit).Milliseconds()))
	for {
		_, err = unix.Poll([]unix.PollFd{{Fd: int32(handle), Events: unix.POLLIN}}, left)
		if err != syscall.EINTR {
			return true
		}
	}
}

// carries tells whether pid was started with mark in its environment. One that has ended,
// or that belongs to somebody else, was not.
func carries(pid int, mark []byte) bool {
	environ, err := readEnviron(pid)
	return err == nil && bytes.Contains(environ, mark)
}

func readEnviron(pid int) ([]byte, error) {
	return os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
}

// executing tells whether pid, which has no environment, is about to become another
// program: for a moment it has no arguments either, and may carry a mark all the same.
// Threads of the kernel and processes that have ended have none, but no program.
func executing(pid int) bool {
	folder := "/proc/" + strconv.Itoa(pid)
	if _, err := os.Readlink(folder + "/exe"); err != nil {
		return false
	}
	arguments, err := os.ReadFile(folder + "/cmdline")
	return err == nil && len(arguments) == 0
}

// everywhere yields all processes.
func everywhere(yield func(int) bool) {
	table, err := os.Open("/proc")
	if err != nil {
		return
	}
	defer table.Close()
	names, _ := table.Readdirnames(-1) // what was read before an error counts
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && !yield(pid) {
			return
		}
	}
}

// behind yields the processes that were started after leader: numbers are given out in
// ascending order, round and round.
func behind(leader int) iter.Seq[int] {
	return func(yield func(int) bool) {
		newest, ok := newestPid()
		if !ok || newest < leader || newest-leader > searchAll {
			everywhere(yield)
			return
		}
		for pid := leader + 1; pid <= newest; pid++ {
			if unix.Kill(pid, 0) == nil && !yield(pid) {
				return
			}
		}
	}
}

// newestPid is the number that was given out last: /proc/loadavg ends with it.
func newestPid() (pid int, ok bool) {
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0, false
	}
	load = bytes.TrimSpace(load)
	pid, err = strconv.Atoi(string(load[bytes.LastIndexByte(load, ' ')+1:]))
	return pid, err == nil
}
