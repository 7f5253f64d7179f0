package stage

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A Mark is what every process that a test starts, and all that those start, can be known by.
type Mark struct {
	variable string // NAME=value of an environment
	root     string // a folder that nothing else works in
}

// NewMark marks what is started in p from now on.
func NewMark(p *Place) Mark {
	name := hex.EncodeToString([]byte(filepath.Base(filepath.Dir(p.Root)) + filepath.Base(p.Root) + strconv.Itoa(os.Getpid())))
	m := Mark{variable: "PARLEY_STAGE_MARK=" + name, root: p.Root}
	p.Env = append(p.Env, m.variable)
	return m
}

// Processes returns the processes that were started with the mark in their environment, or work in
// the place; a process that has just become another program may be missing.
func (m Mark) Processes() (pids []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		dir, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
		if bytes.Contains(environ, []byte(m.variable)) || strings.HasPrefix(dir, m.root) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// WantEnded waits until all marked processes but those that are spared have ended. A process that
// does not end is an error, and is killed; a nil spared spares none.
func (m Mark) WantEnded(t testing.TB, spared func(pid int, command string) bool) {
	t.Helper()
	for deadline := time.Now().Add(Patience / 4); ; {
		left := 0
		for _, pid := range m.Processes() {
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			command := string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
			if spared != nil && spared(pid, command) {
				continue
			}
			if left++; !ended(pid, time.Until(deadline)) {
				t.Errorf("process %d is left: %q", pid, command)
				_ = unix.Kill(pid, unix.SIGKILL)
				return
			}
		}
		if left == 0 {
			return
		}
	}
}

// ended waits for the end of a process, at most so long.
func ended(pid int, limit time.Duration) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return true
	}
	defer unix.Close(fd)
	for end := time.Now().Add(limit); ; {
		left := time.Until(end)
		if left <= 0 {
			return false
		}
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(left.Milliseconds())+1)
		if err == nil {
			return n > 0
		}
	}
}

// Listening returns the sockets that a process listens on.
func Listening(pid int) (sockets []string) {
	open := map[string]bool{}
	fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, fd := range fds {
		if target, err := os.Readlink(fd); err == nil && strings.HasPrefix(target, "socket:[") {
			open[strings.TrimSuffix(strings.TrimPrefix(target, "socket:["), "]")] = true
		}
	}
	for _, table := range []string{"tcp", "tcp6"} {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) > 9 && f[3] == "0A" && open[f[9]] {
				sockets = append(sockets, f[1])
			}
		}
	}
	return sockets
}

// Descriptors returns how many files a process has open.
func Descriptors(pid int) int {
	fds, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(fds)
}
