package watchdog

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// The search for marked processes ends after so many rounds that find none, and after so many in any case. A process has no
// environment for a moment while it executes another program, and may start others before it is found.
const (
	emptyRounds = 3
	maxRounds   = 20
	roundPause  = 10 * time.Millisecond
)

// killMarked kills the processes that have one of marks in their environment: those that have left the group of their command,
// and those of a command whose group is not known yet.
func killMarked(marks []string) {
	empty := 0
	for round := 0; round < maxRounds && empty < emptyRounds; round++ {
		if !killFound(marks) {
			empty++
		}
		time.Sleep(roundPause)
	}
}

// killFound searches once, and reports whether it found a process.
func killFound(marks []string) (found bool) {
	table, err := os.Open("/proc")
	if err != nil {
		return false
	}
	defer table.Close()
	names, _ := table.Readdirnames(-1) // what was read before an error counts
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && hasMark(pid, marks) {
			found = true
			kill(pid, marks)
		}
	}
	return found
}

func hasMark(pid int, marks []string) bool {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && slices.ContainsFunc(marks, func(mark string) bool { return bytes.Contains(environ, []byte(mark)) })
}

// kill kills pid if it still has a mark, so that no later process with the same number is hit.
func kill(pid int, marks []string) {
	handle, err := unix.PidfdOpen(pid, 0)
	if err == unix.ENOSYS { // Linux before 5.3
		_ = unix.Kill(pid, unix.SIGKILL)
		return
	}
	if err != nil {
		return
	}
	defer unix.Close(handle)
	if hasMark(pid, marks) {
		_ = unix.PidfdSendSignal(handle, unix.SIGKILL, nil, 0)
	}
}
