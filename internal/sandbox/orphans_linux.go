package sandbox

import (
	"bytes"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// An orphan is a process that left its command's group: by setsid, or as a daemon. It is
// found by the mark in the environment that it was started with.

// orphanTimeout limits the search for orphans that fork again and again, or that the kernel
// cannot end at once.
const orphanTimeout = time.Second

// minSearches is how often the process table is searched even if that takes longer than
// orphanTimeout: on a busy machine this process may not run for a second.
const minSearches = 20

// maxProbes is the number of process numbers above which the process table is read instead of
// probing each number. A number without a process costs 0.25 µs, a process 3 µs.
const maxProbes = 4096

// killOrphans kills every process with mark among the numbers that search yields, and waits for
// their end. It repeats the search, since they may have forked, until it finds neither an orphan
// nor a process that may turn out to be one.
func killOrphans(mark []byte, search iter.Seq[int]) {
	limit := time.Now().Add(orphanTimeout)
	for n := 0; n < minSearches || time.Now().Before(limit); n++ {
		found := false
		for pid := range search {
			environ, err := readEnviron(pid)
			switch {
			case err != nil:
			case bytes.Contains(environ, mark):
				found = killMarked(pid, mark, limit) || found
			case len(environ) == 0:
				found = isExecuting(pid) || found
			}
		}
		if !found {
			return
		}
	}
}

// signalOrphans signals every process with mark outside of the group, once. It repeats the search
// until no process may still turn out to be one.
func signalOrphans(mark []byte, group int, sig syscall.Signal) {
	signalled := map[int]bool{}
	limit := time.Now().Add(orphanTimeout)
	for n := 0; n < minSearches || time.Now().Before(limit); n++ {
		unknown := false
		for pid := range allProcesses {
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
				unknown = isExecuting(pid) || unknown
			}
		}
		if !unknown {
			return
		}
	}
}

// signalMembers signals every process of a group except its leader.
func signalMembers(group int, sig syscall.Signal) {
	for pid := range allProcesses {
		if owner, err := unix.Getpgid(pid); err == nil && owner == group && pid != group {
			_ = unix.Kill(pid, sig)
		}
	}
}

// maxLeft is the maximum number of names that leftPrograms returns.
const maxLeft = 5

// leftPrograms returns the names of the programs that still run of a command whose leader has exited, sorted:
// those of its group, and those that carry its mark. It repeats the search until no process may still
// turn out to be one.
func leftPrograms(mark []byte, leader int) string {
	limit := time.Now().Add(orphanTimeout)
	for n := 0; ; n++ {
		names, unknown := findLeft(mark, leader)
		if !unknown || n >= minSearches && time.Now().After(limit) {
			return strings.Join(names, ", ")
		}
	}
}

// findLeft searches once for leftPrograms. It reports whether a process outside of the group is
// executing another program, so that its mark cannot be read.
func findLeft(mark []byte, leader int) (names []string, unknown bool) {
	for pid := range startedAfter(leader) {
		group, err := unix.Getpgid(pid)
		if err != nil || pid == leader {
			continue
		}
		if group != leader {
			environ, err := readEnviron(pid)
			if err != nil || !bytes.Contains(environ, mark) {
				unknown = unknown || err == nil && len(environ) == 0 && isExecuting(pid)
				continue
			}
		}
		folder := "/proc/" + strconv.Itoa(pid)
		if _, err := os.Readlink(folder + "/exe"); err != nil { // it ends already
			continue
		}
		name, err := os.ReadFile(folder + "/comm")
		if text := strings.ToValidUTF8(strings.TrimSpace(string(name)), ""); err == nil && text != "" && !slices.Contains(names, text) {
			names = append(names, text)
		}
	}
	slices.Sort(names)
	if len(names) > maxLeft {
		names = append(names[:maxLeft], "…")
	}
	return names, unknown
}

// killMarked kills pid, which had mark, waits for its end and reports whether it was killed. It
// reads the mark again after opening a pidfd, so that no later process with the same number is hit.
func killMarked(pid int, mark []byte, limit time.Time) bool {
	handle, err := unix.PidfdOpen(pid, 0)
	if err == unix.ENOSYS { // Linux before 5.3
		return unix.Kill(pid, unix.SIGKILL) == nil
	}
	if err != nil {
		return false
	}
	defer unix.Close(handle)
	if !hasMark(pid, mark) || unix.PidfdSendSignal(handle, unix.SIGKILL, nil, 0) != nil {
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

// hasMark reports whether pid was started with mark in its environment. It returns false for a
// process that has ended or that belongs to another user.
func hasMark(pid int, mark []byte) bool {
	environ, err := readEnviron(pid)
	return err == nil && bytes.Contains(environ, mark)
}

func readEnviron(pid int) ([]byte, error) {
	return os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
}

// isExecuting reports whether pid, which has no environment, is executing another program: for a
// moment it has no arguments either, although its environment may contain a mark. Kernel threads
// and processes that have ended have neither, but they have no program.
func isExecuting(pid int) bool {
	folder := "/proc/" + strconv.Itoa(pid)
	if _, err := os.Readlink(folder + "/exe"); err != nil {
		return false
	}
	arguments, err := os.ReadFile(folder + "/cmdline")
	return err == nil && len(arguments) == 0
}

// allProcesses yields the numbers of all processes.
func allProcesses(yield func(int) bool) {
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

// startedAfter yields the processes that were started after leader: the kernel assigns numbers in
// ascending order and wraps around.
func startedAfter(leader int) iter.Seq[int] {
	return func(yield func(int) bool) {
		newest, ok := newestPid()
		if !ok || newest < leader || newest-leader > maxProbes {
			allProcesses(yield)
			return
		}
		for pid := leader + 1; pid <= newest; pid++ {
			if unix.Kill(pid, 0) == nil && !yield(pid) {
				return
			}
		}
	}
}

// newestPid returns the number that was assigned last, which is the last field of /proc/loadavg.
func newestPid() (pid int, ok bool) {
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0, false
	}
	load = bytes.TrimSpace(load)
	pid, err = strconv.Atoi(string(load[bytes.LastIndexByte(load, ' ')+1:]))
	return pid, err == nil
}
